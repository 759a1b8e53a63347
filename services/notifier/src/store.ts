import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { WebhookEndpoint } from './webhook-endpoint';

interface EndpointDocument {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly active: boolean;
  readonly secret: string;
  readonly deletedAt: Date | null;
}

/** How endpoints are stored. They announce nothing. */
export const webhookEndpoints: AggregateDefinition<WebhookEndpoint> = {
  collection: 'webhookEndpoints',
  aggregate: 'webhook_endpoint',
  resource: 'Webhook endpoint',
  toDocument: ({ url, events, description, active, secret, deletedAt }): EndpointFields => ({
    url,
    events,
    description: description ?? null,
    active,
    secret,
    deletedAt: deletedAt ?? null,
  }),
  fromDocument: (document) => {
    const { url, events, description, active, secret, deletedAt } =
      document as unknown as EndpointDocument;
    return {
      id: document._id,
      url,
      events,
      description: description ?? undefined,
      active,
      secret,
      deletedAt: deletedAt ?? undefined,
    };
  },
  indexes: [{ name: 'known', keys: { deletedAt: 1, createdAt: -1, _id: -1 } }],
};

type EndpointFields = EndpointDocument & Record<string, unknown>;
