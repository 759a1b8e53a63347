import type { Db } from 'mongodb';
import { systemClock } from '@billing/chassis/clock';
import type { Tenant } from '@billing/chassis/call-context';
import { LargeReads } from '../distinct/run-large-read';
import { partId, partsOf, type UsagePart } from '../flush/part';
import { BucketStore, openBuckets } from '../fold/bucket-store';
import { foldSeries } from '../fold/fold-series';
import type { UsageEvent } from '../usage/event';
import { toEventDocument } from '../usage/event-store';
import { firstGeneration, openEvents } from './events';
import type { MeasuredSeries, Span } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import { readUsage, type UsageRead } from '../span/read-usage';

/** One series of a database, whose flushes and folds a test runs itself. */
export class TestedSeries {
  readonly collections;
  readonly store: BucketStore;
  readonly k: string;
  until = 0;
  private epoch = 0;

  constructor(
    db: Db,
    private readonly tenant: Tenant,
    readonly series: MeasuredSeries,
    private readonly largeReads = new LargeReads(),
  ) {
    const { environmentId } = tenant;
    this.collections = openBuckets(db, openEvents(db));
    this.k = seriesKey(environmentId, series);
    this.store = new BucketStore(
      this.collections,
      { ...series, environmentId },
      { until: () => Promise.resolve(this.until), clock: systemClock },
    );
  }

  /** Stores events and their part as one flush. */
  async flush(
    events: readonly Pick<UsageEvent, 'timestamp' | 'quantity' | 'properties'>[],
  ): Promise<void> {
    this.epoch += 1;
    const name = { epoch: this.epoch, flush: `f${String(this.epoch)}` };
    const { customerId, meterId } = this.series;
    const documents = events.map((event, index) => ({
      ...toEventDocument(this.tenant, {
        ...event,
        eventId: `${this.k}${name.flush}-${String(index)}`,
        customerId,
        meterId,
        receivedAt: event.timestamp,
        arrival: this.epoch * 1_000_000 + index,
      }),
      k: this.k,
      ...name,
    }));
    await this.collections.events.of(firstGeneration).insertMany(documents);
    const metered = documents.map((document) => ({ document, meter: this.series }));
    await this.collections.parts.insertMany(partsOf(name, metered));
  }

  /** Stores parts without their events, each as a flush of its own. */
  async insertParts(parts: readonly Pick<UsagePart, 'minutes' | 'values'>[]): Promise<void> {
    const documents = parts.map((part, index) => {
      const epoch = this.epoch + index + 1;
      const _id = partId(this.k, { epoch, flush: `f${String(epoch)}` });
      return { _id, k: this.k, ...part };
    });
    this.epoch += parts.length;
    await this.collections.parts.insertMany(documents);
  }

  /** Folds all parts up to an epoch. */
  async fold(until = this.epoch): Promise<void> {
    this.until = until;
    while ((await foldSeries(this.store, this.series.aggregation)).left === 'more');
  }

  read(...windows: readonly (readonly Span[])[]): Promise<UsageRead> {
    return readUsage(this.store, this.series, {
      environmentId: this.tenant.environmentId,
      windows,
      largeReads: this.largeReads,
      signal: AbortSignal.timeout(300_000),
    });
  }

  async readQuantities(...windows: readonly (readonly Span[])[]): Promise<string[]> {
    const read = await this.read(...windows);
    return read.windows.map(({ quantity }) => quantity.toString());
  }
}
