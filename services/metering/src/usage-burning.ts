import type { Decimal } from '@billing/kernel/decimal';
import { mergedTotal, type PartialTotal, quantityOf } from './aggregation';
import { type BurnableGrant, burnCredits, type Burning, grantBoundaries } from './credit-burning';
import type { MeasuredSeries, Span, UsageStorage } from './usage-hour';
import { readUsage } from './usage-reading';

/** A period of which a subscription takes the usage, but for spans that an earlier one takes. */
export interface UsageWindow extends Span {
  readonly taken: readonly Span[];
}

/** The usage of a window, and what credits cover of it. */
export interface BurntUsage extends Burning {
  readonly events: number;
  readonly quantity: Decimal;
}

/** The totals of a window, cut wherever a grant begins or ends, or somebody else takes the usage. */
export interface WindowUsage {
  readonly spans: readonly { readonly start: Date; readonly total: PartialTotal }[];
}

/** Reads what the grants of a moment need to be told of a window. */
export async function readWindow(
  storage: UsageStorage,
  series: MeasuredSeries,
  { window, grants }: { readonly window: UsageWindow; readonly grants: readonly BurnableGrant[] },
): Promise<WindowUsage> {
  const edges = window.taken.flatMap(({ start, end }) => [start, end]);
  const cuts = new Set(
    [...edges, ...(isRunning(series) ? grantBoundaries(grants, window) : [])]
      .filter((at) => at > window.start && at < window.end)
      .map((at) => at.getTime()),
  );
  const boundaries = [...cuts].sort((a, b) => a - b).map((time) => new Date(time));
  const totals = await readUsage(storage, series, { window, boundaries });
  const starts = [window.start, ...boundaries];
  const spans = totals.map((total, index) => ({ start: starts[index] ?? window.end, total }));
  const isTaken = (at: Date) => window.taken.some(({ start, end }) => start <= at && at < end);
  return { spans: spans.filter(({ start }) => !isTaken(start)) };
}

/** Burns credits for a window. Where events add up they burn in order of time; else the final value burns at the period's end. */
export function burnWindow(
  { spans }: WindowUsage,
  series: Pick<MeasuredSeries, 'aggregation'>,
  {
    window,
    grants,
    includedUnits,
  }: {
    readonly window: Span;
    readonly grants: readonly BurnableGrant[];
    readonly includedUnits: Decimal;
  },
): BurntUsage {
  const { aggregation } = series;
  const whole = mergedTotal(
    aggregation,
    spans.map(({ total }) => total),
  );
  const quantity = quantityOf(aggregation, whole);
  // A grant that ends with the period still counts for it.
  const last = new Date(window.end.getTime() - 1);
  const usages = isRunning(series)
    ? spans.map(({ start, total }) => ({ at: start, quantity: quantityOf(aggregation, total) }))
    : [{ at: last, quantity }];
  return { ...burnCredits(grants, usages, includedUnits), events: whole.events, quantity };
}

/** Whether the usage of a period grows event by event. */
function isRunning({ aggregation }: Pick<MeasuredSeries, 'aggregation'>): boolean {
  return aggregation === 'SUM' || aggregation === 'COUNT';
}
