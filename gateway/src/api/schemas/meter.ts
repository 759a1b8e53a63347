import { z } from 'zod';
import { id, metadata, timestamps } from './scalars';

export const Meter = z
  .object({
    id,
    organizationId: id,
    name: z.string().meta({ examples: ['API calls'] }),
    aggregation: z.enum(['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT']),
    uniqueProperty: z.string().nullable().meta({
      description: 'Event property whose distinct values are counted. Only for UNIQUE_COUNT.',
    }),
    unit: z.string().nullable(),
    active: z.boolean().meta({ description: 'Whether the meter accepts events.' }),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Meter' });

export const MeterList = z.array(Meter).meta({ id: 'MeterList' });
