import { z } from 'zod';

/** Envelope of a paginated list. */
export function listOf<T extends z.ZodType>(item: T, name: string) {
  return z
    .object({
      data: z.array(item),
      total: z.int().min(0).meta({ description: 'Number of items on all pages.' }),
      page: z.int().min(1),
      perPage: z.int().min(1).max(100),
    })
    .meta({ id: name });
}
