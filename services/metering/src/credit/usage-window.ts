import type { Decimal } from '@billing/kernel/decimal';
import { quantityOf } from '../meter/aggregation';
import type { WindowUsage } from '../span/read-usage';
import type { MeasuredSeries, Span } from '../usage/hour';
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

/** A window and the grants that may burn for it. */
export interface BurnableWindow {
  readonly window: UsageWindow;
  readonly grants: readonly BurnableGrant[];
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

function edgesOf({ taken }: UsageWindow): Date[] {
  return taken.flatMap(({ start, end }) => [start, end]);
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

function unclaimed(spans: readonly Span[], { taken }: UsageWindow): Span[] {
  const isClaimed = ({ start }: Span) => taken.some((one) => one.start <= start && start < one.end);
  return spans.filter((span) => !isClaimed(span));
}

/**
 * Burns credits for a window. Additive usage burns in order of time; otherwise the final value
 * burns at the end of the period.
 */
export function burnWindow(
  { spans, events, quantity }: Pick<WindowUsage, 'spans' | 'events' | 'quantity'>,
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
  // A grant that expires with the period still covers it.
  const last = new Date(window.end.getTime() - 1);
  const usages = isRunning(series)
    ? spans.map(({ span, total }) => ({
        at: span.start,
        quantity: quantityOf(aggregation, { ...total, distinct: [] }),
      }))
    : [{ at: last, quantity }];
  return { ...burnCredits(grants, usages, includedUnits), events, quantity };
}

/** True if usage accumulates event by event. */
function isRunning({ aggregation }: Pick<MeasuredSeries, 'aggregation'>): boolean {
  return aggregation === 'SUM' || aggregation === 'COUNT';
}
