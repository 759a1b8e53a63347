import type { Collection, Db } from 'mongodb';
import type { TenantFields } from '@billing/chassis/aggregate';
import { retryUpsert } from '@billing/chassis/inserts';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { sliceOf } from '@billing/chassis/slices';
import type { FoldSeriesDocument } from '../fold/fold-schedule-store';
import type { PartialTotal } from '../meter/aggregation';
import type { EventCollections, EventDocument } from '../usage/event-store';
import type { Series } from '../usage/hour';
import { seriesKey } from '../usage/series-key';

// The driver returns integers as number or bigint.
type Count = number | bigint;

/** A series that earlier versions counted, with `<environment>:<customer>:<meter>` as its id. */
export interface EarlierSeries extends Series, TenantFields {
  readonly _id: string;
  /** Before this instant, hours that are not stored have no events; null: unknown. */
  readonly sealedUntil: Date | null;
  /** Present only in series of earlier versions. */
  readonly sealAt: Date;
}

/** An hour of earlier versions, with `<environment>:<customer>:<meter>:<ms>` as its id. */
export interface EarlierHour {
  readonly _id: string;
  readonly environmentId: string;
  readonly hour: Date;
  /** Batches that may have been storing events; the total is not valid with any. */
  readonly pending: readonly unknown[];
  readonly total: EarlierTotal | null;
}

interface EarlierTotal extends Pick<PartialTotal, 'quantity' | 'distinct'> {
  readonly events: Count;
  readonly latest:
    (Omit<NonNullable<PartialTotal['latest']>, 'arrival'> & { readonly arrival: Count }) | null;
  /** Documents with further distinct values. */
  readonly chunks: Count;
}

type SeriesDocument = EarlierSeries | (FoldSeriesDocument & Series);

interface EarlierCollections {
  readonly events: EventCollections;
  readonly series: Collection<SeriesDocument>;
  readonly hours: Collection<EarlierHour>;
  readonly chunks: Collection<{ readonly _id: string; environmentId: string; hourId: string }>;
  readonly days: Collection<Series & { readonly environmentId: string }>;
}

// Later than any due time.
const never = new Date(8.64e15);

/** Usage that earlier versions stored by hour. */
export class EarlierUsageStore {
  private readonly collections: EarlierCollections;

  constructor(db: Db, events: EventCollections) {
    this.collections = {
      events,
      series: db.collection('usageSeries'),
      hours: db.collection('usageHours'),
      chunks: db.collection('usageHourValues'),
      days: db.collection('usageDays'),
    };
  }

  /** Finds whether a series is left, without a search of all of them. */
  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.collections.series, [{ name: 'sealAt', key: { sealAt: 1 } }]);
  }

  /** Some of the own series that are left; those that were used last come last. */
  async findSeries(
    isOwn: (id: string) => boolean,
    limit: number,
  ): Promise<{
    readonly own: readonly EarlierSeries[];
    /** False if no series is left, of any owner. */
    readonly isAnyLeft: boolean;
  }> {
    return retryTransient(async () => {
      const own: EarlierSeries[] = [];
      let isAnyLeft = false;
      const cursor = this.collections.series.find({ sealAt: { $lte: never } }).sort({ sealAt: 1 });
      for await (const found of cursor) {
        isAnyLeft = true;
        if (isOwn(found._id)) own.push(found as EarlierSeries);
        if (own.length === limit) break;
      }
      return { own, isAnyLeft };
    });
  }

  /** The series, unless it is taken over or was never counted by an earlier version. */
  async find(environmentId: string, series: Series): Promise<EarlierSeries | undefined> {
    const _id = earlierId(environmentId, series);
    const found = await retryTransient(() => this.collections.series.findOne({ _id }));
    return (found as EarlierSeries | null) ?? undefined;
  }

  /** Some hours of a series. */
  async findHours({ environmentId, ...series }: EarlierSeries, limit: number) {
    // Ids of buckets continue with a colon.
    const k = seriesKey(environmentId, series);
    return retryTransient(() =>
      this.collections.hours
        .find({ _id: { $gte: k, $lt: `${k}:` } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  async deleteHours(
    { environmentId }: Pick<EarlierSeries, 'environmentId'>,
    hours: readonly EarlierHour[],
  ): Promise<void> {
    const ids = hours.map(({ _id }) => _id);
    const { chunks } = this.collections;
    await retryTransient(() => chunks.deleteMany({ environmentId, hourId: { $in: ids } }));
    await retryTransient(() => this.collections.hours.deleteMany({ _id: { $in: ids } }));
  }

  async moveSealedUntil({ _id }: EarlierSeries, sealedUntil: Date): Promise<void> {
    await retryTransient(() =>
      this.collections.series.updateOne({ _id }, { $max: { sealedUntil } }),
    );
  }

  /** Timestamp of the first event of a series at or after an instant; null: of all. */
  async firstEventFrom(
    { environmentId, customerId, meterId }: EarlierSeries,
    from: Date | null,
  ): Promise<Date | undefined> {
    // Every event matches an upper limit. Without it, some servers sort all events of the series
    // instead of walking the index.
    const timestamp = { ...(from !== null && { $gte: from }), $lte: never };
    const firsts: Date[] = [];
    for (const events of await this.collections.events.all()) {
      const found = await retryTransient(() =>
        events
          .find({ environmentId, customerId, meterId, timestamp })
          .project<Pick<EventDocument, 'timestamp'>>({ timestamp: 1 })
          .sort({ timestamp: 1 })
          .limit(1)
          .next(),
      );
      if (found !== null) firsts.push(found.timestamp);
    }
    return firsts.toSorted((a, b) => a.getTime() - b.getTime())[0];
  }

  /** Replaces a series whose hours are taken over by one that is due to be folded. */
  async finish(series: EarlierSeries, now: Date): Promise<void> {
    const { _id, sealAt: _sealAt, sealedUntil: _sealedUntil, ...fields } = series;
    const { organizationId, environmentId, live, timeline, customerId, meterId } = fields;
    const owner = { organizationId, environmentId, live, timeline };
    const k = seriesKey(environmentId, series);
    await retryUpsert(() =>
      this.collections.series.updateOne(
        { _id: k },
        {
          $setOnInsert: { ...owner, folded: 0, foldAt: now, wokenAt: new Date(0) },
          $set: { customerId, meterId, slice: sliceOf(k) },
        },
        { upsert: true },
      ),
    );
    const { days } = this.collections;
    await retryTransient(() => days.deleteMany({ environmentId, customerId, meterId }));
    await retryTransient(() => this.collections.series.deleteOne({ _id }));
  }
}

function earlierId(environmentId: string, { customerId, meterId }: Series): string {
  return `${environmentId}:${customerId}:${meterId}`;
}
