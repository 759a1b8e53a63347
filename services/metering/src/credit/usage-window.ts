import type { Decimal } from '@billing/kernel/decimal';
import { mergedTotal, type PartialTotal, quantityOf } from '../meter/aggregation';
import type { MeasuredSeries, Span, UsageStorage } from '../usage/hour';
import { readUsage } from '../usage/reading';
import { type BurnableGrant, burnCredits, type Burning, grantBoundaries } from './burning';

/** A period of a subscription, without the spans that an earlier subscription claims. */
export interface UsageWindow extends Span {
  readonly taken: readonly Span[];
}

/** Usage of a window and the credits that cover it. */
export interface BurntUsage extends Burning {
  readonly events: number;
  readonly quantity: Decimal;
}

/** Totals of a window, split wherever a grant starts or ends, or a claimed span starts or ends. */
export interface WindowUsage {
  readonly spans: readonly { readonly start: Date; readonly total: PartialTotal }[];
}

/** A window and the grants that may burn for it. */
export interface BurnableWindow {
  readonly window: UsageWindow;
  readonly grants: readonly BurnableGrant[];
}

/** Reads the totals that the current grants need for a window. */
export async function readWindow(
  storage: UsageStorage,
  series: MeasuredSeries,
  { window, grants }: BurnableWindow,
): Promise<WindowUsage> {
  const whole = await readWhole(storage, series, {
    window,
    cuts: cutsOf({ window, grants }, series),
  });
  return withinWindow(whole, window);
}

/** Reads windows given in order of time; adjacent ones with one query. */
export async function readWindows(
  storage: UsageStorage,
  series: MeasuredSeries,
  windows: readonly BurnableWindow[],
): Promise<WindowUsage[]> {
  const read: WindowUsage[] = [];
  for (const group of adjoining(windows)) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const window = { start: first.window.start, end: last.window.end };
    const edges = group.slice(1).map((one) => one.window.start.getTime());
    const cuts = [...edges, ...group.flatMap((one) => cutsOf(one, series))];
    const whole = await readWhole(storage, series, { window, cuts });
    read.push(...group.map((one) => withinWindow(whole, one.window)));
  }
  return read;
}

/** Split points inside a window, in ms. */
function cutsOf({ window, grants }: BurnableWindow, series: MeasuredSeries): number[] {
  const edges = window.taken.flatMap(({ start, end }) => [start, end]);
  return [...edges, ...(isRunning(series) ? grantBoundaries(grants, window) : [])]
    .filter((at) => at > window.start && at < window.end)
    .map((at) => at.getTime());
}

async function readWhole(
  storage: UsageStorage,
  series: MeasuredSeries,
  { window, cuts }: { readonly window: Span; readonly cuts: readonly number[] },
): Promise<WindowUsage> {
  const boundaries = [...new Set(cuts)].sort((a, b) => a - b).map((time) => new Date(time));
  const totals = await readUsage(storage, series, { window, boundaries });
  const starts = [window.start, ...boundaries];
  return { spans: totals.map((total, index) => ({ start: starts[index] ?? window.end, total })) };
}

function withinWindow({ spans }: WindowUsage, { start, end, taken }: UsageWindow): WindowUsage {
  const isClaimed = (at: Date) => taken.some((one) => one.start <= at && at < one.end);
  return {
    spans: spans.filter((one) => one.start >= start && one.start < end && !isClaimed(one.start)),
  };
}

/** Groups adjacent windows: each window of a group starts at the end of the previous one. */
function adjoining(windows: readonly BurnableWindow[]): BurnableWindow[][] {
  const groups: BurnableWindow[][] = [];
  for (const one of windows) {
    const group = groups.at(-1);
    const isNext = group?.at(-1)?.window.end.getTime() === one.window.start.getTime();
    if (group !== undefined && isNext) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

/**
 * Burns credits for a window. Additive usage burns in order of time; otherwise the final value
 * burns at the end of the period.
 */
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
  // A grant that expires with the period still covers it.
  const last = new Date(window.end.getTime() - 1);
  const usages = isRunning(series)
    ? spans.map(({ start, total }) => ({ at: start, quantity: quantityOf(aggregation, total) }))
    : [{ at: last, quantity }];
  return { ...burnCredits(grants, usages, includedUnits), events: whole.events, quantity };
}

/** True if usage accumulates event by event. */
function isRunning({ aggregation }: Pick<MeasuredSeries, 'aggregation'>): boolean {
  return aggregation === 'SUM' || aggregation === 'COUNT';
}
