import { Decimal } from '@billing/kernel/decimal';
import { isSameRates } from '@billing/kernel/usage-stretches';
import { quantityOf } from '../meter/aggregation';
import type { WindowUsage } from '../span/read-usage';
import type { MeasuredSeries, Span } from '../usage/hour';
import type { PricedMeter } from '../usage/subscription-period';
import type { DecidedWindow } from './account';
import {
  type BurnableGrant,
  burnCredits,
  type Burning,
  burnStretches,
  grantBoundaries,
  type UsedStretch,
} from './burning';

/** Part of a window in which one product of the subscription prices the meter. */
interface WindowStretch extends Pick<UsedStretch, 'includedUnits' | 'continues'> {
  /** The next stretch begins here. */
  readonly end: Date;
}

/** A period of a subscription, without the spans that an earlier subscription claims. */
export interface UsageWindow extends Span {
  readonly taken: readonly Span[];
  /** At least two, up to the end of the window. Absent: one price holds. */
  readonly stretches?: readonly WindowStretch[];
}

/** Usage from the start of a window to an instant in it, and the credits that cover it. */
export interface UsageMark extends Burning {
  readonly quantity: Decimal;
}

/** Usage of a window and the credits that cover it. */
export interface BurntUsage extends Burning {
  readonly events: number;
  readonly quantity: Decimal;
  /** Usage to the end of each stretch but the last; absent: the window has none. */
  readonly marks?: readonly UsageMark[];
}

/** A window and the grants that may burn for it. */
export interface BurnableWindow {
  readonly window: UsageWindow;
  readonly grants: readonly BurnableGrant[];
}

const none = Decimal.of(0n);

/** The window of a meter in a period, without the spans that other subscriptions claim. */
export function windowOf(
  { span, gaps, stretches }: PricedMeter,
  claimed: readonly Span[],
): UsageWindow {
  const window = { ...span, taken: [...claimed, ...gaps] };
  if (stretches.length === 1) return window;
  return {
    ...window,
    stretches: stretches.map(({ end, price }, index) => {
      const next = stretches[index + 1];
      return {
        end,
        includedUnits: Decimal.parse(price.includedUnits),
        continues: next !== undefined && isSameRates(price, next.price),
      };
    }),
  };
}

/** A window in stored form. */
export function toDecidedWindow(
  { start, end, taken, stretches }: UsageWindow,
  includedUnits: Decimal,
): DecidedWindow {
  return {
    ...{ start, end, includedUnits: includedUnits.toString() },
    taken: taken.filter((span) => span.start < end && start < span.end),
    ...(stretches !== undefined && {
      stretches: stretches.map((stretch) => ({
        end: stretch.end,
        includedUnits: stretch.includedUnits.toString(),
        continues: stretch.continues,
      })),
    }),
  };
}

/** A stored window. */
export function fromDecidedWindow({ start, end, taken, stretches }: DecidedWindow): UsageWindow {
  const window = { start, end, taken };
  if (stretches === undefined) return window;
  return {
    ...window,
    stretches: stretches.map((stretch) => ({
      ...stretch,
      includedUnits: Decimal.parse(stretch.includedUnits),
    })),
  };
}

/** Splits a window wherever a claimed span starts or ends. */
export function allSpans(window: UsageWindow): Span[] {
  return split(window, edgesOf(window));
}

/** The same spans without those that are claimed. */
export function unclaimedSpans(window: UsageWindow): Span[] {
  return unclaimed(allSpans(window), window);
}

/** Unclaimed spans, also split wherever a grant starts or ends. */
export function burningSpans(
  { window, grants }: BurnableWindow,
  series: Pick<MeasuredSeries, 'aggregation'>,
): Span[] {
  const boundaries = isRunning(series) ? grantBoundaries(grants, window) : [];
  return unclaimed(split(window, [...edgesOf(window), ...boundaries]), window);
}

/** The window up to each of its marks: the ends of its stretches but the last. */
export function windowsToMarks({ start, taken, stretches = [] }: UsageWindow): UsageWindow[] {
  return stretches.slice(0, -1).map(({ end }) => ({ start, end, taken }));
}

function edgesOf({ taken, stretches = [] }: UsageWindow): Date[] {
  return [...taken.flatMap(({ start, end }) => [start, end]), ...stretches.map(({ end }) => end)];
}

function split({ start, end }: Span, cuts: readonly Date[]): Span[] {
  if (start >= end) return [];
  const inside = cuts.filter((at) => at > start && at < end).map((at) => at.getTime());
  const starts = [start.getTime(), ...new Set(inside.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({
    start: new Date(from),
    end: new Date(starts[index + 1] ?? end.getTime()),
  }));
}

// The spans ascend, so one pass over the claimed ones is enough: there may be many of both.
function unclaimed(spans: readonly Span[], { taken }: UsageWindow): Span[] {
  const claimed = joined(taken);
  let next = 0;
  return spans.filter((span) => {
    const start = span.start.getTime();
    while ((claimed[next]?.end ?? Infinity) <= start) next += 1;
    return start < (claimed[next]?.start ?? Infinity);
  });
}

/** The same times as ascending spans that do not touch. */
function joined(spans: readonly Span[]): { start: number; end: number }[] {
  const times = spans.map(({ start, end }) => ({ start: start.getTime(), end: end.getTime() }));
  const all: { start: number; end: number }[] = [];
  for (const span of times.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || last.end < span.start) all.push(span);
    else last.end = Math.max(last.end, span.end);
  }
  return all;
}

/**
 * Burns credits for a window. Additive usage burns in order of time; otherwise the final value of
 * each stretch burns at its end.
 */
export function burnWindow(
  usage: BurningUsage,
  series: Pick<MeasuredSeries, 'aggregation'>,
  {
    window,
    grants,
    includedUnits,
  }: {
    readonly window: Pick<UsageWindow, 'end' | 'stretches'>;
    readonly grants: readonly BurnableGrant[];
    /** Included units, if no stretches. */
    readonly includedUnits: Decimal;
  },
): BurntUsage {
  const { events, quantity, marks = [] } = usage;
  const { stretches } = window;
  if (stretches === undefined) {
    const usages = isRunning(series) ? usagesOf(usage.spans, series) : [valueAt(window, quantity)];
    return { ...burnCredits(grants, usages, includedUnits), events, quantity };
  }
  const used = isRunning(series)
    ? usedSpans(usage.spans, series, stretches)
    : usedValues([...marks, quantity], stretches);
  const burnt = burnStretches(grants, used);
  const last = burnt.at(-1);
  if (last === undefined || marks.length !== stretches.length - 1) {
    throw new Error('The stretches of a window were not read');
  }
  const toMarks = burnt.slice(0, -1).map((burning, index) => ({
    ...burning,
    quantity: marks[index] ?? quantity,
  }));
  return { ...last, events, quantity, marks: toMarks };
}

/** Usage of a window, as burning needs it. */
export type BurningUsage = Pick<WindowUsage, 'spans' | 'events' | 'quantity' | 'marks' | 'set'>;

function usagesOf(
  spans: WindowUsage['spans'],
  { aggregation }: Pick<MeasuredSeries, 'aggregation'>,
): UsedStretch['usages'] {
  return spans.map(({ span, total }) => ({
    at: span.start,
    quantity: quantityOf(aggregation, { ...total, distinct: [] }),
  }));
}

// A grant that expires with the period still covers it.
function valueAt({ end }: Pick<Span, 'end'>, quantity: Decimal): UsedStretch['usages'][number] {
  return { at: new Date(end.getTime() - 1), quantity };
}

/** The spans of each stretch. */
function usedSpans(
  spans: WindowUsage['spans'],
  series: Pick<MeasuredSeries, 'aggregation'>,
  stretches: readonly WindowStretch[],
): UsedStretch[] {
  return stretches.map((stretch, index) => {
    const from = stretches[index - 1]?.end;
    const within = spans.filter(
      ({ span: { start } }) => (from === undefined || from <= start) && start < stretch.end,
    );
    return { ...stretch, usages: usagesOf(within, series) };
  });
}

/** Value that each stretch adds; a stretch that continues leaves it to the next. */
function usedValues(
  values: readonly Decimal[],
  stretches: readonly WindowStretch[],
): UsedStretch[] {
  let burnt = none;
  return stretches.map((stretch, index) => {
    if (stretch.continues) return { ...stretch, usages: [] };
    const value = values[index] ?? burnt;
    const added = value.subtract(burnt);
    burnt = value;
    return { ...stretch, usages: [valueAt(stretch, added)] };
  });
}

/** True if usage accumulates event by event. */
function isRunning({ aggregation }: Pick<MeasuredSeries, 'aggregation'>): boolean {
  return aggregation === 'SUM' || aggregation === 'COUNT';
}
