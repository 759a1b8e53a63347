import { z } from 'zod';
import type { WebhookEndpoint } from '../../gen/billing/notifier/v1/notifier';
import { id, toJsonTime, timestamps } from '../scalars';

export const WebhookEndpointJson = z
  .object({
    id,
    organizationId: id,
    url: z.string(),
    events: z.array(z.string()).meta({
      description:
        'Event types, `<resource>.*` for all events of a resource, or `*` for all events, including those of later releases.',
      examples: [['subscription.*', 'checkout.completed']],
    }),
    description: z.string().nullable(),
    active: z.boolean(),
    headerPrefix: z.string().meta({
      description: 'Prefix of the headers `<prefix>-Event` and `<prefix>-Signature`.',
      examples: ['Billing'],
    }),
    ...timestamps,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpointJson = z.infer<typeof WebhookEndpointJson>;

/** Webhook endpoint in REST responses. */
export function toJsonWebhookEndpoint(endpoint: WebhookEndpoint): WebhookEndpointJson {
  return {
    id: endpoint.id,
    organizationId: endpoint.organizationId,
    url: endpoint.url,
    events: endpoint.events,
    description: endpoint.description ?? null,
    active: endpoint.active,
    headerPrefix: endpoint.headerPrefix,
    createdAt: toJsonTime(endpoint.createdAt),
    updatedAt: toJsonTime(endpoint.updatedAt),
  };
}
