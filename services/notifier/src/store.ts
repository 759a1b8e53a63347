import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { RetiredSecret } from './endpoint-secret';
import type { WebhookEndpoint } from './webhook-endpoint';

interface EndpointDocument {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly active: boolean;
  readonly secret: string;
  /** Absent in endpoints that were stored before secrets could be rotated. */
  readonly retiredSecrets?: readonly RetiredSecret[];
  readonly rotationId?: string | null;
  /** Absent in endpoints that were stored before there was such a time. */
  readonly failuresCountFrom?: Date | null;
  readonly deletedAt: Date | null;
}

/** How endpoints are stored. They announce nothing. */
export const webhookEndpoints: AggregateDefinition<WebhookEndpoint> = {
  collection: 'webhookEndpoints',
  aggregate: 'webhook_endpoint',
  resource: 'Webhook endpoint',
  toDocument: ({ url, events, description, active, secret, ...rest }): EndpointFields => ({
    url,
    events,
    description: description ?? null,
    active,
    secret,
    retiredSecrets: rest.retiredSecrets,
    rotationId: rest.rotationId ?? null,
    failuresCountFrom: rest.failuresCountFrom ?? null,
    deletedAt: rest.deletedAt ?? null,
  }),
  fromDocument: (document) => {
    const { url, events, description, active, secret, ...rest } =
      document as unknown as EndpointDocument;
    return {
      id: document._id,
      url,
      events,
      description: description ?? undefined,
      active,
      secret,
      retiredSecrets: rest.retiredSecrets ?? [],
      rotationId: rest.rotationId ?? undefined,
      failuresCountFrom: rest.failuresCountFrom ?? undefined,
      deletedAt: rest.deletedAt ?? undefined,
    };
  },
  indexes: [{ name: 'known', keys: { deletedAt: 1, createdAt: -1, _id: -1 } }],
};

type EndpointFields = EndpointDocument & Record<string, unknown>;
