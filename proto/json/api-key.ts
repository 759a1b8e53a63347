import type { ApiKey } from '../gen/billing/identity/v1/identity';
import { toJsonOptionalTime, toJsonTime } from './scalars';

/** An API key as REST shows it, without its text. No scopes are all scopes. */
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
    createdAt: toJsonTime(apiKey.createdAt),
  };
}
