import { z } from 'zod';

export const ErrorBody = z
  .object({ error: z.string() })
  .meta({ id: 'Error', description: 'One sentence for people; programs read `Error-Code`.' });

export const InvalidRequestBody = z
  .object({ error: z.union([z.record(z.string(), z.array(z.string()).min(1)), z.string()]) })
  .meta({
    id: 'InvalidRequest',
    description:
      'Each wrong field with what is wrong with it; one sentence where it is the body as a whole.',
    examples: [{ error: { email: ['Required'] } }],
  });

export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
