import type { BillingPeriod } from '@billing/kernel/billing-period';
import { type RecurringCharge, recurringCharge } from '@billing/kernel/pricing';
import { sumOf } from '@billing/kernel/money';
import { amountOff, takeDiscount } from './discount';
import { periodOf } from './billing-cycle';
import type { Subscription } from './subscription';

/** One charge on an invoice, with the figures that it was computed from. */
export interface PeriodLine extends RecurringCharge {
  readonly itemId: string;
  readonly productId: string;
  readonly kind: 'RECURRING';
  readonly description: string;
  readonly priceId: string;
  readonly period: BillingPeriod;
}

/** Computes the recurring charges of a period, one for each item in their order. */
export function periodLines(subscription: Subscription, periodIndex: number): PeriodLine[] {
  const period = periodOf(subscription, periodIndex);
  return subscription.items.map(({ id: itemId, productId, productName, price, quantity }) => ({
    itemId,
    productId,
    kind: 'RECURRING',
    description: productName,
    priceId: price.id,
    ...recurringCharge({ ...price, quantity }),
    period,
  }));
}

/** The recurring charges of a period less their discount. */
export function recurringTotal(subscription: Subscription, periodIndex: number): bigint {
  const lines = periodLines(subscription, periodIndex);
  const amount = sumOf(lines.map((line) => line.amount));
  const { isDiscounted } = takeDiscount(subscription, periodIndex);
  return isDiscounted ? amount - amountOff(subscription, lines) : amount;
}
