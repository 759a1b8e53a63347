import { z } from 'zod';

export const ErrorBody = z.object({ error: z.string() }).meta({
  id: 'Error',
  description: 'Human-readable message. Programs should use the header `Error-Code`.',
});

export const InvalidRequestBody = z
  .object({ error: z.union([z.record(z.string(), z.array(z.string()).min(1)), z.string()]) })
  .meta({
    id: 'InvalidRequest',
    description:
      'Each invalid field with its problems, or one sentence if the body as a whole is invalid.',
    examples: [{ error: { email: ['Required'] } }],
  });

export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
