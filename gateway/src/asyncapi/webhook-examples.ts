import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { SessionEvent } from '@billing/proto/billing/event/v1/session_event';
import { SubscriptionEvent } from '@billing/proto/billing/event/v1/subscription_event';
import { toJsonWebhook } from '@billing/proto/json/webhook';

/** A webhook as its receiver might get it. */
export interface WebhookExample {
  readonly name: string;
  readonly type: string;
  /** The body. */
  readonly payload: unknown;
}

const eventSchema = z.object({
  type: z.templateLiteral(['billing.', z.string()]),
  time: z.string(),
  sequence: z.int(),
  data: z.record(z.string(), z.unknown()),
});

// It tells of no event, so there is none to take as an example.
const testExample: WebhookExample = {
  name: 'webhook-endpoint-test',
  type: 'webhook_endpoint.test',
  payload: {
    id: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e90',
    type: 'webhook_endpoint.test',
    timestamp: '2026-03-31T00:00:00.000Z',
    data: { webhookEndpointId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f' },
  },
};

/** One or more of each kind, made of the events that are the examples of the contract between services. */
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
    data: type.startsWith('checkout.')
      ? { kind: 'checkout', event: SessionEvent.fromJSON(event.data) }
      : { kind: 'subscription', event: SubscriptionEvent.fromJSON(event.data) },
  });
  return { name: file.replace('.json', ''), type, payload: JSON.parse(JSON.stringify(payload)) };
}
