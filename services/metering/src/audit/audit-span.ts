import { isSameData } from '@billing/kernel/equality';
import { mergedRuns } from '../distinct/merge';
import { partsIn } from '../fold/bucket';
import type { SeriesStorage } from '../fold/series-storage';
import { storedSpan } from '../fold/stored-span';
import { sumOfHours } from '../span/build-span';
import { readEventSet } from '../span/named-set';
import { usageWithParts } from '../span/read-spans';
import { hourMs, type MeasuredSeries, type Span } from '../usage/hour';
import { type ShownTotal, shown, valuesIn } from './audit-hour';

/** Result of adding up a kept span again. */
export interface SpanAudit {
  readonly isEqual: boolean;
  readonly stored: ShownTotal;
  /** Sum of the hours and cut minutes of the span. */
  readonly summed: ShownTotal;
}

// Each further attempt follows a fold.
const attemptsMax = 5;

/**
 * Adds up a kept span from its hours and cut minutes, and compares: both with the events up to
 * one epoch. Undefined if the span is not kept, or if folds change its buckets all the time.
 */
export async function auditSpan(
  storage: SeriesStorage,
  series: MeasuredSeries,
  span: Span,
): Promise<SpanAudit | undefined> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { until, parts } = await readEventSet(storage, { isFresh: true });
    const set = { until, parts: partsIn(parts, { above: 0, upTo: until }) };
    const kept = await storedSpan(storage, span);
    if (kept === undefined || kept.isStub) return undefined;
    const first = Math.floor(span.start.getTime() / hourMs);
    const hours = await storage.hourTotals(first, Math.ceil(span.end.getTime() / hourMs));
    if (kept.folded > until) continue;
    const audit = await storage.values.withRuns(span, async (runs) => {
      const sum = await sumOfHours(storage, series, { span, set, hours, runs });
      if (sum === undefined) return undefined;
      const usage = await usageWithParts({ storage, series, set, runs }, kept);
      const storedAs = await valuesIn(await mergedRuns(usage.values.streams, runs));
      const summedAs = await valuesIn(await mergedRuns(sum.values, runs));
      const { aggregation } = series;
      return {
        isEqual: isSameData(usage.total, sum.total) && storedAs.digest === summedAs.digest,
        stored: shown(aggregation, usage.total, storedAs.counted),
        summed: shown(aggregation, sum.total, summedAs.counted),
      };
    });
    if (audit !== undefined) return audit;
  }
  return undefined;
}
