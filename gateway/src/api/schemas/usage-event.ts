import { z } from 'zod';

export const IngestResult = z
  .object({
    accepted: z.int().min(0).meta({ description: 'Number of events stored by this request.' }),
    duplicates: z
      .int()
      .min(0)
      .meta({ description: 'Number of events already stored with the same content.' }),
    rejected: z.array(
      z.object({
        index: z.int().min(0).meta({ description: 'Position in the batch, starting at 0.' }),
        eventId: z.string().nullable(),
        error: z.string(),
      }),
    ),
  })
  .meta({ id: 'IngestResult' });
