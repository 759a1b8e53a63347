import { retryTransient } from '@billing/chassis/mongo';
import { type BucketCollections, deleteUnreadSpan } from './bucket-store';

const dayMs = 24 * 60 * 60_000;
/** A span that was not read for this long is deleted; a later read builds it again. */
const unreadMsMax = 40 * dayMs;
const batchMax = 200;

/** Spans that are no longer read, across all environments. */
export class UnreadSpanStore {
  constructor(private readonly collections: Pick<BucketCollections, 'spans' | 'values'>) {}

  /** Deletes some unread spans. Returns false if there are none left. */
  async deleteSome(now: Date): Promise<boolean> {
    const readAt = { $lt: new Date(now.getTime() - unreadMsMax) };
    const found = await retryTransient(() =>
      this.collections.spans.find({ readAt }).sort({ readAt: 1 }).limit(batchMax).toArray(),
    );
    for (const span of found) await deleteUnreadSpan(this.collections, span);
    return found.length === batchMax;
  }
}
