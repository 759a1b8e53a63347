import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, everyScope } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import type {
  ApiKey as ProtoApiKey,
  CreateApiKeyRequest,
  IdentityServiceServer,
  KeyCreator as ProtoKeyCreator,
} from '@billing/proto/billing/identity/v1/identity';
import { invalidInput } from '@billing/kernel/domain-error';
import { keyCreatorKinds } from '@billing/proto/values/identity';
import { keyScopes } from '@billing/proto/values/path-segments';
import { type ApiKey, invalidApiKey, isValid, type KeyCreator, validateKeyInput } from './api-key';
import type { ApiKeyStore } from './api-key-store';
import type { ApiKeyUseStore } from './use-store';
import type { Environment } from '../environment/environment';
import { toProtoEnvironment } from '../environment/environment-message';
import type { KeyLineage } from './lineage-store';

export interface ApiKeyRpcDependencies {
  readonly apiKeys: ApiKeyStore;
  readonly apiKeyUses: ApiKeyUseStore;
  readonly lineage: KeyLineage;
  readonly environments: AggregateCollection<Environment>;
  /** Called when a key of a live environment is used. */
  readonly noteLiveUse: () => void;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<IdentityServiceServer>,
  'authenticate' | 'createApiKey' | 'listApiKeys' | 'revokeApiKey'
>;

export function apiKeyHandlers(dependencies: ApiKeyRpcDependencies): Handlers {
  const { apiKeys, apiKeyUses, lineage, environments, noteLiveUse, clock } = dependencies;
  return {
    authenticate: async ({ key }) => {
      const found = await apiKeys.find(key);
      const now = clock.now();
      if (found === undefined || !isValid(found.state, now)) throw invalidApiKey();
      const { state, tenant } = found;
      const environment = await environments.within({ tenant, now }).find(tenant.environmentId);
      if (environment === undefined || environment.state.deletedAt !== undefined) {
        throw invalidApiKey();
      }
      if (environment.state.kind === 'LIVE') noteLiveUse();
      const hash = apiKeys.replacedHash(key, found);
      apiKeyUses.record(found, { environment: environment.state, hash, now });
      return {
        environment: toProtoEnvironment(environment, now),
        apiKeyId: state.id,
        scopes: [...state.scopes],
        expiresAt: state.expiresAt,
      };
    },

    createApiKey: (request, context) => createApiKey(request, context, dependencies),

    listApiKeys: async (request, context) => {
      const wanted = { ...readPage(request), id: request.id };
      const { data, total } = await apiKeys.list(context, wanted);
      return { apiKeys: data.map(toProtoApiKey), total };
    },

    revokeApiKey: async ({ id, descendants }, context) => {
      const revoked = await apiKeys.revoke(id, context);
      if (descendants) await lineage.revokeDescendants(id, revoked.tenant.organizationId);
      return { apiKey: toProtoApiKey(revoked) };
    },
  };
}

async function createApiKey(
  { createdBy: creator, ...sent }: CreateApiKeyRequest,
  context: CallContext,
  { apiKeys, lineage, environments, clock }: ApiKeyRpcDependencies,
) {
  const { tenant: caller, scopes, resourceSeed, storing } = context;
  const { environmentId: creatorEnvironmentId } = caller;
  const now = clock.now();
  const callerScopes = scopes.includes(everyScope) ? ('ALL' as const) : scopes;
  const createdBy = fromProtoCreator(creator);
  const { key, stored } = await lineage.issueFor(createdBy, context, async (creatorExpiresAt) => {
    const limits = { knownScopes: keyScopes, callerScopes, creatorExpiresAt, now };
    const input = validateKeyInput(sent, limits);
    const { state, tenant } = await environments
      .within({ tenant: caller, now })
      .get(creatorEnvironmentId);
    const made = { kind: state.kind, createdBy, creatorEnvironmentId, resourceSeed, storing };
    return apiKeys.issue({ tenant, ...made }, input);
  });
  return { key, apiKey: toProtoApiKey(stored) };
}

function toProtoApiKey({ state, createdAt }: Stored<ApiKey>): ProtoApiKey {
  const { id, name, prefix, last4, scopes, expiresAt, revokedAt, lastUsedAt, createdBy } = state;
  return {
    id,
    name,
    prefix,
    last4,
    scopes: [...scopes],
    expiresAt,
    revokedAt,
    lastUsedAt,
    createdBy: toProtoCreator(createdBy),
    createdAt,
  };
}

/** Maps a creator; absent means the system. */
export function fromProtoCreator(creator: ProtoKeyCreator | undefined): KeyCreator {
  const type = keyCreatorKinds.sentName(creator?.kind ?? 0);
  if (type === 'UNKNOWN') throw invalidInput({ createdBy: ['Unknown kind'] });
  if (creator === undefined || type === undefined || type === 'SYSTEM') return { type: 'SYSTEM' };
  return { type, id: creator.id };
}

function toProtoCreator(creator: KeyCreator): ProtoKeyCreator {
  const id = creator.type === 'SYSTEM' ? '' : creator.id;
  return { kind: keyCreatorKinds.valueOf(creator.type), id };
}
