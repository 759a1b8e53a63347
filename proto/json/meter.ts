import { type Meter } from '../gen/billing/metering/v1/metering';
import { toJsonMetadata, toJsonTime } from './scalars';
import { aggregations } from '../values/metering';

/** Meter in REST responses. */
export function toJsonMeter(meter: Meter) {
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
