import type { RunStore, ValueStream } from '../distinct/merge';
import type { StoredValues } from '../distinct/value-store';
import type { MeasuredEvent } from '../meter/aggregation';
import type { Span } from '../usage/hour';
import type { NumberedPart } from './bucket';
import type { HourBucket, HourTotal } from './hour-bucket';
import type { PartHours } from './merged-parts';
import type { SpanBucket } from './span-bucket';

/** An event and the flush that stored it. */
export type FlushedEvent = MeasuredEvent & Pick<NumberedPart, 'epoch' | 'flush'>;

/** Parts of complete epochs. */
export interface PartPage {
  readonly parts: readonly NumberedPart[];
  /** The page has all parts up to this epoch. */
  readonly upTo: number;
  readonly isLast: boolean;
}

/** The usage of parts that a read needs. */
export interface PartsQuery {
  /** Absent: all hours. */
  readonly hours?: PartHours;
  /** Epochs across which parts are not merged. */
  readonly cuts: readonly number[];
}

/** A bucket of the series, as the owner of distinct values. */
export type BucketName = { readonly hour: number } | { readonly start: Date; readonly end: Date };

/** Distinct values of the buckets of a series. */
export interface BucketValues {
  /** Stores the values of a version of a bucket, before the bucket itself. */
  write(bucket: BucketName, version: number, stream: ValueStream): Promise<StoredValues>;
  /** Fails with ValuesReplacedError if the values were deleted. */
  read(bucket: BucketName, stored: StoredValues): ValueStream;
  /** Deletes values of earlier versions, and of writes that lost the race for this version. */
  deleteOthers(bucket: BucketName, stored: StoredValues): Promise<void>;
  /** Deletes values to which no version of the bucket can refer. */
  delete(bucket: BucketName, stored: StoredValues): Promise<void>;
  /** Runs a merge that may store intermediate results, and deletes those. */
  withRuns<T>(bucket: BucketName, merge: (runs: RunStore) => Promise<T>): Promise<T>;
}

/**
 * Storage of one series. Each call is one step: a crash may come after it, it may take effect late
 * or twice, and it may take effect even if its reply is lost.
 */
export interface SeriesStorage {
  readonly values: BucketValues;
  /** Up to this epoch, no event and no part can be added any more. */
  until(options: { readonly isFresh: boolean }): Promise<number>;
  /**
   * All parts, with the usage of the hours that are asked for. Parts that are too large for the
   * memory of a read are merged. Fails with UNAVAILABLE if they are still too large.
   */
  parts(query: PartsQuery): Promise<readonly NumberedPart[]>;
  countParts(): Promise<number>;
  /** Parts up to an epoch, the first if there are many. */
  partsUpTo(epoch: number): Promise<PartPage>;
  /** Stored hours, from one to before another. */
  hours(from: number, until: number): Promise<readonly HourBucket[]>;
  /** The same hours without their minutes and cuts. */
  hourTotals(from: number, until: number): Promise<readonly HourTotal[]>;
  /** Stores an hour if the version before it is stored. */
  storeHour(hour: HourBucket): Promise<boolean>;
  /** Stores the cuts of an hour if it still has their version. */
  storeCuts(hour: HourBucket): Promise<void>;
  /** Kept spans and stubs that start in a span of time, or all. */
  spans(within?: Span): Promise<readonly SpanBucket[]>;
  /** Inserts the stubs of spans that are not kept or announced; returns what is stored of them. */
  announce(spans: readonly Span[]): Promise<readonly SpanBucket[]>;
  /** Stores a span if the version before it is stored. */
  storeSpan(span: SpanBucket): Promise<boolean>;
  /** Stores several spans in the same way. Returns false unless all were stored. */
  storeSpans(spans: readonly SpanBucket[]): Promise<boolean>;
  /**
   * Deletes a span that was not read for more than a day. Returns false if it was changed or read
   * since, and is kept.
   */
  deleteSpan(span: SpanBucket): Promise<boolean>;
  /** Records that spans are in use, unless their last record is less than a day old. */
  recordReads(spans: readonly SpanBucket[]): Promise<void>;
  /** Records how far the series is folded. */
  markFolded(epoch: number): Promise<void>;
  /** Deletes the parts up to an epoch. */
  deleteParts(epoch: number): Promise<void>;
  /** Events of a span, in any order. */
  events(span: Span): AsyncIterable<FlushedEvent>;
}
