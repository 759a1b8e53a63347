import type { WebhookEndpoint } from '../gen/billing/notifier/v1/notifier';
import { toJsonTime } from './scalars';

/** Webhook endpoint in REST responses. */
export function toJsonWebhookEndpoint(endpoint: WebhookEndpoint) {
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
