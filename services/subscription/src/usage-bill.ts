import { discountsPeriod } from '@billing/kernel/discount-validity';
import { type PeriodLine, periodLine } from './billing';
import { heldAfter, isBilled, stillUnbilled } from './held-bill';
import { periodOf, type Subscription, type UsageBilling } from './subscription';
import {
  isBillable,
  type SettledUsage,
  type UsageBill,
  usageLines,
  type UsageLine,
  withinSubtotal,
} from './usage-line';
import { lateForMs } from './usage-period';

/** What one bill came to. */
export type Billed = UsageBill & { readonly isBillable: boolean };

/** The bill of a period: its recurring charge, and the usage of what went before it. */
export function periodBill(
  subscription: Subscription,
  periodIndex: number,
  settled: readonly SettledUsage[],
): Billed & { readonly recurring: PeriodLine } {
  const recurring = periodLine(subscription, periodIndex);
  return { recurring, ...billOf(subscription, usageLines(settled), recurring.amount) };
}

/** The bill of usage alone, with what a voided invoice had billed. */
export function endBill(
  subscription: Subscription,
  settled: readonly SettledUsage[],
  owed: readonly UsageLine[],
): Billed {
  return billOf(subscription, [...usageLines(settled), ...owed], 0n);
}

/**
 * Whether the discount is taken off the bill of a period. That is decided as the period is entered, but where only usage costs anything:
 * then the first bill that does begins the discount's span.
 */
export function isBillDiscounted(
  subscription: Subscription,
  { periodIndex, isDiscounted, lines }: DiscountedBill,
): boolean {
  const { discount } = subscription;
  if (isDiscounted || discount === null || sumOf(lines) <= 0n) return isDiscounted;
  const { start } = periodOf(subscription, periodIndex);
  return discountsPeriod(discount, { first: discount.firstPeriodStart, start });
}

/** A bill whose discount is in question. */
export interface DiscountedBill {
  readonly periodIndex: number;
  /** As it was decided when the period was entered. */
  readonly isDiscounted: boolean;
  readonly lines: readonly UsageLine[];
}

/**
 * Whether the discount is taken off what is billed at the end. ONCE is one invoice: that of the period, where it was voided, gives it back.
 */
export function isEndDiscounted(
  { discount }: Subscription,
  { start, isVoided }: { readonly start: Date; readonly isVoided: boolean },
): boolean {
  if (discount === null) return false;
  const { firstPeriodStart: first, duration } = discount;
  if (duration === 'ONCE' && first !== null && !isVoided) return false;
  return discountsPeriod(discount, { first, start });
}

/** Begins the span of the discount with a period, where it has not begun. */
export function beginDiscount(subscription: Subscription, start: Date): Subscription {
  const { discount } = subscription;
  if (discount === null || discount.firstPeriodStart !== null) return subscription;
  return { ...subscription, discount: { ...discount, firstPeriodStart: start } };
}

/** Notes a bill that was made; a repeat of an earlier one changes nothing. */
export function noteBill(
  subscription: Subscription,
  bill: number,
  news: Partial<Pick<UsageBilling, 'refunds' | 'lateBillAt'>>,
): Subscription {
  if (isBilled(subscription, bill)) return subscription;
  const held = heldAfter(subscription, bill);
  const unbilled = stillUnbilled(subscription, bill);
  const usage = { ...subscription.usage, ...news, lastBill: bill, held, unbilled };
  return { ...subscription, usage };
}

/** When what came late after the end is billed. */
export function lateBillAt({ endedAt }: Subscription): Date | null {
  return endedAt === null ? null : new Date(endedAt.getTime() + lateForMs);
}

function billOf(
  { usage: { refunds } }: Subscription,
  lines: readonly UsageLine[],
  others: bigint,
): Billed {
  const bill = withinSubtotal(lines, { others, refunds });
  return { ...bill, isBillable: isBillable(bill.lines, others) };
}

function sumOf(lines: readonly UsageLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n);
}
