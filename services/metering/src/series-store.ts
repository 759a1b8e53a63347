import type { Collection } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { never, type SeriesDocument } from './usage-store';

/** Series of every environment that somebody has to look at. */
export class SeriesStore {
  constructor(private readonly series: Collection<SeriesDocument>) {}

  /** Those that have waited longest. */
  async findDue(now: Date, limit: number): Promise<SeriesDocument[]> {
    return retryTransient(() =>
      this.series
        .find({ sealAt: { $lte: now } })
        .sort({ sealAt: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Takes a series; false where somebody else was faster. Whoever uses it from now on sets the time anew. */
  async take({ _id, environmentId, sealAt }: SeriesDocument): Promise<boolean> {
    const { modifiedCount } = await retryTransient(() =>
      this.series.updateOne({ _id, environmentId, sealAt }, { $set: { sealAt: never } }),
    );
    return modifiedCount > 0;
  }
}
