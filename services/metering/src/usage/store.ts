import type { Collection, Db } from 'mongodb';
import type { TenantFields } from '@billing/chassis/aggregate';
import { timelineOf, type Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { MeasuredEvent, PartialTotal } from '../meter/aggregation';
import {
  ensureUsageDayIndexes,
  openUsageDays,
  upsertAll,
  type UsageDayCollection,
  UsageDayStore,
} from './day-store';
import { DistinctValuesStore, type ValueChunk } from './distinct-values-store';
import { type EventCollection, type EventDocument, measuredEvent } from './event-store';
import type {
  HourVersion,
  MeasuredSeries,
  PendingBatch,
  Series,
  SeriesHour,
  Span,
  UsageHour,
  UsageStorage,
} from './hour';
import { type HourDocument, hourIn, hoursWithValues } from './hour-document';

/** State of a series: how far its hours are sealed, and when the next sealing is due. */
export interface SeriesDocument extends Series, TenantFields {
  readonly _id: string;
  readonly sealedUntil: Date | null;
  /**
   * Range of complete days, as two day starts: in it, a day without a document has no events. Null
   * or absent: no day is known to be complete.
   */
  readonly daysFrom?: Date | null;
  readonly daysUntil?: Date | null;
  /** Real time of the next sealing; `never` if none is due. */
  readonly sealAt: Date;
}

export interface UsageCollections {
  readonly events: EventCollection;
  readonly hours: Collection<HourDocument>;
  readonly chunks: Collection<ValueChunk>;
  readonly series: Collection<SeriesDocument>;
  readonly days: UsageDayCollection;
}

/** Later than any due time. */
export const never = new Date(8.64e15);

// Hours counted again in one run of sealing; the rest is left for the next run.
const hoursMax = 1_000;
const cursorBatch = 5_000;

export function openUsage(db: Db, events: EventCollection): UsageCollections {
  return {
    events,
    hours: db.collection<HourDocument>('usageHours'),
    chunks: db.collection<ValueChunk>('usageHourValues'),
    series: db.collection<SeriesDocument>('usageSeries'),
    days: openUsageDays(db),
  };
}

export async function ensureUsageIndexes({
  hours,
  chunks,
  series,
  days,
}: UsageCollections): Promise<void> {
  await ensureUsageDayIndexes(days);
  await ensureIndexes(hours, [
    { name: 'series', key: { environmentId: 1, customerId: 1, meterId: 1, hour: 1 } },
  ]);
  await ensureIndexes(chunks, [{ name: 'hour', key: { environmentId: 1, hourId: 1 } }]);
  await ensureIndexes(series, [
    { name: 'sealAt', key: { sealAt: 1 } },
    { name: 'customer', key: { environmentId: 1, customerId: 1 } },
    { name: 'meter', key: { environmentId: 1, meterId: 1, customerId: 1 } },
  ]);
}

/** Events, hours and series of one environment; `UsageStorage` describes each step. */
export class UsageStore implements UsageStorage {
  private readonly values: DistinctValuesStore;

  constructor(
    private readonly collections: UsageCollections,
    private readonly tenant: Tenant,
  ) {
    this.values = new DistinctValuesStore(collections.chunks, tenant.environmentId);
  }

  async beginLate(hours: readonly SeriesHour[], batch: PendingBatch): Promise<void> {
    const { environmentId } = this.tenant;
    await upsertAll(
      this.collections.hours,
      hours.map((seriesHour) => {
        const { customerId, meterId, hour } = seriesHour;
        return {
          updateOne: {
            filter: { _id: this.hourId(seriesHour) },
            update: {
              $setOnInsert: { environmentId, customerId, meterId, hour },
              $set: { total: null },
              $push: { pending: batch },
              $inc: { version: 1 },
            },
            upsert: true,
          },
        };
      }),
    );
    await this.reopenDays(hours);
  }

  /**
   * Removes the totals of the days that contain the hours. Called after the hours were reopened: a
   * day total computed in between then finds an open hour and is not stored.
   */
  async reopenDays(hours: readonly SeriesHour[]): Promise<void> {
    await new UsageDayStore(this.collections.days, this.tenant).reopen(hours);
  }

  async finishLate(hours: readonly SeriesHour[], batchId: string): Promise<void> {
    if (hours.length === 0) return;
    const ids = hours.map((hour) => this.hourId(hour));
    await retryTransient(() =>
      this.collections.hours.updateMany(
        { _id: { $in: ids }, environmentId: this.tenant.environmentId },
        { $pull: { pending: { id: batchId } }, $set: { total: null }, $inc: { version: 1 } },
      ),
    );
  }

  async hoursIn(series: Series, { start, end }: Span): Promise<UsageHour[]> {
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ ...this.seriesFilter(series), hour: { $gte: start, $lt: end } })
        .sort({ hour: 1 })
        .toArray(),
    );
    return hoursWithValues(found, this.values);
  }

  /** Versions of the hours of a span. */
  async hourVersions(series: Series, { start, end }: Span): Promise<HourVersion[]> {
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ ...this.seriesFilter(series), hour: { $gte: start, $lt: end } })
        .project<Pick<HourDocument, 'hour' | 'version' | 'pending' | 'total'>>({
          hour: 1,
          version: 1,
          pending: 1,
          'total.events': 1,
        })
        .toArray(),
    );
    return found.map(({ hour, version, pending, total }) => ({
      hour,
      version: Number(version),
      isPending: pending.length > 0,
      events: Number(total?.events ?? 0),
    }));
  }

  async hoursWithoutTotal(series: Series, before: Date): Promise<UsageHour[]> {
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ ...this.seriesFilter(series), hour: { $lt: before }, total: null })
        .sort({ hour: 1 })
        .limit(hoursMax)
        .toArray(),
    );
    return found.map((document) => ({ ...hourIn(document), total: null }));
  }

  async seal(
    series: Series,
    { hour, version }: { readonly hour: Date; readonly version: number | undefined },
    total: PartialTotal,
  ): Promise<boolean> {
    const seriesHour = { customerId: series.customerId, meterId: series.meterId, hour };
    const _id = this.hourId(seriesHour);
    const stored = { ...total, ...(await this.values.store(_id, total.distinct)) };
    const { environmentId } = this.tenant;
    const isSealed =
      version === undefined
        ? await this.insertHour({
            _id,
            environmentId,
            ...seriesHour,
            version: 1,
            pending: [],
            total: stored,
          })
        : await retryTransient(async () => {
            const { modifiedCount } = await this.collections.hours.updateOne(
              { _id, environmentId, version },
              { $set: { total: stored }, $inc: { version: 1 } },
            );
            return modifiedCount > 0;
          });
    await this.values.delete(_id, { sealId: stored.sealId, isSealed });
    return isSealed;
  }

  async dropPending(series: Series, hour: UsageHour, before: Date): Promise<boolean> {
    const pending = hour.pending.filter(({ at }) => at >= before);
    const filter = {
      _id: this.hourId({ ...series, hour: hour.hour }),
      environmentId: this.tenant.environmentId,
      version: hour.version,
    };
    return retryTransient(async () => {
      const { modifiedCount } = await this.collections.hours.updateOne(filter, {
        $set: { pending, total: null },
        $inc: { version: 1 },
      });
      return modifiedCount > 0;
    });
  }

  async sealedUntil(series: Series): Promise<Date | null> {
    const document = await retryTransient(() =>
      this.collections.series.findOne({ _id: this.seriesId(series) }),
    );
    return document?.sealedUntil ?? null;
  }

  async moveSealedUntil(series: Series, until: Date): Promise<void> {
    await retryTransient(() =>
      this.collections.series.updateOne(
        { _id: this.seriesId(series), environmentId: this.tenant.environmentId },
        { $max: { sealedUntil: until } },
      ),
    );
  }

  async *eventsIn(series: MeasuredSeries, { start, end }: Span): AsyncIterable<MeasuredEvent> {
    const { uniqueProperty } = series;
    const cursor = this.collections.events
      .find({ ...this.seriesFilter(series), timestamp: { $gte: start, $lt: end } })
      .project<Omit<EventDocument, 'environmentId'>>({
        timestamp: 1,
        quantity: 1,
        arrival: 1,
        ...(uniqueProperty !== null && { properties: 1 }),
      })
      .batchSize(cursorBatch);
    for await (const document of cursor) yield measuredEvent(document, uniqueProperty);
  }

  async edgeOf(series: Series, edge: 'first' | 'last'): Promise<Date | null> {
    // Every event matches the condition on its timestamp. Without it, some servers sort all events
    // of the series instead of walking the index.
    const query = { ...this.seriesFilter(series), timestamp: { $lte: never } };
    const found = await retryTransient(() =>
      this.collections.events
        .find(query)
        .project<Pick<EventDocument, 'timestamp'>>({ timestamp: 1 })
        .sort({ timestamp: edge === 'first' ? 1 : -1 })
        .limit(1)
        .next(),
    );
    return found?.timestamp ?? null;
  }

  /** Ids of the meters that a customer has used. */
  async metersUsed(customerId: string): Promise<string[]> {
    const found = await retryTransient(() =>
      this.collections.series
        .find({ environmentId: this.tenant.environmentId, customerId })
        .project<Pick<SeriesDocument, 'meterId'>>({ meterId: 1 })
        .toArray(),
    );
    return found.map(({ meterId }) => meterId);
  }

  /** Makes each series due for sealing at its real time `at`, unless it is due earlier. */
  async scheduleSealing(all: readonly (Series & { readonly at: Date })[]): Promise<void> {
    const { organizationId, environmentId, live } = this.tenant;
    const owner = { organizationId, environmentId, live, timeline: timelineOf(this.tenant) };
    await retryTransient(() =>
      this.collections.series.bulkWrite(
        all.map(({ customerId, meterId, at }) => ({
          updateOne: {
            filter: { _id: this.seriesId({ customerId, meterId }) },
            update: {
              $setOnInsert: { ...owner, customerId, meterId, sealedUntil: null },
              $min: { sealAt: at },
            },
            upsert: true,
          },
        })),
        { ordered: false },
      ),
    );
  }

  private async insertHour(document: HourDocument): Promise<boolean> {
    try {
      await retryTransient(() => this.collections.hours.insertOne(document));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private seriesFilter({ customerId, meterId }: Series): Series & { environmentId: string } {
    return { environmentId: this.tenant.environmentId, customerId, meterId };
  }

  private seriesId({ customerId, meterId }: Series): string {
    return `${this.tenant.environmentId}:${customerId}:${meterId}`;
  }

  private hourId({ hour, ...series }: SeriesHour): string {
    return `${this.seriesId(series)}:${String(hour.getTime())}`;
  }
}
