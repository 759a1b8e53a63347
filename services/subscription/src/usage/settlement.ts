import type { BillingPeriod } from '@billing/kernel/billing-period';
import { lastPeriodOf, periodIndexAt, periodOf } from '../subscription/billing-cycle';
import {
  currentPeriod,
  endedWithin,
  firstBilledPeriod,
  type Subscription,
} from '../subscription/subscription';
import { endBefore, mayStillChange } from './usage-period';

/** The periods whose usage one bill settles, in a request to metering. */
export interface Settlement {
  /** Idempotency key, unique in the subscription. */
  readonly key: string;
  /**
   * Index of the last period. Earlier periods are settled again if events of them may have arrived
   * since the previous settlement.
   */
  readonly through: number;
}

/** A settled period, shortened if the subscription ended in it. */
export interface SettledPeriod extends BillingPeriod {
  readonly index: number;
  /** The first instant whose usage is not counted any more. */
  readonly countedUntil: Date;
}

/** The settlement for the bill of period n: the usage up to period n - 1. */
export function settlementBefore(periodIndex: number): Settlement {
  return { key: `period:${String(periodIndex - 1)}`, through: periodIndex - 1 };
}

/** The settlement for the bill of the end of a cycle whose last period is n. */
export function settlementAtCycleEnd(periodIndex: number): Settlement {
  return { key: `cut:${String(periodIndex)}`, through: periodIndex };
}

/**
 * Lists the periods of a settlement, oldest first; none if `through` is before the first billed
 * period.
 *
 * The previous settlement belongs to the bill of period `through`, so it was made at the end of the
 * period before or later. Periods that no event can enter after that instant are omitted. If the
 * subscription ended within period `through`, its bill may not exist; then the bill before it
 * counts.
 */
export function settledPeriods(
  subscription: Subscription,
  creation: { readonly createdAt: Date },
  { through }: Settlement,
): SettledPeriod[] {
  const first = firstBilledPeriod(subscription, creation);
  const periods: SettledPeriod[] = [];
  if (through < first) return periods;
  const billed = endedWithin(subscription, through) ? Math.max(through - 1, first) : through;
  const previousSettlementAt = endBefore(subscription, billed);
  for (let index = through; index >= first; index -= 1) {
    if (index < through && !mayStillChange(subscription, index, previousSettlementAt)) break;
    const period = periodOf(subscription, index);
    const countedUntil = countedUntilOf(subscription, index, period);
    periods.unshift({ index, ...untilEnd(subscription, period), countedUntil });
  }
  return periods;
}

/** A trial or billed period that overlaps a requested span. */
export interface OverlappingPeriod {
  /** Null: the trial. */
  readonly index: number | null;
  /** The whole period, up to the first instant whose usage is not counted any more. */
  readonly period: BillingPeriod;
  /** The part of it within the span. */
  readonly overlap: BillingPeriod;
}

/** Lists a subscription's trial and billed periods that overlap a span of time. */
export function overlappingPeriods(
  subscription: Subscription,
  creation: { readonly createdAt: Date },
  span: BillingPeriod,
): OverlappingPeriod[] {
  const { anchor, trialStart, trialEnd } = subscription;
  const found: OverlappingPeriod[] = [];
  const add = (index: number | null, whole: BillingPeriod) => {
    const period = { start: whole.start, end: countedUntilOf(subscription, index, whole) };
    const start = later(period.start, span.start);
    const end = earlier(period.end, span.end);
    if (start < end) found.push({ index, period, overlap: { start, end } });
  };
  if (trialStart !== null && trialEnd !== null) add(null, { start: trialStart, end: trialEnd });
  const from = later(span.start, anchor);
  const first = firstBilledPeriod(subscription, creation);
  const last = lastPeriodOf(subscription) ?? Infinity;
  for (let index = Math.max(periodIndexAt(subscription, from), first); index <= last; index += 1) {
    const period = periodOf(subscription, index);
    if (period.start >= span.end) break;
    add(index, period);
  }
  return found;
}

/** The last period of the subscription, up to its end. */
export function lastPeriod(subscription: Subscription): BillingPeriod {
  return untilEnd(subscription, currentPeriod(subscription));
}

/**
 * Time from which the usage of a period is no longer counted. A subscription that ends immediately
 * includes the usage of that instant: its caller may have sent it right before.
 */
function countedUntilOf(
  subscription: Subscription,
  index: number | null,
  period: BillingPeriod,
): Date {
  const { endedAt, canceledAt, periodIndex, pausedAt } = subscription;
  if (endedAt === null || endedAt > period.end) return period.end;
  // The pause that it ended in begins with the end of the period.
  if (pausedAt !== null) return period.end;
  const endedImmediately = canceledAt?.getTime() === endedAt.getTime();
  const isLast = index === periodIndex;
  return endedImmediately && isLast ? new Date(endedAt.getTime() + 1) : endedAt;
}

function untilEnd({ endedAt }: Subscription, { start, end }: BillingPeriod): BillingPeriod {
  return { start, end: endedAt === null ? end : earlier(end, endedAt) };
}

function earlier(a: Date, b: Date): Date {
  return a <= b ? a : b;
}

function later(a: Date, b: Date): Date {
  return a >= b ? a : b;
}
