import type { ApiKey, KeyCreator } from '../gen/billing/identity/v1/identity';
import { keyCreatorKinds } from '../values/identity';
import { toJsonOptionalTime, toJsonTime } from './scalars';

/** API key in REST responses, without the key itself. An empty list of scopes means all scopes. */
export function toJsonApiKey(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    prefix: apiKey.prefix,
    last4: apiKey.last4,
    scopes: apiKey.scopes,
    expiresAt: toJsonOptionalTime(apiKey.expiresAt),
    lastUsedAt: toJsonOptionalTime(apiKey.lastUsedAt),
    revokedAt: toJsonOptionalTime(apiKey.revokedAt),
    createdBy: toJsonKeyCreator(apiKey.createdBy),
    createdAt: toJsonTime(apiKey.createdAt),
  };
}

function toJsonKeyCreator(creator: KeyCreator | undefined) {
  const type = creator === undefined ? 'SYSTEM' : keyCreatorKinds.nameOf(creator.kind);
  return { type, id: type === 'SYSTEM' ? null : (creator?.id ?? null) };
}
