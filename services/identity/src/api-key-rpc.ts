import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/page';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  ApiKey as ProtoApiKey,
  IdentityServiceServer,
} from '@billing/proto/billing/identity/v1/identity';
import { type ApiKey, checkWish, invalidApiKey, isGood } from './api-key';
import type { ApiKeyStore } from './api-key-store';
import type { ApiKeyUseStore } from './api-key-use-store';
import type { Environment } from './environment';
import { toProtoEnvironment } from './environment-rpc';

/** What the calls about keys work with. */
export interface ApiKeyRpcOptions {
  readonly apiKeys: ApiKeyStore;
  readonly apiKeyUses: ApiKeyUseStore;
  readonly environments: AggregateCollection<Environment>;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<IdentityServiceServer>,
  'authenticate' | 'createApiKey' | 'listApiKeys' | 'revokeApiKey'
>;

export function apiKeyHandlers(options: ApiKeyRpcOptions): Handlers {
  const { apiKeys, apiKeyUses, environments, clock } = options;
  return {
    authenticate: async ({ key }) => {
      const found = await apiKeys.find(key);
      const now = clock.now();
      if (found === undefined || !isGood(found.state, now)) throw invalidApiKey();
      const { state, tenant } = found;
      const environment = await environments.within({ tenant, now }).get(tenant.environmentId);
      apiKeyUses.note(found, now);
      return {
        environment: toProtoEnvironment(environment, now),
        apiKeyId: state.id,
        scopes: [...state.scopes],
        expiresAt: state.expiresAt,
      };
    },

    createApiKey: async ({ name, scopes, expiresAt }, context) => {
      const { tenant: caller, scopes: callerScopes, resourceSeed } = context;
      const now = clock.now();
      const wish = checkWish({ name, scopes, expiresAt }, { callerScopes, now });
      const { state, tenant } = await environments
        .within({ tenant: caller, now })
        .get(caller.environmentId);
      const { key, stored } = await apiKeys.issue({ tenant, kind: state.kind, resourceSeed }, wish);
      return { key, apiKey: toProtoApiKey(stored) };
    },

    listApiKeys: async (request, context) => {
      const { data, total } = await apiKeys.list(context, readPage(request));
      return { apiKeys: data.map(toProtoApiKey), total };
    },

    revokeApiKey: async ({ id }, context) => ({
      apiKey: toProtoApiKey(await apiKeys.revoke(id, context)),
    }),
  };
}

function toProtoApiKey({ state, createdAt }: Stored<ApiKey>): ProtoApiKey {
  const { id, name, prefix, last4, scopes, expiresAt, revokedAt, lastUsedAt } = state;
  return {
    id,
    name,
    prefix,
    last4,
    scopes: [...scopes],
    expiresAt,
    revokedAt,
    lastUsedAt,
    createdAt,
  };
}
