import { DomainError } from '@billing/kernel/domain-error';
import { mergedValues } from '../distinct/merge';
import { mergePacked } from '../distinct/packed-values';
import { ValuesReplacedError } from '../distinct/value-store';
import type { Aggregation } from '../meter/aggregation';
import type { Span } from '../usage/hour';
import type { Bucket } from './bucket';
import { partsByHour } from './entries';
import { emptyHour, type FoldedBucket, foldIntoHour } from './hour-bucket';
import type { BucketName, PartPage, SeriesStorage } from './series-storage';
import { foldIntoSpan, type SpanBucket } from './span-bucket';

export interface FoldResult {
  /** Number of folded parts. */
  readonly parts: number;
  /** True if parts are left that could be folded now. */
  readonly isMore: boolean;
}

// Each lost race is another fold that made progress.
const attemptsMax = 50;

/**
 * Folds parts of a series into its hours and spans, then deletes them. Two folds at the same time
 * count nothing twice. After a crash between two steps, `folded` of each bucket tells what it
 * contains, and the next fold continues.
 */
export async function foldSeries(
  storage: SeriesStorage,
  aggregation: Aggregation,
): Promise<FoldResult> {
  const until = await storage.until({ isFresh: true });
  const page = await storage.partsUpTo(until);
  if (page.parts.length === 0) return { parts: 0, isMore: false };
  for (const [hour, parts] of partsByHour(page.parts)) {
    await foldHour(storage, aggregation, { hour, page: { ...page, parts } });
  }
  // After the hours and before parts are deleted: whoever announces a span later reads hours that
  // contain the parts.
  for (const span of await storage.spans()) await foldSpan(storage, aggregation, { span, page });
  await storage.markFolded(page.upTo);
  await storage.deleteParts(page.upTo);
  return { parts: page.parts.length, isMore: !page.isLast };
}

async function foldHour(
  storage: SeriesStorage,
  aggregation: Aggregation,
  { hour, page }: { readonly hour: number; readonly page: PartPage },
): Promise<void> {
  await untilStored(async () => {
    const [stored = emptyHour(hour)] = await storage.hours(hour, hour + 1);
    const folded = foldIntoHour(aggregation, stored, page);
    if (folded === undefined) return true;
    return storeBucket(storage, folded, { name: { hour }, store: (one) => storage.storeHour(one) });
  });
}

async function foldSpan(
  storage: SeriesStorage,
  aggregation: Aggregation,
  { span, page }: { readonly span: SpanBucket; readonly page: PartPage },
): Promise<void> {
  const name = { start: span.start, end: span.end };
  let known: SpanBucket | undefined = span;
  await untilStored(async () => {
    known ??= await storedSpan(storage, name);
    // A span that was deleted needs nothing.
    const folded = known && foldIntoSpan(aggregation, known, page);
    known = undefined;
    if (folded === undefined) return true;
    return storeBucket(storage, folded, { name, store: (one) => storage.storeSpan(one) });
  });
}

async function storedSpan(
  storage: SeriesStorage,
  { start, end }: Span,
): Promise<SpanBucket | undefined> {
  const found = await storage.spans({ start, end: new Date(start.getTime() + 1) });
  return found.find((span) => span.end.getTime() === end.getTime());
}

/** Stores a bucket with its distinct values. Returns false if another version was stored first. */
async function storeBucket<B extends Bucket>(
  { values }: SeriesStorage,
  { bucket, values: added }: FoldedBucket<B>,
  { name, store }: { readonly name: BucketName; readonly store: (bucket: B) => Promise<boolean> },
): Promise<boolean> {
  if (added.length === 0) return store(bucket);
  const before = bucket.total.values;
  const addition = onlyBlock(mergePacked(added));
  const streams = before === null ? [addition] : [values.read(name, before), addition];
  const written = await values.write(name, bucket.version, mergedValues(streams));
  const isStored = await store({ ...bucket, total: { ...bucket.total, values: written } });
  // Otherwise the values stay until the bucket is folded again: the store may still take effect.
  if (isStored) await values.deleteOthers(name, written);
  return isStored;
}

export async function* onlyBlock(block: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(block);
}

/** Repeats an attempt that lost a race. */
async function untilStored(attempt: () => Promise<boolean>): Promise<void> {
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    try {
      if (await attempt()) return;
    } catch (error) {
      // The values of the version that was read are deleted after the next version is stored.
      if (!(error instanceof ValuesReplacedError)) throw error;
    }
  }
  throw new DomainError('unavailable', 'FOLD_RACES', 'Service unavailable');
}
