import { z } from 'zod';
import { type Meter } from '../gen/billing/metering/v1/metering';
import { id, metadata, toJsonMetadata, toJsonTime, timestamps } from './scalars';
import { aggregations } from '../values/metering';

export const MeterJson = z
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
export type MeterJson = z.infer<typeof MeterJson>;

/** Meter in REST responses. */
export function toJsonMeter(meter: Meter): MeterJson {
  return {
    id: meter.id,
    organizationId: meter.organizationId,
    name: meter.name,
    aggregation: aggregations.nameOf(meter.aggregation),
    uniqueProperty: meter.uniqueProperty ?? null,
    unit: meter.unit ?? null,
    active: meter.active,
    metadata: toJsonMetadata(meter.metadata),
    createdAt: toJsonTime(meter.createdAt),
    updatedAt: toJsonTime(meter.updatedAt),
  };
}
