import { Decimal } from '@billing/kernel/decimal';
import type { LargeReads } from '../distinct/run-large-read';
import { mergedRuns, type RunStore } from '../distinct/merge';
import { countedValues } from '../distinct/packed-values';
import { ValuesReplacedError } from '../distinct/value-store';
import { type BareTotal, RunningBareTotal } from '../fold/bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { quantityOf } from '../meter/aggregation';
import type { MeasuredSeries, Span } from '../usage/hour';
import type { ValuesLimit } from './build-span';
import type { NamedSet } from './named-set';
import { readSpans, type SpanUsage } from './read-spans';

/** Usage of the spans of a window. */
interface WindowUsage {
  readonly spans: readonly Pick<SpanUsage, 'span' | 'total'>[];
  readonly events: number;
  readonly quantity: Decimal;
}

/** Usage of some windows, all of one set of events. */
export interface UsageRead {
  readonly set: NamedSet;
  /** In the order of the windows. */
  readonly windows: readonly WindowUsage[];
}

/** Windows to read, each as spans that do not overlap. At least one span. */
export interface UsageQuery {
  readonly environmentId: string;
  readonly windows: readonly (readonly Span[])[];
  readonly largeReads: LargeReads;
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
  const spans = query.windows.flat();
  const [first] = spans;
  if (first === undefined) throw new Error('No spans to read');
  for (;;) {
    try {
      return await storage.values.withRuns(first, async (runs) => {
        const { environmentId, largeReads, signal } = query;
        const limit: ValuesLimit = (values, merge) =>
          largeReads.run({ environmentId, values }, merge, signal);
        const read = await readSpans(storage, series, { spans, runs, limit, signal });
        const { set, usages } = read;
        const waiting = [...usages];
        const windows: WindowUsage[] = [];
        for (const window of query.windows) {
          const own = waiting.splice(0, window.length);
          windows.push(await windowOf(own, series, { limit, runs }));
        }
        return { set, windows };
      });
    } catch (error) {
      // A fold has replaced values while they were read.
      if (!(error instanceof ValuesReplacedError)) throw error;
    }
  }
}

async function windowOf(
  usages: readonly SpanUsage[],
  { aggregation }: Pick<MeasuredSeries, 'aggregation'>,
  counting: { readonly limit: ValuesLimit; readonly runs: RunStore },
): Promise<WindowUsage> {
  const total = sumOf(usages, aggregation);
  const quantity =
    aggregation === 'UNIQUE_COUNT'
      ? Decimal.of(BigInt(await countValues(usages, counting)))
      : quantityOf(aggregation, { ...total, distinct: [] });
  const spans = usages.map((usage) => ({ span: usage.span, total: usage.total }));
  return { spans, events: total.events, quantity };
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
  { limit, runs }: { readonly limit: ValuesLimit; readonly runs: RunStore },
): Promise<number> {
  const nonempty = usages.filter(({ values }) => values.streams.length > 0);
  const [only] = nonempty;
  if (only === undefined) return 0;
  if (nonempty.length === 1 && only.values.counted !== undefined) return only.values.counted;
  const entries = nonempty.reduce((sum, { values }) => sum + values.entries, 0);
  return limit(entries, async () => {
    let counted = 0;
    const streams = nonempty.flatMap(({ values }) => values.streams);
    for await (const block of await mergedRuns(streams, runs)) counted += countedValues(block);
    return counted;
  });
}
