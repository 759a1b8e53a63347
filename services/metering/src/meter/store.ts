import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { retryTransient } from '@billing/chassis/mongo';
import type { Meter } from './meter';

type MeterDocument = Omit<Meter, 'id' | 'metadata'> & {
  /** JSON text: the keys may contain dots, which the database would read as paths. */
  readonly metadata: string;
};

/** Meters as documents. */
export const meterDefinition: AggregateDefinition<Meter> = {
  collection: 'meters',
  aggregate: 'meter',
  resource: 'Meter',
  indexes: [{ name: 'known', keys: { deletedAt: 1, createdAt: -1, _id: -1 } }],
  toDocument: ({ id: _id, ...meter }): MeterDocument => ({
    ...meter,
    metadata: JSON.stringify(meter.metadata),
  }),
  fromDocument: (document) => {
    const { _id: id, ...meter } = document as MeterDocument & { readonly _id: string };
    return {
      id,
      name: meter.name,
      aggregation: meter.aggregation,
      uniqueProperty: meter.uniqueProperty,
      unit: meter.unit,
      active: meter.active,
      metadata: JSON.parse(meter.metadata) as Record<string, unknown>,
      inUse: meter.inUse,
      deletedAt: meter.deletedAt,
    };
  },
};

/** List filter: meters that are not deleted, optionally only active or only inactive ones. */
export function knownMeters(active?: boolean): Record<string, unknown> {
  return { deletedAt: null, ...(active !== undefined && { active }) };
}

/** Meters of any environments by id, for work on the events of all. */
export async function findMeters(
  { documents }: AggregateCollection<Meter>,
  ids: readonly string[],
): Promise<Map<string, Meter>> {
  const found = await retryTransient(() => documents.find({ _id: { $in: [...ids] } }).toArray());
  return new Map(found.map((document) => [document._id, meterDefinition.fromDocument(document)]));
}
