import type { Recurrence } from '@billing/kernel/billing-period';
import { Decimal, roundedQuotient } from '@billing/kernel/decimal';
import { recurringCharge } from '@billing/kernel/pricing';
import type { PriceSnapshot } from './subscription';

/** The price facts that a recurring amount is computed from. */
export type RecurringPrice = Pick<PriceSnapshot, 'type' | 'amount' | 'tiers'> &
  Pick<PriceSnapshot, 'billingInterval' | 'intervalCount'>;

/** How often a price recurs. */
type PriceInterval = Pick<PriceSnapshot, 'billingInterval' | 'intervalCount'>;

// Periods a month, for an interval count of 1: a year has 365 days, 52 weeks and 12 months.
const periodsAMonth: Readonly<
  Record<PriceSnapshot['billingInterval'], readonly [dividend: bigint, divisor: bigint]>
> = {
  DAILY: [365n, 12n],
  WEEKLY: [52n, 12n],
  MONTHLY: [1n, 1n],
  QUARTERLY: [1n, 3n],
  YEARLY: [1n, 12n],
};

/** The facts about an item that its recurring amount is computed from. */
export interface RecurringItem {
  readonly price: RecurringPrice;
  readonly quantity: number;
}

/**
 * Monthly revenue of a subscription, in the currency's smallest unit: the exact licensed charges of
 * one period, before discounts and without usage, times the periods in a month, rounded once, half
 * up. All items have one interval.
 */
export function monthlyAmount(items: readonly [RecurringItem, ...RecurringItem[]]): bigint {
  const [{ price: main }] = items;
  const exact = items.map(({ price, quantity }) =>
    Decimal.parse(recurringCharge({ ...price, quantity }).details.exactAmount),
  );
  const { unscaled, scale } = exact.reduce((sum, one) => sum.add(one));
  const [dividend, divisor] = periodsAMonth[main.billingInterval];
  return roundedQuotient(unscaled * dividend, 10n ** BigInt(scale) * divisor * countOf(main));
}

/**
 * Compares the lengths of two prices' periods: above 0 if the first has fewer periods a year, 0 if
 * both have equally many.
 */
export function compareIntervals(a: PriceInterval, b: PriceInterval): number {
  const [left, right] = [a, b].map((price) => {
    const [dividend, divisor] = periodsAMonth[price.billingInterval];
    return { dividend, divisor: divisor * countOf(price) };
  });
  if (left === undefined || right === undefined) return 0;
  return Number(right.dividend * left.divisor - left.dividend * right.divisor);
}

function countOf({ intervalCount }: Recurrence): bigint {
  return BigInt(intervalCount);
}
