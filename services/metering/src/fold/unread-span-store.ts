import { retryTransient } from '@billing/chassis/mongo';
import { ValueStore } from '../distinct/value-store';
import type { SpanDocument } from './bucket-document';
import type { BucketCollections } from './bucket-store';

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
    for (const span of found) await this.deleteOne(span, readAt);
    return found.length === batchMax;
  }

  /**
   * Makes the span a stub first: no read then refers to its values. A read that builds the span
   * again announces it, which makes it a span in use, and stores values of a later version.
   */
  private async deleteOne(
    { _id, k, environmentId, version }: SpanDocument,
    readAt: { readonly $lt: Date },
  ): Promise<void> {
    const { spans, values } = this.collections;
    const stubVersion = Number(version) + 1;
    const { matchedCount } = await retryTransient(() =>
      spans.updateOne(
        { _id, k, version, readAt },
        { $set: { building: true, version: stubVersion } },
      ),
    );
    if (matchedCount === 0) return;
    await new ValueStore(values, { environmentId, k }).deleteUpTo(_id, stubVersion);
    await retryTransient(() => spans.deleteOne({ _id, k, version: stubVersion, readAt }));
  }
}
