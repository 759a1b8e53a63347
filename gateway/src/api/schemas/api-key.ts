import { z } from 'zod';
import { ApiKeyJson } from '@billing/proto/json/api-key';

export const NewApiKey = ApiKeyJson.extend({
  key: z.string().nullable().meta({
    description: 'The secret key, returned only once; null in an idempotent replay.',
  }),
}).meta({ id: 'NewApiKey' });
