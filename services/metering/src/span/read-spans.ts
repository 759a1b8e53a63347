import { Semaphore } from '@billing/chassis/semaphore';
import { DomainError } from '@billing/kernel/domain-error';
import { type RunStore, streamOf, type ValueStream } from '../distinct/merge';
import { entryBytes, mergePacked } from '../distinct/packed-values';
import type { PartMinute } from '../flush/part';
import { type BareTotal, flushesOf, partsIn, RunningBareTotal } from '../fold/bucket';
import { entriesIn, minuteMs, placeOf } from '../fold/entries';
import type { HourTotal } from '../fold/hour-bucket';
import type { FlushedEvent, SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import { hourMs, type MeasuredSeries, type Span } from '../usage/hour';
import { buildSpan, storeBuilt, type ValuesLimit } from './build-span';
import { type EventSet, isIn, type NamedSet, nameOf, readEventSet } from './named-set';
import { countRaw } from './raw-count';

/** Usage of a span. */
export interface SpanUsage {
  readonly span: Span;
  readonly total: BareTotal;
  /** UNIQUE_COUNT only. */
  readonly values: SpanValues;
  /** Flushes above `until` of the set that may have events in the span. */
  readonly flushes: readonly string[];
}

/** Distinct values of a span. */
interface SpanValues {
  readonly streams: readonly ValueStream[];
  /** Upper limit of the number of values. */
  readonly entries: number;
  /** Exact number of values; undefined: the streams have to be merged. */
  readonly counted: number | undefined;
}

export interface SpansRead {
  readonly set: NamedSet;
  /** In the order of the spans. */
  readonly usages: readonly SpanUsage[];
}

/** Spans to read, each once, and the bounds of the read. */
export interface SpansQuery {
  readonly spans: readonly Span[];
  /** See `readEventSet`. */
  readonly cuts: ReadonlySet<number>;
  readonly runs: RunStore;
  readonly limit: ValuesLimit;
  /** Aborted when the caller stops waiting, or the read takes too long. */
  readonly signal: AbortSignal;
}

// Spans that are built at the same time. Those of distinct values hold blocks of values in memory.
const concurrentBuilds = 8;

/**
 * Reads spans of a series at once: all of them contain exactly the events of one set. A span is
 * kept for later reads. A span is built from hours after it was announced by a stub: a fold that
 * deletes parts then finds the stub, and a total that lacks these parts is not stored.
 */
export async function readSpans(
  storage: SeriesStorage,
  series: MeasuredSeries,
  { spans, cuts, runs, limit, signal }: SpansQuery,
): Promise<SpansRead> {
  const stubs = new Map<string, SpanBucket>();
  for (let isFresh = false; ; isFresh = true) {
    refuseIfSlow(signal);
    const set = await readEventSet(storage, { isFresh, spans, cuts });
    const stored = await storedSpans(storage, spans);
    const missing = spans.filter((span) => stored.get(nameOfSpan(span))?.isStub !== false);
    const unannounced = missing.filter((span) => !stubs.has(nameOfSpan(span)));
    if (unannounced.length > 0) {
      for (const span of await storage.announce(unannounced)) stubs.set(nameOfSpan(span), span);
      continue;
    }
    const buckets = await bucketsOf(storage, series, {
      ...{ spans, kept: stored, stubs, set },
      ...{ limit, signal },
    });
    if (buckets !== undefined) {
      const counting = { storage, series, set, runs };
      const usages: SpanUsage[] = [];
      for (const bucket of buckets) usages.push(await usageWithParts(counting, bucket));
      await storage.recordReads(buckets);
      return { set: nameOf(set), usages };
    }
    // A later version of a stub, read before the next set of parts.
    for (const [name, span] of stored) if (span.isStub) stubs.set(name, span);
  }
}

/** Kept spans and stubs, by name. */
export async function storedSpans(
  storage: SeriesStorage,
  spans: readonly Span[],
): Promise<Map<string, SpanBucket>> {
  const starts = spans.map(({ start }) => start.getTime());
  const within = {
    start: new Date(Math.min(...starts)),
    end: new Date(Math.max(...starts) + 1),
  };
  const found = await storage.spans(within);
  return new Map(found.map((span) => [nameOfSpan(span), span]));
}

/** Kept spans, and built ones; undefined if one of them contains events outside of the set. */
async function bucketsOf(
  storage: SeriesStorage,
  series: MeasuredSeries,
  {
    spans,
    kept,
    stubs,
    set,
    limit,
    signal,
  }: Omit<SpansQuery, 'runs' | 'cuts'> & {
    /** Stored spans, stubs among them. */
    readonly kept: ReadonlyMap<string, SpanBucket>;
    readonly stubs: ReadonlyMap<string, SpanBucket>;
    readonly set: EventSet;
  },
): Promise<SpanBucket[] | undefined> {
  const isMissing = (span: Span) => kept.get(nameOfSpan(span))?.isStub !== false;
  const hours = await hoursOfAll(storage, spans.filter(isMissing));
  const builds = new Semaphore(series.aggregation === 'UNIQUE_COUNT' ? 1 : concurrentBuilds);
  const built = await Promise.all(
    spans.filter(isMissing).map(async (span) => {
      const stub = stubs.get(nameOfSpan(span));
      if (stub === undefined) return undefined;
      return builds.run(() => {
        refuseIfSlow(signal);
        return buildSpan(storage, series, { stub, set, hours, limit });
      });
    }),
  );
  const complete = built.filter((one) => one !== undefined);
  const isBare = ({ total }: SpanBucket) => total.values === null;
  const stored = await storeBuilt(storage, complete.filter(isBare));
  const finished = [...kept.values()].filter(({ isStub }) => !isStub);
  const all = [...finished, ...complete.filter((one) => !isBare(one)), ...stored];
  const found = new Map(all.map((one) => [nameOfSpan(one), one]));
  const buckets = spans.flatMap((span) => found.get(nameOfSpan(span)) ?? []);
  const isWhole = buckets.length === spans.length;
  return isWhole && buckets.every(({ folded }) => folded <= set.until) ? buckets : undefined;
}

/** Totals of all hours that some spans touch. */
export async function hoursOfAll(
  storage: SeriesStorage,
  spans: readonly Span[],
): Promise<readonly HourTotal[]> {
  if (spans.length === 0) return [];
  const first = Math.min(...spans.map(({ start }) => Math.floor(start.getTime() / hourMs)));
  const last = Math.max(...spans.map(({ end }) => Math.ceil(end.getTime() / hourMs)));
  return storage.hourTotals(first, last);
}

/** Adds the parts that a kept span does not contain. */
export async function usageWithParts(
  {
    storage,
    series,
    set,
    runs,
  }: {
    readonly storage: SeriesStorage;
    readonly series: MeasuredSeries;
    readonly set: EventSet;
    readonly runs: RunStore;
  },
  bucket: Pick<SpanBucket, 'start' | 'end' | 'folded' | 'total'>,
): Promise<SpanUsage> {
  const { folded, start, end } = bucket;
  const span = { start, end };
  const { aggregation } = series;
  const fresh = partsIn(set.parts, { above: folded, upTo: Infinity });
  const { total, values, cut } = entriesIn(aggregation, fresh, span);
  const running = new RunningBareTotal(aggregation);
  running.merge(bucket.total);
  running.merge(total);
  const added = mergePacked(values);
  const streams = values.length === 0 ? [] : [streamOf(added)];
  const inSet = isIn(nameOf(set));
  const isCounted = (event: FlushedEvent) => event.epoch > folded && inSet(event);
  for (const piece of cut) {
    const raw = await countRaw(storage, series, { span: piece, isCounted, runs });
    running.merge(raw.total);
    streams.push(...raw.values);
  }
  const stored = bucket.total.values;
  const isAdded = streams.length > 0;
  if (stored !== null) streams.push(storage.values.read(span, stored));
  return {
    span,
    total: running.total(),
    values: {
      streams,
      entries: (stored?.entries ?? 0) + added.length / entryBytes,
      counted: isAdded ? undefined : (stored?.counted ?? 0),
    },
    flushes: flushesIn(set, span),
  };
}

function flushesIn({ until, parts }: EventSet, span: Span): string[] {
  const isInside = ([minute]: PartMinute) => placeOf(minute * minuteMs, span) !== 'outside';
  const own = parts.filter(({ epoch, minutes }) => epoch > until && minutes.some(isInside));
  return own.flatMap(flushesOf);
}

/** Key of a span in a map. */
export function nameOfSpan({ start, end }: Span): string {
  return `${String(start.getTime())}:${String(end.getTime())}`;
}

/** Ends a read that takes too long. */
export function refuseIfSlow(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new DomainError('unavailable', 'USAGE_READ_TIMEOUT', 'Service unavailable');
}
