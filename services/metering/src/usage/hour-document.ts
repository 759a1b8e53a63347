import type { EventPosition, PartialTotal } from '../meter/aggregation';
import type { DistinctValuesStore, StoredValues, ValueChunk } from './distinct-values-store';
import type { PendingBatch, SeriesHour, UsageHour } from './hour';

// The driver returns integers as number or bigint.
type Count = number | bigint;

/** A stored total. */
export type StoredTotal = Omit<PartialTotal, 'distinct' | 'events' | 'latest'> &
  Omit<StoredValues, 'chunks'> & {
    readonly events: Count;
    readonly latest: (Omit<EventPosition, 'arrival'> & { readonly arrival: Count }) | null;
    readonly chunks: Count;
  };

/** A stored hour of a series. */
export interface HourDocument extends SeriesHour {
  /** `<environment>:<customer>:<meter>:<hour in ms>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly version: Count;
  readonly pending: readonly PendingBatch[];
  readonly total: StoredTotal | null;
}

/** Adds to hours the distinct values stored in chunks. */
export async function hoursWithValues(
  documents: readonly HourDocument[],
  values: DistinctValuesStore,
): Promise<(UsageHour & SeriesHour)[]> {
  const split = documents.filter(({ total }) => total !== null && Number(total.chunks) > 0);
  const chunks = await values.ofHours(split.map(({ _id }) => _id));
  return documents.map((document) => {
    const { total, customerId, meterId } = document;
    const own = chunks.filter(({ sealId }) => sealId === total?.sealId);
    // A mismatch means that the hour is being sealed again at this moment: read its events instead.
    const isWhole = own.length === Number(total?.chunks);
    const whole = total !== null && isWhole ? totalIn(total, own) : null;
    return { ...hourIn(document), customerId, meterId, total: whole };
  });
}

/** The fields of an hour other than its total. */
export function hourIn({ hour, version, pending }: HourDocument): Omit<UsageHour, 'total'> {
  return { hour, version: Number(version), pending };
}

/** A total with the distinct values that are stored in chunks. */
export function totalIn(
  { events, quantity, latest, distinct }: StoredTotal,
  chunks: readonly ValueChunk[],
): PartialTotal {
  return {
    events: Number(events),
    quantity,
    latest: latest === null ? null : { ...latest, arrival: Number(latest.arrival) },
    distinct: [...distinct, ...chunks.flatMap(({ values }) => values)],
  };
}
