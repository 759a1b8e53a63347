import type { Recurrence } from '@billing/kernel/billing-period';
import { recurringCharge } from '@billing/kernel/pricing';
import type { ReportedStep } from '../subscription/reached-step';
import type { PriceSnapshot, Subscription } from '../subscription/subscription';

/** The price facts that a recurring amount is computed from. */
export type RecurringPrice = Pick<PriceSnapshot, 'type' | 'amount' | 'tiers'> &
  Pick<PriceSnapshot, 'billingInterval' | 'intervalCount'>;

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

/**
 * Monthly revenue of a subscription, in the currency's smallest unit: the licensed charge of one
 * period, before discounts and without usage, times the periods in a month, rounded once, half up.
 */
export function monthlyAmount(price: RecurringPrice, quantity: number): bigint {
  const { amount } = recurringCharge({ ...price, quantity });
  const [dividend, divisor] = periodsAMonth[price.billingInterval];
  return roundedRatio(amount * dividend, divisor * countOf(price));
}

/** The facts about a billed subscription that revenue is computed from. */
export interface Recurring extends Pick<Subscription, 'anchor' | 'endedAt' | 'quantity'> {
  readonly price: RecurringPrice & Pick<PriceSnapshot, 'currency'>;
}

/** A row of sums: of a currency and a month, or of the present. */
export type RevenueRow =
  | { readonly kind: 'MONTH'; readonly month: string; readonly currency: string }
  | { readonly kind: 'PRESENT' };

/** The amounts that a step adds to a row of sums. */
export interface RevenueAddend {
  readonly row: RevenueRow;
  readonly counts: Readonly<Record<string, bigint>>;
}

/**
 * Computes what a step adds to the sums of all subscriptions. The result never changes once the
 * step is reached.
 */
export function addendOf(recurring: Recurring, step: ReportedStep): RevenueAddend {
  const { anchor, endedAt, price, quantity } = recurring;
  const inMonth = (at: Date): RevenueRow => ({
    kind: 'MONTH',
    month: monthOf(at),
    currency: price.currency,
  });
  switch (step) {
    case 'TRIAL_BEGUN':
      return { row: { kind: 'PRESENT' }, counts: { trialing: 1n } };
    case 'TRIAL_LEFT':
      return { row: { kind: 'PRESENT' }, counts: { trialing: -1n } };
    case 'STARTED': {
      const counts = { started: 1n, startedAmount: monthlyAmount(price, quantity) };
      return { row: inMonth(anchor), counts };
    }
    case 'ENDED': {
      const counts = { ended: 1n, endedAmount: monthlyAmount(price, quantity) };
      return { row: inMonth(endedAt ?? anchor), counts };
    }
  }
}

/** `2026-11`, in UTC. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}

function countOf({ intervalCount }: Recurrence): bigint {
  return BigInt(intervalCount);
}

// Neither is negative.
function roundedRatio(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
