import { z } from 'zod';
import { id, listOf, time } from './scalars';

const ApiKey = z
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

export const NewApiKey = ApiKey.extend({
  key: z.string().nullable().meta({
    description: 'The secret key, returned only once; null in an idempotent replay.',
  }),
}).meta({ id: 'NewApiKey' });

export const ApiKeyList = listOf(ApiKey, 'ApiKeyList');
