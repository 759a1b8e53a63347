import { z } from 'zod';
import type { ApiKey, KeyCreator } from '../gen/billing/identity/v1/identity';
import { keyCreatorKinds } from '../values/identity';
import { id, time, toJsonOptionalTime, toJsonTime } from './scalars';

export const ApiKeyJson = z
  .object({
    id,
    name: z.string(),
    prefix: z.string(),
    last4: z.string(),
    scopes: z.array(z.string()),
    expiresAt: time.nullable(),
    lastUsedAt: time.nullable(),
    revokedAt: time.nullable(),
    createdBy: z.object({
      type: z.enum(['KEY', 'OPERATOR', 'SYSTEM']),
      id: id.nullable().meta({ description: 'Id of the key or operator; null for SYSTEM.' }),
    }),
    createdAt: time,
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyJson = z.infer<typeof ApiKeyJson>;

/** API key in REST responses, without the key itself. An empty list of scopes means all scopes. */
export function toJsonApiKey(apiKey: ApiKey): ApiKeyJson {
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

function toJsonKeyCreator(creator: KeyCreator | undefined): ApiKeyJson['createdBy'] {
  const type = creator === undefined ? 'SYSTEM' : keyCreatorKinds.nameOf(creator.kind);
  return { type, id: type === 'SYSTEM' ? null : (creator?.id ?? null) };
}
