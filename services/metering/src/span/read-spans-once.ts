import type { RunStore } from '../distinct/merge';
import type { SeriesStorage } from '../fold/series-storage';
import type { SpanBucket } from '../fold/span-bucket';
import type { MeasuredSeries, Span } from '../usage/hour';
import { sumOfHours } from './build-span';
import { nameOf, readEventSet } from './named-set';
import {
  hoursOfAll,
  nameOfSpan,
  refuseIfSlow,
  type SpansQuery,
  type SpansRead,
  type SpanUsage,
  storedSpans,
  usageWithParts,
} from './read-spans';

/** Dependencies of a sum, and the events that it contains. */
type Counting = Parameters<typeof usageWithParts>[0];

/**
 * Reads spans of a series as `readSpans` does, and keeps none of them: for spans that are not read
 * again. No stub is needed, because the sum of the hours is not stored.
 */
export async function readSpansOnce(
  storage: SeriesStorage,
  series: MeasuredSeries,
  { spans, cuts, runs, signal }: Pick<SpansQuery, 'spans' | 'cuts' | 'runs' | 'signal'>,
): Promise<SpansRead> {
  for (let isFresh = false; ; isFresh = true) {
    refuseIfSlow(signal);
    const set = await readEventSet(storage, { isFresh, spans, cuts });
    const counting = { storage, series, set, runs };
    const usages = await usagesOf(counting, spans, signal);
    if (usages !== undefined) return { set: nameOf(set), usages };
  }
}

/** Undefined if a bucket contains events outside of the set. */
async function usagesOf(
  counting: Counting,
  spans: readonly Span[],
  signal: AbortSignal,
): Promise<SpanUsage[] | undefined> {
  const { storage, set } = counting;
  const stored = await storedSpans(storage, spans);
  const keptOf = (span: Span) => {
    const found = stored.get(nameOfSpan(span));
    return found?.isStub === false ? found : undefined;
  };
  const hours = await hoursOfAll(
    storage,
    spans.filter((span) => keptOf(span) === undefined),
  );
  const usages: SpanUsage[] = [];
  for (const span of spans) {
    refuseIfSlow(signal);
    const kept = keptOf(span);
    if (kept !== undefined && kept.folded > set.until) return undefined;
    const usage =
      kept === undefined
        ? await summed(counting, { span, hours })
        : await usageWithParts(counting, kept);
    if (usage === undefined) return undefined;
    usages.push(usage);
  }
  return usages;
}

/** Adds up a span from its hours and the parts of the set. */
async function summed(
  counting: Counting & { readonly runs: RunStore },
  { span, hours }: { readonly span: Span; readonly hours: Awaited<ReturnType<typeof hoursOfAll>> },
): Promise<SpanUsage | undefined> {
  const { storage, series, set, runs } = counting;
  const query = { span, set, hours, runs, keepsCuts: false };
  const sum = await sumOfHours(storage, series, query);
  if (sum === undefined) return undefined;
  const total = { ...sum.total, values: null };
  const bucket: Pick<SpanBucket, 'start' | 'end' | 'folded' | 'total'> = {
    ...span,
    folded: set.until,
    total,
  };
  const usage = await usageWithParts(counting, bucket);
  if (sum.values.length === 0) return usage;
  const { streams, entries } = usage.values;
  const values = {
    streams: [...streams, ...sum.values],
    entries: entries + sum.storedValues,
    counted: undefined,
  };
  return { ...usage, values };
}
