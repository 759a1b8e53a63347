import type { Collection, Db, Document } from 'mongodb';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import type { RunStore, ValueStream } from '../distinct/merge';
import {
  openUsageValues,
  type StoredValues,
  type ValuesCollection,
  ValueStore,
} from '../distinct/value-store';
import { openParts, type PartCollection } from '../flush/flush-store';
import type { UsagePart } from '../flush/part';
import type { EventCollections, EventDocument } from '../usage/event-store';
import type { OwnedSeries, Span } from '../usage/hour';
import { seriesKey } from '../usage/series-key';
import { upsertAll } from '../usage/upsert-store';
import { bytesOf, emptyBucket, type NumberedPart } from './bucket';
import {
  bucketId,
  flushedEvent,
  fromHourDocument,
  fromHourTotal,
  fromPartDocument,
  fromSpanDocument,
  type HourBucketDocument,
  hourId,
  partEpochId,
  spanId,
  type SpanDocument,
  spanStartId,
  toHourDocument,
} from './bucket-document';
import type { FoldSeriesDocument } from './fold-schedule-store';
import type { HourBucket, HourTotal } from './hour-bucket';
import { mergedParts, partWithin } from './merged-parts';
import type {
  BucketName,
  BucketValues,
  FlushedEvent,
  PartPage,
  PartsQuery,
  SeriesStorage,
} from './series-storage';
import type { SpanBucket } from './span-bucket';

export interface BucketCollections {
  readonly events: EventCollections;
  readonly parts: PartCollection;
  readonly hours: Collection<HourBucketDocument>;
  readonly spans: Collection<SpanDocument>;
  readonly values: ValuesCollection;
  readonly series: Collection<FoldSeriesDocument>;
}

/** Reads how far all flushes have ended; a cached value will do unless it must be fresh. */
export type ReadUntil = SeriesStorage['until'];

/** Parts of one step of a fold, and about their size in memory. */
const partsMax = 5_000;
const partBytesMax = 16 * 1024 * 1024;
/**
 * Size in memory of the parts of a read. They grow while epochs do not pass: a writer of a thousand
 * distinct values a flush adds about 1 MiB a second.
 */
const readBytesMax = 32 * 1024 * 1024;
/** The same once they are merged. Less, so that a merge is not needed after each further part. */
const mergedBytesMax = 24 * 1024 * 1024;
const cursorBatch = 5_000;
// A part has up to some 20 kB of distinct values.
const partsBatch = 500;
const dayMs = 24 * 60 * 60_000;
// Sorts after every id that continues a key.
const afterAll = ';';

export function openBuckets(db: Db, events: EventCollections): BucketCollections {
  return {
    events,
    parts: openParts(db),
    hours: db.collection<HourBucketDocument>('usageHours'),
    spans: db.collection<SpanDocument>('usageSpans'),
    values: openUsageValues(db),
    series: db.collection<FoldSeriesDocument>('usageSeries'),
  };
}

export async function ensureBucketIndexes({ spans }: BucketCollections): Promise<void> {
  await ensureIndexes(spans, [{ name: 'readAt', key: { readAt: 1 } }]);
}

/** Number of parts of a series. */
export function countParts({ parts }: Pick<BucketCollections, 'parts'>, k: string) {
  return retryTransient(() =>
    parts.countDocuments({ k, _id: { $gte: `${k}:`, $lt: `${k}${afterAll}` } }),
  );
}

/**
 * Deletes a span unless it was changed or read since. Makes it a stub first: no read then refers to
 * its values. A read that builds the span again announces it, which makes it a span in use, and
 * stores values of a later version. Versions begin again after a deletion, so that the last read
 * must be longer ago than any read takes.
 */
export async function deleteUnreadSpan(
  { spans, values }: Pick<BucketCollections, 'spans' | 'values'>,
  span: Pick<SpanDocument, '_id' | 'k' | 'environmentId' | 'version' | 'readAt'>,
): Promise<boolean> {
  const { _id, k, environmentId, version, readAt } = span;
  const stubVersion = Number(version) + 1;
  const { matchedCount } = await retryTransient(() =>
    spans.updateOne(
      { _id, k, version, readAt },
      { $set: { building: true, version: stubVersion } },
    ),
  );
  if (matchedCount === 0) return false;
  await new ValueStore(values, { environmentId, k }).deleteUpTo(_id, stubVersion);
  await retryTransient(() => spans.deleteOne({ _id, k, version: stubVersion, readAt }));
  return true;
}

/** Parts and buckets of one series; `SeriesStorage` describes each step. */
export class BucketStore implements SeriesStorage {
  readonly values: BucketValues;
  private readonly k: string;

  constructor(
    private readonly collections: BucketCollections,
    private readonly series: OwnedSeries,
    private readonly process: {
      readonly until: ReadUntil;
      readonly clock: Clock;
      /** Called for each query of raw events. */
      readonly onRawRead?: () => void;
      /** Ends reads of raw events. */
      readonly signal?: AbortSignal;
    },
  ) {
    const { environmentId } = series;
    this.k = seriesKey(environmentId, series);
    this.values = new BucketValueStore(collections.values, { environmentId, k: this.k });
  }

  until(options: { readonly isFresh: boolean }): Promise<number> {
    return this.process.until(options);
  }

  async parts({ hours, cuts }: PartsQuery) {
    const { k } = this;
    const { aggregation } = this.series;
    const _id = { $gte: `${k}:`, $lt: `${k}${afterAll}` };
    return retryTransient(async () => {
      const cursor = this.collections.parts.find({ k, _id }).batchSize(cursorBatch);
      let parts: NumberedPart[] = [];
      let bytes = 0;
      for await (const document of cursor) {
        const whole = fromPartDocument(document);
        const part = hours === undefined ? whole : partWithin(whole, hours);
        parts.push(part);
        bytes += bytesOf(part);
        if (bytes <= readBytesMax) continue;
        parts = mergedParts(aggregation, parts, cuts);
        bytes = parts.reduce((sum, one) => sum + bytesOf(one), 0);
        if (bytes > mergedBytesMax) throw partsTooLarge();
      }
      return parts;
    });
  }

  countParts(): Promise<number> {
    return countParts(this.collections, this.k);
  }

  async partsUpTo(epoch: number): Promise<PartPage> {
    const { k } = this;
    const _id = { $gte: partEpochId(k, 0), $lt: partEpochId(k, epoch + 1) };
    return retryTransient(async () => {
      const cursor = this.collections.parts.find({ k, _id }).sort({ _id: 1 }).batchSize(partsBatch);
      return pageOf(cursor, epoch);
    });
  }

  async hours(from: number, until: number): Promise<HourBucket[]> {
    const { k } = this;
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ k, _id: { $gte: hourId(k, from), $lt: hourId(k, until) } })
        .batchSize(cursorBatch)
        .toArray(),
    );
    return found.map(fromHourDocument);
  }

  async hourTotals(from: number, until: number): Promise<HourTotal[]> {
    const { k } = this;
    const found = await retryTransient(() =>
      this.collections.hours
        .find({ k, _id: { $gte: hourId(k, from), $lt: hourId(k, until) } })
        .project<Omit<HourBucketDocument, 'minutes' | 'cuts'>>({ minutes: 0, cuts: 0 })
        .batchSize(cursorBatch)
        .toArray(),
    );
    return found.map(fromHourTotal);
  }

  async storeHour(hour: HourBucket): Promise<boolean> {
    const { _id, k, ...fields } = toHourDocument(this.owner, hour);
    const { hours } = this.collections;
    if (hour.version === 1) return insertNew(hours, { _id, k, ...fields });
    const { matchedCount } = await retryTransient(() =>
      hours.updateOne({ _id, k, version: hour.version - 1 }, { $set: fields }),
    );
    return matchedCount > 0;
  }

  async storeCuts({ hour, version, cuts }: HourBucket): Promise<void> {
    const { k } = this;
    await retryTransient(() =>
      this.collections.hours.updateOne({ _id: hourId(k, hour), k, version }, { $set: { cuts } }),
    );
  }

  async spans(within?: Span): Promise<SpanBucket[]> {
    const { k } = this;
    const range =
      within === undefined
        ? { $gte: `${k}:`, $lt: `${k}${afterAll}` }
        : { $gte: spanStartId(k, within.start), $lt: spanStartId(k, within.end) };
    const found = await retryTransient(() =>
      this.collections.spans.find({ k, _id: range }).batchSize(cursorBatch).toArray(),
    );
    return found.map(fromSpanDocument);
  }

  async announce(spans: readonly Span[]): Promise<SpanBucket[]> {
    const { environmentId, k } = this.owner;
    const _ids = spans.map((span) => spanId(k, span));
    const update = {
      $setOnInsert: { environmentId, ...emptyBucket, building: true },
      $max: { readAt: this.process.clock.now() },
    };
    await upsertAll(
      this.collections.spans,
      _ids.map((_id) => ({ updateOne: { filter: { _id, k }, update, upsert: true } })),
    );
    const found = await retryTransient(() =>
      this.collections.spans.find({ k, _id: { $in: _ids } }).toArray(),
    );
    return found.map(fromSpanDocument);
  }

  storeSpan(span: SpanBucket): Promise<boolean> {
    return this.storeSpans([span]);
  }

  async storeSpans(spans: readonly SpanBucket[]): Promise<boolean> {
    const { k } = this;
    const updates = spans.map((span) => {
      const { version, folded, total, isStub: building } = span;
      const filter = { _id: spanId(k, span), k, version: version - 1 };
      return { updateOne: { filter, update: { $set: { version, folded, total, building } } } };
    });
    const { matchedCount } = await retryTransient(() =>
      this.collections.spans.bulkWrite(updates, { ordered: false }),
    );
    return matchedCount === spans.length;
  }

  deleteSpan(span: SpanBucket): Promise<boolean> {
    const { environmentId, k } = this.owner;
    const { version, readAt } = span;
    return deleteUnreadSpan(this.collections, {
      _id: spanId(k, span),
      ...{ environmentId, k, version, readAt },
    });
  }

  async recordReads(spans: readonly SpanBucket[]): Promise<void> {
    const { k } = this;
    const now = this.process.clock.now();
    const old = spans.filter(({ readAt }) => now.getTime() - readAt.getTime() > dayMs);
    if (old.length === 0) return;
    const _id = { $in: old.map((span) => spanId(k, span)) };
    await retryTransient(() =>
      this.collections.spans.updateMany({ _id, k }, { $max: { readAt: now } }),
    );
  }

  async markFolded(epoch: number): Promise<void> {
    const { k } = this;
    await retryTransient(() =>
      this.collections.series.updateOne({ _id: k }, { $max: { folded: epoch } }),
    );
  }

  async deleteParts(epoch: number): Promise<void> {
    const { k } = this;
    await retryTransient(() =>
      this.collections.parts.deleteMany({
        k,
        _id: { $gte: `${k}:`, $lt: partEpochId(k, epoch + 1) },
      }),
    );
  }

  async *events({ start, end }: Span): AsyncGenerator<FlushedEvent> {
    const { environmentId, customerId, meterId, uniqueProperty } = this.series;
    this.process.onRawRead?.();
    for (const events of await this.collections.events.all()) {
      const cursor = events
        .find({ environmentId, customerId, meterId, timestamp: { $gte: start, $lt: end } })
        .project<Omit<EventDocument, 'environmentId'>>({
          timestamp: 1,
          quantity: 1,
          arrival: 1,
          epoch: 1,
          flush: 1,
          ...(uniqueProperty !== null && { properties: 1, value: 1 }),
        })
        .batchSize(cursorBatch);
      for await (const document of cursor) {
        this.process.signal?.throwIfAborted();
        yield flushedEvent(document, uniqueProperty);
      }
    }
  }

  private get owner() {
    return { environmentId: this.series.environmentId, k: this.k };
  }
}

function partsTooLarge(): DomainError {
  return new DomainError('unavailable', 'USAGE_PARTS_TOO_LARGE', 'Service unavailable');
}

/** Reads parts in order of epochs until the page is full. An epoch is never split. */
async function pageOf(documents: AsyncIterable<UsagePart>, epoch: number): Promise<PartPage> {
  const parts: NumberedPart[] = [];
  let bytes = 0;
  for await (const document of documents) {
    const part = fromPartDocument(document);
    const last = parts.at(-1)?.epoch;
    const isFull = parts.length >= partsMax || bytes >= partBytesMax;
    if (isFull && last !== undefined && last < part.epoch) {
      return { parts, upTo: last, isLast: false };
    }
    parts.push(part);
    bytes += bytesOf(part);
  }
  return { parts, upTo: epoch, isLast: true };
}

/** Distinct values of the buckets of one series. */
class BucketValueStore implements BucketValues {
  private readonly store: ValueStore;

  constructor(
    collection: ValuesCollection,
    private readonly owner: { readonly environmentId: string; readonly k: string },
  ) {
    this.store = new ValueStore(collection, owner);
  }

  write(bucket: BucketName, version: number, stream: ValueStream): Promise<StoredValues> {
    return this.store.write({ bucket: this.idOf(bucket), version, write: newId() }, stream);
  }

  read(bucket: BucketName, stored: StoredValues): ValueStream {
    return this.store.read(this.idOf(bucket), stored);
  }

  deleteOthers(bucket: BucketName, stored: StoredValues): Promise<void> {
    return this.store.deleteOthers(this.idOf(bucket), stored);
  }

  delete(bucket: BucketName, stored: StoredValues): Promise<void> {
    return this.store.deleteWrite(this.idOf(bucket), stored);
  }

  async withRuns<T>(bucket: BucketName, merge: (runs: RunStore) => Promise<T>): Promise<T> {
    const written: StoredValues[] = [];
    const id = this.idOf(bucket);
    const runs: RunStore = {
      store: async (stream) => {
        // No version of a bucket is 0: what a crash leaves goes with the values of old versions.
        const run = await this.store.write({ bucket: id, version: 0, write: newId() }, stream);
        written.push(run);
        return this.store.read(id, run);
      },
    };
    try {
      return await merge(runs);
    } finally {
      for (const run of written) await this.store.deleteWrite(id, run);
    }
  }

  private idOf(bucket: BucketName): string {
    return bucketId(this.owner.k, bucket);
  }
}

async function insertNew<T extends Document & { readonly _id: string }>(
  collection: Collection<T>,
  document: T,
): Promise<boolean> {
  try {
    await retryTransient(() => collection.insertOne(document as never));
    return true;
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
    return false;
  }
}
