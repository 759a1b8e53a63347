import { z } from 'zod';
import { id, listOf, time } from './scalars';

export const ApiKey = z
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
      id: id.nullable().meta({ description: 'The key or operator; null for the system.' }),
    }),
    createdAt: time,
  })
  .meta({ id: 'ApiKey' });

export const NewApiKey = ApiKey.extend({
  key: z.string().nullable().meta({
    description: 'Shown this once; null in a repeated answer.',
  }),
}).meta({ id: 'NewApiKey' });

export const ApiKeyList = listOf(ApiKey, 'ApiKeyList');
