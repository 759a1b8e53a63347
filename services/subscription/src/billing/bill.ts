import { sumOf } from '@billing/kernel/money';
import { overLimitAfter } from '../over-limit/over-limit-bill';
import { type PeriodLine, periodLines } from '../subscription/recurring-charge';
import { periodOf } from '../subscription/billing-cycle';
import {
  coversPeriod,
  isForProduct,
  isSameRedemption,
  runningDiscount,
} from '../subscription/discount';
import { type BilledPutOff, putOffOn, totalOfLines } from '../subscription/put-off';
import { type DiscountSnapshot, mainItem, type Subscription } from '../subscription/subscription';
import { type CycleEndBill, isBilled, type UsageBilling } from '../subscription/usage-billing';
import {
  isBillable,
  type SettledUsage,
  type UsageBill,
  type UsageLine,
  usageLines,
  withinSubtotal,
} from '../usage/usage-line';
import { withCycleEndsBilledBy } from '../usage/cycle-end-bill';
import { lateForMs } from '../usage/usage-period';

/** The content of one bill. */
export type Billed = UsageBill & { readonly isBillable: boolean };

/**
 * Computes the bill of a period: its recurring charges, the lines put off, and the usage of the
 * periods before it.
 */
export function periodBill(
  subscription: Subscription,
  periodIndex: number,
  settled: readonly SettledUsage[],
): Billed & { readonly recurring: readonly PeriodLine[]; readonly putOff: BilledPutOff } {
  const recurring = periodLines(subscription, periodIndex);
  const putOff = putOffOn(subscription, [periodIndex]);
  const ofPeriod = sumOf(recurring.map(({ amount }) => amount));
  return { recurring, putOff, ...billOf(subscription, usageLines(settled), { ofPeriod, putOff }) };
}

/** Computes the bill of usage and lines put off alone, with the usage lines of a voided invoice. */
export function endBill(
  subscription: Subscription,
  settled: readonly SettledUsage[],
  { owed, putOff }: { readonly owed: readonly UsageLine[]; readonly putOff: BilledPutOff },
): Billed {
  return billOf(subscription, [...usageLines(settled), ...owed], { ofPeriod: 0n, putOff });
}

/**
 * True when the discount applies to the bill of a period. This is decided when the period is
 * entered, except where only usage costs anything: then the first bill with an amount begins the
 * discount's span.
 */
export function isBillDiscounted(
  subscription: Subscription,
  { periodIndex, isDiscounted, lines }: DiscountedBill,
): boolean {
  const discount = runningDiscount({ ...subscription, periodIndex });
  if (isDiscounted || discount === null) return isDiscounted;
  if (!isForLines(discount, { subscription, lines })) return false;
  return coversPeriod(discount, subscription, periodIndex);
}

/** A bill that a discount may apply to. */
export interface DiscountedBill {
  readonly periodIndex: number;
  /** The decision made when the period was entered. */
  readonly isDiscounted: boolean;
  readonly lines: readonly UsageLine[];
}

/** A bill of the end: usage alone. */
export interface EndBill {
  /** The last period. */
  readonly periodIndex: number;
  /** True: the invoice of the last period was voided, or never created. */
  readonly isVoided: boolean;
  readonly lines: readonly UsageLine[];
}

/**
 * True when the discount applies to a bill of the end. A discount of duration ONCE applies to one
 * invoice: that of the period, which returns it when voided, or the first of the end that comes to
 * anything.
 */
export function isEndDiscounted(
  subscription: Subscription,
  { periodIndex, isVoided, lines }: EndBill,
): boolean {
  const { discount } = subscription;
  if (discount === null || !isForLines(discount, { subscription, lines })) return false;
  const { firstPeriodStart: first, duration } = discount;
  if (duration === 'ONCE' && first !== null && !isVoided) return false;
  return coversPeriod(discount, subscription, periodIndex);
}

/** True if the lines that a discount is for come to anything. */
function isForLines(
  discount: DiscountSnapshot,
  {
    subscription,
    lines,
  }: { readonly subscription: Subscription; readonly lines: readonly UsageLine[] },
): boolean {
  const main = mainItem(subscription).productId;
  const reduced = lines.filter(({ productId = main }) => isForProduct(discount, productId));
  return sumOf(reduced.map(({ amount }) => amount)) > 0n;
}

/**
 * Begins the span of a period's discount with that period, unless it has begun. A discount that a
 * change has added in the period begins with a later one.
 */
export function beginDiscount(subscription: Subscription, periodIndex: number): Subscription {
  const billed = runningDiscount({ ...subscription, periodIndex });
  if (billed === null || billed.firstPeriodStart !== null) return subscription;
  const begun = { ...billed, firstPeriodStart: periodOf(subscription, periodIndex).start };
  const { discount, changes } = subscription;
  const isKept = isSameRedemption(billed, discount);
  const next = isKept ? { ...subscription, discount: begun } : subscription;
  const { period } = changes;
  if (period?.discount === undefined || period.periodIndex !== periodIndex) return next;
  return { ...next, changes: { ...changes, period: { ...period, discount: begun } } };
}

/**
 * The subscription with the discount of a cycle's last period. If it still has that redemption, a
 * later period may have begun its span.
 */
export function asOfCycleEnd(
  subscription: Subscription,
  { periodIndex, discount }: Pick<CycleEndBill, 'periodIndex' | 'discount'>,
): Subscription {
  const isKept = isSameRedemption(discount, subscription.discount);
  return {
    ...subscription,
    periodIndex,
    discount: isKept ? subscription.discount : discount,
    changes: { ...subscription.changes, period: null },
  };
}

/** The subscription with its discount as the bill has left it. */
export function withDiscountBegun(current: Subscription, bill: CycleEndBill): Subscription {
  const { discount } = beginDiscount(asOfCycleEnd(current, bill), bill.periodIndex);
  if (!isSameRedemption(discount, current.discount)) return current;
  const { period } = current.changes;
  const isOfPeriod = isSameRedemption(discount, period?.discount ?? null);
  const changed = period === null || !isOfPeriod ? period : { ...period, discount };
  return { ...current, discount, changes: { ...current.changes, period: changed } };
}

/**
 * Gives a discount of duration ONCE back that began with the last period, whose invoice was voided:
 * the final bill has taken nothing off either.
 */
export function returnDiscount(subscription: Subscription): Subscription {
  const { discount, periodIndex } = subscription;
  if (discount?.duration !== 'ONCE' || discount.firstPeriodStart === null) return subscription;
  if (!coversPeriod(discount, subscription, periodIndex ?? 0)) return subscription;
  return { ...subscription, discount: { ...discount, firstPeriodStart: null } };
}

/** Records a bill that was created; a duplicate of an earlier one changes nothing. */
export function recordBill(
  subscription: Subscription,
  bill: number,
  news: Partial<Pick<UsageBilling, 'refunds' | 'lateBillAt'>>,
): Subscription {
  if (isBilled(subscription, bill)) return subscription;
  const overLimit = overLimitAfter(subscription, bill);
  const usage = { ...subscription.usage, ...news, lastBill: bill, ...overLimit };
  return withCycleEndsBilledBy({ ...subscription, usage }, bill);
}

/** Time when late usage after the end is billed. */
export function lateBillAt({ endedAt }: Subscription): Date | null {
  return endedAt === null ? null : new Date(endedAt.getTime() + lateForMs);
}

function billOf(
  { usage: { refunds } }: Subscription,
  lines: readonly UsageLine[],
  { ofPeriod, putOff }: { readonly ofPeriod: bigint; readonly putOff: BilledPutOff },
): Billed {
  // Lines put off have their shares of a discount already: credit is deducted from what is left.
  const others = ofPeriod + totalOfLines(putOff.lines);
  const bill = withinSubtotal(lines, { others, refunds });
  const gross = ofPeriod + sumOf(putOff.lines.map(({ amount }) => amount));
  return { ...bill, isBillable: isBillable(bill.lines, gross) };
}
