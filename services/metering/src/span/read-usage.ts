import { Decimal } from '@billing/kernel/decimal';
import type { LargeReads } from '../distinct/run-large-read';
import { mergedRuns, type RunStore } from '../distinct/merge';
import { countedValues } from '../distinct/packed-values';
import { ValuesReplacedError } from '../distinct/value-store';
import { type BareTotal, PartsMergedError, RunningBareTotal } from '../fold/bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { quantityOf } from '../meter/aggregation';
import type { MeasuredSeries, Span } from '../usage/hour';
import type { ValuesLimit } from './build-span';
import type { NamedSet } from './named-set';
import { nameOfSpan, readSpans, refuseIfSlow, type SpanUsage } from './read-spans';
import { readSpansOnce } from './read-spans-once';

/** Usage of the spans of a window. */
export interface WindowUsage {
  readonly spans: readonly Pick<SpanUsage, 'span' | 'total'>[];
  readonly events: number;
  readonly quantity: Decimal;
  /** Names the events of the window. */
  readonly set: NamedSet;
  /** Quantity to each mark of the window; absent: it has none. */
  readonly marks?: readonly Decimal[];
}

/** Usage of some windows, all of one set of events. */
export interface UsageRead {
  readonly set: NamedSet;
  /** In the order of the windows. */
  readonly windows: readonly WindowUsage[];
}

/** Usage of a window without spans. */
export const noUsage: WindowUsage = {
  spans: [],
  events: 0,
  quantity: Decimal.of(0n),
  set: { until: 0, flushes: [] },
};

/**
 * Windows to read, each as spans that do not overlap. Windows may share spans. At least one span.
 */
export interface UsageQuery {
  readonly environmentId: string;
  readonly windows: readonly (readonly Span[])[];
  readonly largeReads: LargeReads;
  /** False: the spans are not kept for later reads. Absent: they are. */
  readonly isKept?: boolean;
  /** Aborted when the caller stops waiting, or the read takes too long. */
  readonly signal: AbortSignal;
}

/**
 * Reads the usage of windows. The result contains everything that was acknowledged before the read
 * started.
 */
export async function readUsage(
  storage: SeriesStorage,
  series: MeasuredSeries,
  query: UsageQuery,
): Promise<UsageRead> {
  const named = new Map(query.windows.flat().map((span) => [nameOfSpan(span), span]));
  const spans = [...named.values()];
  const [first] = spans;
  if (first === undefined) throw new Error('No spans to read');
  const cuts = new Set<number>();
  for (;;) {
    try {
      return await storage.values.withRuns(first, async (runs) => {
        const { environmentId, largeReads, signal, isKept = true } = query;
        const limit: ValuesLimit = (values, merge) =>
          largeReads.run({ environmentId, values }, merge, signal);
        const readAll = isKept ? readSpans : readSpansOnce;
        const read = await readAll(storage, series, { spans, cuts, runs, limit, signal });
        const { set, usages } = read;
        const usageOf = new Map(usages.map((usage) => [nameOfSpan(usage.span), usage]));
        const windows: WindowUsage[] = [];
        for (const window of query.windows) {
          const own = window.flatMap((span) => usageOf.get(nameOfSpan(span)) ?? []);
          windows.push(await windowOf(own, series, { limit, runs, set, signal }));
        }
        return { set, windows };
      });
    } catch (error) {
      if (error instanceof PartsMergedError) cuts.add(error.epoch);
      // A fold has replaced values while they were read.
      else if (!(error instanceof ValuesReplacedError)) throw error;
    }
  }
}

/** Dependencies of a count of distinct values. */
interface Counting {
  readonly limit: ValuesLimit;
  readonly runs: RunStore;
  readonly signal: AbortSignal;
}

async function windowOf(
  usages: readonly SpanUsage[],
  { aggregation }: Pick<MeasuredSeries, 'aggregation'>,
  counting: Counting & { readonly set: NamedSet },
): Promise<WindowUsage> {
  const total = sumOf(usages, aggregation);
  const quantity =
    aggregation === 'UNIQUE_COUNT'
      ? Decimal.of(BigInt(await countValues(usages, counting)))
      : quantityOf(aggregation, { ...total, distinct: [] });
  const spans = usages.map((usage) => ({ span: usage.span, total: usage.total }));
  const flushes = [...new Set(usages.flatMap((usage) => usage.flushes))];
  const { until } = counting.set;
  return { spans, events: total.events, quantity, set: { until, flushes } };
}

function sumOf(
  usages: readonly SpanUsage[],
  aggregation: MeasuredSeries['aggregation'],
): BareTotal {
  const running = new RunningBareTotal(aggregation);
  for (const { total } of usages) running.merge(total);
  return running.total();
}

async function countValues(
  usages: readonly SpanUsage[],
  { limit, runs, signal }: Counting,
): Promise<number> {
  const nonempty = usages.filter(({ values }) => values.streams.length > 0);
  const [only] = nonempty;
  if (only === undefined) return 0;
  if (nonempty.length === 1 && only.values.counted !== undefined) return only.values.counted;
  const entries = nonempty.reduce((sum, { values }) => sum + values.entries, 0);
  return limit(entries, async () => {
    let counted = 0;
    const streams = nonempty.flatMap(({ values }) => values.streams);
    for await (const block of await mergedRuns(streams, runs)) {
      refuseIfSlow(signal);
      counted += countedValues(block);
    }
    return counted;
  });
}
