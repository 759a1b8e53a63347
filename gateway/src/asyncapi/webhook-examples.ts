import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { restoreCodeOf } from '@billing/chassis/restore-codes';
import { readWebhookData, toJsonWebhook } from '@billing/proto/json/webhook/webhook';

/** Example of a webhook request. */
export interface WebhookExample {
  readonly name: string;
  readonly type: string;
  /** Body of the request. */
  readonly payload: unknown;
}

const eventSchema = z.object({
  type: z.templateLiteral(['billing.', z.string()]),
  time: z.string(),
  sequence: z.int(),
  restorecodes: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});

// A test webhook has no underlying event, so the example is written here.
const testExample: WebhookExample = {
  name: 'webhook-endpoint-test',
  type: 'webhook_endpoint.test',
  payload: {
    id: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e90',
    type: 'webhook_endpoint.test',
    timestamp: '2026-03-31T00:00:00.000Z',
    webhookEndpointId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
    data: { webhookEndpointId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f' },
  },
};

/** At least one example per webhook type, built from the example events of the proto package. */
export function webhookExamples(): readonly WebhookExample[] {
  const folder = dirname(require.resolve('@billing/proto/examples/subscription-created.json'));
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return [...files.sort().map((file) => readExample(folder, file)), testExample];
}

function readExample(folder: string, file: string): WebhookExample {
  const event = eventSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const type = event.type.slice('billing.'.length);
  const payload = toJsonWebhook({
    id: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
    type,
    time: event.time,
    sequence: event.sequence,
    restoreCode: restoreCodeOf(event.restorecodes, event.sequence),
    data: readWebhookData(type, event.data),
  });
  return { name: file.replace('.json', ''), type, payload: JSON.parse(JSON.stringify(payload)) };
}
