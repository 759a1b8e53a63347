import { z } from 'zod';
import { decimal, id, listOf, metadata, time } from './scalars';

const UsageEvent = z
  .object({
    id,
    eventId: z
      .string()
      .meta({ description: 'Your event id, or a generated one if you sent none.' }),
    customerId: id,
    meterId: id,
    quantity: decimal,
    timestamp: time,
    properties: metadata,
    receivedAt: time,
  })
  .meta({ id: 'UsageEvent' });

export const UsageEventList = listOf(UsageEvent, 'UsageEventList');

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
