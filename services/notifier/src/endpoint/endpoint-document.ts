import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { DataKeys } from '@billing/chassis/data-keys';
import { headerPrefixDefault } from './signature';
import type { WebhookEndpoint, RetiredSecret } from './endpoint';

interface EndpointDocument {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly active: boolean;
  /** Absent in endpoints that were stored before it could be chosen. */
  readonly headerPrefix?: string;
  readonly secret: string;
  /** Absent in endpoints that were stored before secrets could be rotated. */
  readonly retiredSecrets?: readonly RetiredSecret[];
  readonly rotationId?: string | null;
  /** Absent in endpoints that were stored before the field existed. */
  readonly failuresCountFrom?: Date | null;
  readonly deletedAt: Date | null;
}

/**
 * The stored form of endpoints: their secrets encrypted, because a secret allows forging webhooks.
 * A secret stored in plain text by an earlier release is encrypted with the next write of its
 * endpoint. Endpoints announce no events.
 */
export const webhookEndpoints = (keys: DataKeys): AggregateDefinition<WebhookEndpoint> => ({
  collection: 'webhookEndpoints',
  aggregate: 'webhook_endpoint',
  resource: 'Webhook endpoint',
  search: {
    revision: 2,
    findableOf: ({ url, description, deletedAt }) =>
      deletedAt === undefined ? { texts: [url, description] } : undefined,
  },
  toDocument: ({
    url,
    events,
    description,
    active,
    headerPrefix,
    secret,
    ...rest
  }): EndpointFields => ({
    url,
    events,
    description: description ?? null,
    active,
    headerPrefix,
    secret: sealed(secret, keys),
    retiredSecrets: rest.retiredSecrets.map((retired) => ({
      ...retired,
      secret: sealed(retired.secret, keys),
    })),
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
      headerPrefix: rest.headerPrefix ?? headerPrefixDefault,
      secret: keys.open(secret),
      retiredSecrets: (rest.retiredSecrets ?? []).map((retired) => ({
        ...retired,
        secret: keys.open(retired.secret),
      })),
      rotationId: rest.rotationId ?? undefined,
      failuresCountFrom: rest.failuresCountFrom ?? undefined,
      deletedAt: rest.deletedAt ?? undefined,
    };
  },
  indexes: [{ name: 'known', keys: { deletedAt: 1, createdAt: -1, _id: -1 } }],
});

// A deleted endpoint has no secret.
function sealed(secret: string, keys: DataKeys): string {
  return secret === '' ? '' : keys.seal(secret);
}

type EndpointFields = EndpointDocument & Record<string, unknown>;
