import type { Collection, Filter } from 'mongodb';
import type { TenantFields } from '@billing/chassis/aggregate';
import { timelineOf, type Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { type SliceFilter, sliceOf } from '@billing/chassis/slices';
import { seriesOfKey } from '../usage/series-key';
import { upsertAll } from '../usage/upsert-store';
import type { FoldScheduler } from './fold-wakes';

/**
 * Schedule of a series that is folded. Series of earlier versions have other ids, and no `foldAt`.
 */
export interface FoldSeriesDocument extends TenantFields {
  /** Key of the series. */
  readonly _id: string;
  /** Epoch up to which the series was folded. */
  readonly folded: number | bigint;
  /** Real time of the next fold; null: the series sleeps. */
  readonly foldAt: Date | null;
  /** Real time of the last wake. */
  readonly wokenAt: Date;
  /** Decides which replica folds the series. Absent until the first wake by this version. */
  readonly slice?: number;
}

/** A series that gets events. */
export interface WokenSeries {
  readonly k: string;
  readonly tenant: Tenant;
}

/** A series is folded this long after it was woken, unless many parts are waiting. */
export const foldAfterMs = 60 * 60_000;
const backlogMax = 10_000;

/** Due times of folds, across all environments. */
export class FoldScheduleStore implements FoldScheduler<WokenSeries> {
  constructor(private readonly series: Collection<FoldSeriesDocument>) {}

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.series, [
      { name: 'foldAt', key: { foldAt: 1 } },
      { name: 'foldInSlice', key: { slice: 1, foldAt: 1 } },
    ]);
  }

  /** Makes series due in an hour unless they are due earlier. */
  async wake(woken: readonly WokenSeries[], now: Date): Promise<void> {
    const foldAt = new Date(now.getTime() + foldAfterMs);
    await upsertAll(
      this.series,
      woken.flatMap(({ k, tenant }) => {
        const { customerId, meterId } = seriesOfKey(k);
        const series = { ...ownerFields(tenant), customerId, meterId };
        const $setOnInsert = { ...series, folded: 0, foldAt };
        const update = { $setOnInsert, $set: { slice: sliceOf(k) }, $max: { wokenAt: now } };
        return [
          { updateOne: { filter: { _id: k }, update, upsert: true } },
          { updateOne: { filter: { _id: k, foldAt: null }, update: { $set: { foldAt } } } },
        ];
      }),
    );
  }

  /** Makes series due now: many of their parts are not folded. */
  async request(keys: readonly string[], now: Date): Promise<void> {
    await retryTransient(() =>
      this.series.updateMany({ _id: { $in: [...keys] } }, { $min: { foldAt: now } }),
    );
  }

  /** Returns the series of some slices that have been due longest. */
  async findDue(
    now: Date,
    { slices, limit }: { readonly slices: SliceFilter; readonly limit: number },
  ): Promise<FoldSeriesDocument[]> {
    return retryTransient(() =>
      this.series
        .find({ ...slices, foldAt: { $lte: now } } as Filter<FoldSeriesDocument>)
        .sort({ foldAt: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Counts series that are due, and returns the time since which the first of them waits. */
  async backlog(now: Date): Promise<{ readonly series: number; readonly since: Date | null }> {
    const isDue = { foldAt: { $lte: now } };
    const [series, first] = await Promise.all([
      retryTransient(() => this.series.countDocuments(isDue, { limit: backlogMax })),
      retryTransient(() => this.series.findOne(isDue, { sort: { foldAt: 1 } })),
    ]);
    return { series, since: first?.foldAt ?? null };
  }

  /** Makes a due series due at another time; false if another process did so first. */
  async claim({ _id, foldAt }: FoldSeriesDocument, nextAt: Date): Promise<boolean> {
    const { modifiedCount } = await retryTransient(() =>
      this.series.updateOne({ _id, foldAt }, { $set: { foldAt: nextAt } }),
    );
    return modifiedCount > 0;
  }

  /** Lets a claimed series sleep unless it was woken or requested since. */
  async sleep({ _id, foldAt, wokenAt }: FoldSeriesDocument): Promise<void> {
    await retryTransient(() =>
      this.series.updateOne({ _id, foldAt, wokenAt }, { $set: { foldAt: null } }),
    );
  }
}

function ownerFields(tenant: Tenant): TenantFields {
  const { organizationId, environmentId, live } = tenant;
  return { organizationId, environmentId, live, timeline: timelineOf(tenant) };
}
