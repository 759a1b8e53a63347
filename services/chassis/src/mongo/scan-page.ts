import type { Collection, Document, Filter, WithId } from 'mongodb';
import { retryTransient } from './mongo';

/** Position in a scan. */
export interface ScanPosition {
  readonly at: Date;
  readonly id: string;
}

/** Part of a scan. */
export interface ScanRange {
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  /** Last position of the page before. */
  readonly after?: ScanPosition | undefined;
}

/** True if a time is in a range. */
export function isWithin(time: Date, { from, to }: ScanRange): boolean {
  return (from === undefined || time >= from) && (to === undefined || time < to);
}

const startOfTime = new Date(-8.64e15);
const endOfTime = new Date(8.64e15);

/**
 * Reads the next documents in the order of a time field `by`, then of `_id`. An index has to begin
 * with the fields of the filter and these two. Two queries, because a single one would need `$or`,
 * with which servers sort all matches.
 */
export async function scanPage<D extends Document & { readonly _id: string }>(
  documents: Collection<D>,
  {
    filter,
    by,
    limit,
  }: {
    readonly filter: Readonly<Record<string, unknown>>;
    readonly by: string;
    readonly limit: number;
  },
  { from, to, after }: ScanRange,
): Promise<WithId<D>[]> {
  const read = (part: Readonly<Record<string, unknown>>, count: number) =>
    retryTransient(() =>
      documents
        .find({ ...filter, ...part } as Filter<D>)
        .sort({ [by]: 1, _id: 1 })
        .limit(count)
        .toArray(),
    );
  const end = to ?? endOfTime;
  if (after === undefined) return read({ [by]: { $gte: from ?? startOfTime, $lt: end } }, limit);
  const sameTime = await read({ [by]: after.at, _id: { $gt: after.id } }, limit);
  const left = limit - sameTime.length;
  if (left === 0) return sameTime;
  return [...sameTime, ...(await read({ [by]: { $gt: after.at, $lt: end } }, left))];
}
