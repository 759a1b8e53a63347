import { DomainError } from '@billing/kernel/domain-error';
import { mergedValues, streamOf } from '../distinct/merge';
import { mergePacked } from '../distinct/packed-values';
import { ValuesReplacedError } from '../distinct/value-store';
import type { Aggregation } from '../meter/aggregation';
import type { Bucket } from './bucket';
import { partsByHour } from './entries';
import { emptyHour, type FoldedBucket, foldIntoHour } from './hour-bucket';
import type { BucketName, PartPage, SeriesStorage } from './series-storage';
import { foldIntoSpan, isSuperseded, type SpanBucket } from './span-bucket';
import { storedSpan } from './stored-span';

export interface FoldResult {
  /** Number of folded parts. */
  readonly parts: number;
  /** Number of parts that can only be folded later, if there are no others. */
  readonly waiting: number;
  /** Rest: parts that can be folded now, or only later, or nothing. */
  readonly left: 'more' | 'later' | 'nothing';
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
  const until = await storage.until({ isFresh: false });
  const page = await storage.partsUpTo(until);
  if (page.parts.length === 0) {
    const waiting = await storage.countParts();
    return { parts: 0, waiting, left: waiting === 0 ? 'nothing' : 'later' };
  }
  for (const [hour, parts] of partsByHour(page.parts)) {
    await foldHour(storage, aggregation, { hour, page: { ...page, parts } });
  }
  // After the hours and before parts are deleted: a span that is announced later is built from
  // hours that contain the parts.
  const spans = await storage.spans();
  for (const span of spans) {
    const isDeleted =
      isSuperseded(span, spans) &&
      foldIntoSpan(aggregation, span, page) !== undefined &&
      (await storage.deleteSpan(span));
    if (!isDeleted) await foldSpan(storage, aggregation, { span, page });
  }
  await storage.markFolded(page.upTo);
  await storage.deleteParts(page.upTo);
  return { parts: page.parts.length, waiting: 0, left: page.isLast ? 'later' : 'more' };
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

/** Stores a bucket with its distinct values. Returns false if another version was stored first. */
async function storeBucket<B extends Bucket>(
  { values }: SeriesStorage,
  { bucket, values: added }: FoldedBucket<B>,
  { name, store }: { readonly name: BucketName; readonly store: (bucket: B) => Promise<boolean> },
): Promise<boolean> {
  if (added.length === 0) return store(bucket);
  const before = bucket.total.values;
  const addition = streamOf(mergePacked(added));
  const streams = before === null ? [addition] : [values.read(name, before), addition];
  const written = await values.write(name, bucket.version, mergedValues(streams));
  const isStored = await store({ ...bucket, total: { ...bucket.total, values: written } });
  // Otherwise the values stay until the bucket is folded again: the store may still take effect.
  if (isStored) await values.deleteOthers(name, written);
  return isStored;
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
