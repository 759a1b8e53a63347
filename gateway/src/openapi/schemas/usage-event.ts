import { z } from 'zod';
import { decimal, id, listOf, metadata, time } from './scalars';

export const UsageEvent = z
  .object({
    id,
    eventId: z.string().meta({ description: "The caller's own; made where none was given." }),
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
    accepted: z.int().min(0).meta({ description: 'Stored by this call.' }),
    duplicates: z.int().min(0).meta({ description: 'Stored before with the same content.' }),
    rejected: z.array(
      z.object({
        index: z.int().min(0).meta({ description: 'Its place in the batch, from 0.' }),
        eventId: z.string().nullable(),
        error: z.string(),
      }),
    ),
  })
  .meta({ id: 'IngestResult' });
