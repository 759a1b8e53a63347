import type { BillingPeriod } from '@billing/kernel/billing-period';
import { periodContaining } from '@billing/kernel/billing-period';
import {
  currentPeriod,
  endedWithin,
  firstBilledPeriod,
  periodOf,
  type Subscription,
} from '../subscription/subscription';
import { mayStillChange } from './usage-period';

/** Selects the periods of a settlement. */
export interface Settlement {
  /** Idempotency key, unique in the subscription. */
  readonly key: string;
  /** The last period; earlier ones are settled again while events of them may have arrived. */
  readonly through: number;
}

/** A billed period, cut off where the subscription ended in it. */
export interface SettledPeriod extends BillingPeriod {
  readonly index: number;
  /** The first instant whose usage is not counted any more. */
  readonly countedUntil: Date;
}

/** The settlement for the bill of a period: the periods before it. */
export function settlementBefore(periodIndex: number): Settlement {
  return { key: `period:${String(periodIndex - 1)}`, through: periodIndex - 1 };
}

/**
 * Lists the periods of a settlement, oldest first; none when the first one has not been billed. The
 * previous settlement was made when the last of them began, or later: every event since then
 * belongs to this one. For a period in which the subscription ended the bill may never have been
 * created, nor the settlement for it.
 */
export function settledPeriods(
  subscription: Subscription,
  made: { readonly createdAt: Date },
  { through }: Settlement,
): SettledPeriod[] {
  const first = firstBilledPeriod(subscription, made);
  const periods: SettledPeriod[] = [];
  if (through < first) return periods;
  const billed = endedWithin(subscription, through) ? Math.max(through - 1, first) : through;
  const { start: settledBefore } = periodOf(subscription, billed);
  for (let index = through; index >= first; index -= 1) {
    if (index < through && !mayStillChange(subscription, index, settledBefore)) break;
    const period = periodOf(subscription, index);
    const countedUntil = countedUntilOf(subscription, index, period);
    periods.unshift({ index, ...untilEnd(subscription, period), countedUntil });
  }
  return periods;
}

/** A period in which a subscription lived, cut off at the end. */
export interface LivedPeriod {
  /** Null: the trial. */
  readonly index: number | null;
  /** Ends with the first instant whose usage is not counted any more. */
  readonly period: BillingPeriod;
  /** The requested part of it. */
  readonly overlap: BillingPeriod;
}

/** Lists a subscription's trial and billed periods that overlap a span of time. */
export function livedWithin(
  subscription: Subscription,
  made: { readonly createdAt: Date },
  span: BillingPeriod,
): LivedPeriod[] {
  const { anchor, price, trialStart, trialEnd } = subscription;
  const found: LivedPeriod[] = [];
  const add = (index: number | null, whole: BillingPeriod) => {
    const period = { start: whole.start, end: countedUntilOf(subscription, index, whole) };
    const start = later(period.start, span.start);
    const end = earlier(period.end, span.end);
    if (start < end) found.push({ index, period, overlap: { start, end } });
  };
  if (trialStart !== null && trialEnd !== null) add(null, { start: trialStart, end: trialEnd });
  const from = later(span.start, anchor);
  const { index: current } = periodContaining(anchor, price, from);
  for (let index = Math.max(current, firstBilledPeriod(subscription, made)); ; index += 1) {
    const period = periodOf(subscription, index);
    if (period.start >= span.end) return found;
    add(index, period);
  }
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
  const { endedAt, canceledAt, periodIndex } = subscription;
  if (endedAt === null || endedAt > period.end) return period.end;
  const endedAtOnce = canceledAt?.getTime() === endedAt.getTime();
  const isLast = index === periodIndex;
  return endedAtOnce && isLast ? new Date(endedAt.getTime() + 1) : endedAt;
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
