import { z } from 'zod';
import { id, metadata, timestamps } from './scalars';

export const Meter = z
  .object({
    id,
    organizationId: id,
    name: z.string().meta({ examples: ['API calls'] }),
    aggregation: z.enum(['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT']),
    uniqueProperty: z
      .string()
      .nullable()
      .meta({ description: 'The event property whose values are counted; of UNIQUE_COUNT alone.' }),
    unit: z.string().nullable(),
    active: z.boolean().meta({ description: 'Whether it takes events.' }),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Meter' });

export const MeterList = z.array(Meter).meta({ id: 'MeterList' });
