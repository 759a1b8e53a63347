import type { Collection } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { never, type SeriesDocument } from './store';

/** Series due for sealing, across all environments. */
export class SeriesStore {
  constructor(private readonly series: Collection<SeriesDocument>) {}

  /** Returns the series that have been due longest. */
  async findDue(now: Date, limit: number): Promise<SeriesDocument[]> {
    return retryTransient(() =>
      this.series
        .find({ sealAt: { $lte: now } })
        .sort({ sealAt: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /**
   * Claims a series; false if another process claimed it first. The next use of the series
   * schedules it again.
   */
  async claim({ _id, environmentId, sealAt }: SeriesDocument): Promise<boolean> {
    const { modifiedCount } = await retryTransient(() =>
      this.series.updateOne({ _id, environmentId, sealAt }, { $set: { sealAt: never } }),
    );
    return modifiedCount > 0;
  }
}
