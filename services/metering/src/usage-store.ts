import type { Collection, Db } from 'mongodb';
import type { TenantFields } from '@billing/chassis/aggregate-document';
import { timelineOf, type Tenant } from '@billing/chassis/call-context';
import { ensureIndexes } from '@billing/chassis/indexes';
import { writeErrorsOf } from '@billing/chassis/insert-batches';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import type { EventPlace, MeasuredEvent, PartialTotal } from './aggregation';
import { DistinctValuesStore, type KeptValues, type ValueChunk } from './distinct-values-store';
import type { EventCollection, EventDocument } from './event-store';
import { uniqueValue } from './usage-event';
import type {
  MeasuredSeries,
  PendingBatch,
  Series,
  SeriesHour,
  Span,
  UsageHour,
  UsageStorage,
} from './usage-hour';

// The driver gives whole numbers as it finds them, 32 or 64 bits wide.
type Count = number | bigint;

type StoredTotal = Omit<PartialTotal, 'distinct' | 'events' | 'latest'> &
  Omit<KeptValues, 'chunks'> & {
    readonly events: Count;
    readonly latest: (Omit<EventPlace, 'arrival'> & { readonly arrival: Count }) | null;
    readonly chunks: Count;
  };

interface HourDocument extends SeriesHour {
  /** `<environment>:<customer>:<meter>:<hour in ms>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly version: Count;
  readonly pending: readonly PendingBatch[];
  readonly total: StoredTotal | null;
}

/** How far a series is sealed, and when somebody looks at it again. */
export interface SeriesDocument extends Series, TenantFields {
  readonly _id: string;
  readonly sealedUntil: Date | null;
  /** Real time; `never` while nothing waits. */
  readonly sealAt: Date;
}

export interface UsageCollections {
  readonly events: EventCollection;
  readonly hours: Collection<HourDocument>;
  readonly chunks: Collection<ValueChunk>;
  readonly series: Collection<SeriesDocument>;
}

/** Later than anything that is waited for. */
export const never = new Date(8.64e15);

const upsertsMax = 5;
const hoursMax = 1_000;
const cursorBatch = 5_000;

export function openUsage(db: Db, events: EventCollection): UsageCollections {
  return {
    events,
    hours: db.collection<HourDocument>('usageHours'),
    chunks: db.collection<ValueChunk>('usageHourValues'),
    series: db.collection<SeriesDocument>('usageSeries'),
  };
}

export async function ensureUsageIndexes({
  hours,
  chunks,
  series,
}: UsageCollections): Promise<void> {
  await ensureIndexes(hours, [
    { name: 'series', key: { environmentId: 1, customerId: 1, meterId: 1, hour: 1 } },
  ]);
  await ensureIndexes(chunks, [{ name: 'hour', key: { environmentId: 1, hourId: 1 } }]);
  await ensureIndexes(series, [
    { name: 'sealAt', key: { sealAt: 1 } },
    { name: 'customer', key: { environmentId: 1, customerId: 1 } },
  ]);
}

/** The usage of one environment. */
export class UsageStore implements UsageStorage {
  private readonly values: DistinctValuesStore;

  constructor(
    private readonly collections: UsageCollections,
    private readonly tenant: Tenant,
  ) {
    this.values = new DistinctValuesStore(collections.chunks, tenant.environmentId);
  }

  async beginLate(hours: readonly SeriesHour[], batch: PendingBatch): Promise<void> {
    let open = hours;
    // Two that make the same hour side by side: the slower one finds it there the next time.
    for (let attempt = 1; open.length > 0; attempt += 1) {
      if (attempt > upsertsMax)
        throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
      const tried = open;
      const failed = await retryTransient(async () => {
        try {
          await this.collections.hours.bulkWrite(
            tried.map((hour) => ({
              updateOne: {
                filter: { _id: this.hourId(hour) },
                update: {
                  $setOnInsert: {
                    environmentId: this.tenant.environmentId,
                    customerId: hour.customerId,
                    meterId: hour.meterId,
                    hour: hour.hour,
                  },
                  $set: { total: null },
                  $push: { pending: batch },
                  $inc: { version: 1 },
                },
                upsert: true,
              },
            })),
            { ordered: false },
          );
          return new Map<number, Error>();
        } catch (error) {
          return writeErrorsOf(error);
        }
      });
      for (const error of failed.values()) {
        if (duplicateKeyIndex(error) === undefined) throw error;
      }
      open = tried.filter((_hour, index) => failed.has(index));
    }
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
        .find({ ...this.of(series), hour: { $gte: start, $lt: end } })
        .sort({ hour: 1 })
        .toArray(),
    );
    return this.withValues(found);
  }

  async hoursWithoutTotal(series: Series, before: Date): Promise<UsageHour[]> {
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ ...this.of(series), hour: { $lt: before }, total: null })
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
    const stored = { ...total, ...(await this.values.keep(_id, total.distinct)) };
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
    await this.values.forget(_id, { sealId: stored.sealId, isSealed });
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
      .find({ ...this.of(series), timestamp: { $gte: start, $lt: end } })
      .project<Omit<EventDocument, 'environmentId'>>({
        timestamp: 1,
        quantity: 1,
        arrival: 1,
        ...(uniqueProperty !== null && { properties: 1 }),
      })
      .batchSize(cursorBatch);
    for await (const { _id, timestamp, quantity, arrival, properties } of cursor) {
      const texts = properties === undefined ? {} : (JSON.parse(properties) as object);
      yield {
        id: _id,
        at: timestamp,
        arrival: Number(arrival),
        quantity,
        uniqueValue: uniqueProperty === null ? null : uniqueValue({ ...texts }, uniqueProperty),
      };
    }
  }

  async edgeOf(series: Series, edge: 'first' | 'last'): Promise<Date | null> {
    // The range says nothing, but without one some servers sort all matches instead of walking the index.
    const query = { ...this.of(series), timestamp: { $lte: never } };
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

  /** The meters that a customer has used. */
  async metersUsed(customerId: string): Promise<string[]> {
    const found = await retryTransient(() =>
      this.collections.series
        .find({ environmentId: this.tenant.environmentId, customerId })
        .project<Pick<SeriesDocument, 'meterId'>>({ meterId: 1 })
        .toArray(),
    );
    return found.map(({ meterId }) => meterId);
  }

  /** Has series looked at, each at its real time or earlier. */
  async wake(all: readonly (Series & { readonly at: Date })[]): Promise<void> {
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

  private async withValues(documents: readonly HourDocument[]): Promise<UsageHour[]> {
    const split = documents.filter(({ total }) => total !== null && Number(total.chunks) > 0);
    const chunks = await this.values.ofHours(split.map(({ _id }) => _id));
    return documents.map((document) => {
      const { total } = document;
      const own = chunks.filter(({ sealId }) => sealId === total?.sealId);
      // Else somebody seals the hour anew at this moment: its events are read instead.
      const isWhole = own.length === Number(total?.chunks);
      return { ...hourIn(document), total: total !== null && isWhole ? totalIn(total, own) : null };
    });
  }

  private of({ customerId, meterId }: Series): Series & { environmentId: string } {
    return { environmentId: this.tenant.environmentId, customerId, meterId };
  }

  private seriesId({ customerId, meterId }: Series): string {
    return `${this.tenant.environmentId}:${customerId}:${meterId}`;
  }

  private hourId({ hour, ...series }: SeriesHour): string {
    return `${this.seriesId(series)}:${String(hour.getTime())}`;
  }
}

function hourIn({ hour, version, pending }: HourDocument): Omit<UsageHour, 'total'> {
  return { hour, version: Number(version), pending };
}

function totalIn(
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
