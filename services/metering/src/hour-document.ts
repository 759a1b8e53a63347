import type { EventPlace, PartialTotal } from './aggregation';
import type { DistinctValuesStore, KeptValues, ValueChunk } from './distinct-values-store';
import type { PendingBatch, SeriesHour, UsageHour } from './usage-hour';

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

/** A total in the database. */
export type StoredTotal = Omit<PartialTotal, 'distinct' | 'events' | 'latest'> &
  Omit<KeptValues, 'chunks'> & {
    readonly events: Count;
    readonly latest: (Omit<EventPlace, 'arrival'> & { readonly arrival: Count }) | null;
    readonly chunks: Count;
  };

/** An hour of a series in the database. */
export interface HourDocument extends SeriesHour {
  /** `<environment>:<customer>:<meter>:<hour in ms>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly version: Count;
  readonly pending: readonly PendingBatch[];
  readonly total: StoredTotal | null;
}

/** Hours with the distinct values that stand apart from them. */
export async function hoursWithValues(
  documents: readonly HourDocument[],
  values: DistinctValuesStore,
): Promise<(UsageHour & SeriesHour)[]> {
  const split = documents.filter(({ total }) => total !== null && Number(total.chunks) > 0);
  const chunks = await values.ofHours(split.map(({ _id }) => _id));
  return documents.map((document) => {
    const { total, customerId, meterId } = document;
    const own = chunks.filter(({ sealId }) => sealId === total?.sealId);
    // Else somebody seals the hour anew at this moment: its events are read instead.
    const isWhole = own.length === Number(total?.chunks);
    const whole = total !== null && isWhole ? totalIn(total, own) : null;
    return { ...hourIn(document), customerId, meterId, total: whole };
  });
}

/** What is kept of an hour besides its total. */
export function hourIn({ hour, version, pending }: HourDocument): Omit<UsageHour, 'total'> {
  return { hour, version: Number(version), pending };
}

/** A total, with the distinct values that stand apart from it. */
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
