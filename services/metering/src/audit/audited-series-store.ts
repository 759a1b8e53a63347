import type { Filter } from 'mongodb';
import { tenantOf } from '@billing/chassis/aggregate';
import { retryTransient } from '@billing/chassis/mongo';
import { inPages } from '@billing/chassis/visit-all';
import type { BucketCollections } from '../fold/bucket-store';
import type { FoldSeriesDocument } from '../fold/fold-schedule-store';
import type { Series, Span } from '../usage/hour';

/** Series of all environments whose hours are counted again. */
export class AuditedSeriesStore {
  constructor(private readonly collections: Pick<BucketCollections, 'series' | 'events'>) {}

  /** Series of a slice that got events after an instant. */
  ofSlice(slice: number, since: Date): AsyncIterable<FoldSeriesDocument> {
    return this.collections.series.find({ slice, wokenAt: { $gte: since } });
  }

  /** Series of all slices that got events after an instant. */
  touchedSince(since: Date): AsyncIterable<FoldSeriesDocument> {
    return inPages(this.collections.series, { wokenAt: { $gte: since } });
  }

  /** The first series at or after a key, of those whose keys start with a prefix. */
  async firstFrom(k: string, prefix: string): Promise<FoldSeriesDocument | null> {
    const _id = { $gte: k > prefix ? k : prefix, $lt: `${prefix}~` };
    // Series of earlier versions have other fields.
    const filter = { _id, wokenAt: { $exists: true } } as Filter<FoldSeriesDocument>;
    return retryTransient(() => this.collections.series.findOne(filter, { sort: { _id: 1 } }));
  }

  /** Real time from which on events are kept. */
  keptSince(): Promise<Date> {
    return this.collections.events.keptSince();
  }

  /** False if events of a series from an instant on may have been dropped. */
  hasAllEvents(document: FoldSeriesDocument, from: Date): Promise<boolean> {
    return this.collections.events.hasAll(tenantOf(document), from);
  }

  /** True if earlier versions stored events of the span, which are in no part. */
  async hasEarlierEvents(
    { environmentId, customerId, meterId }: Series & { readonly environmentId: string },
    { start, end }: Span,
  ): Promise<boolean> {
    const timestamp = { $gte: start, $lt: end };
    const filter = { environmentId, customerId, meterId, timestamp, flush: { $exists: false } };
    for (const events of await this.collections.events.all()) {
      if ((await retryTransient(() => events.findOne(filter))) !== null) return true;
    }
    return false;
  }
}
