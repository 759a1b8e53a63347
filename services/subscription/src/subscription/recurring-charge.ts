import type { BillingPeriod } from '@billing/kernel/billing-period';
import { type RecurringCharge, recurringCharge } from '@billing/kernel/pricing';
import { amountOff, takeDiscount } from './discount';
import { periodOf } from './billing-cycle';
import { mainItem, type Subscription } from './subscription';

/** One charge on an invoice, with the figures that it was computed from. */
export interface PeriodLine extends RecurringCharge {
  readonly itemId: string;
  readonly productId: string;
  readonly kind: 'RECURRING';
  readonly description: string;
  readonly priceId: string;
  readonly period: BillingPeriod;
}

/** Computes the recurring charge of a period. */
export function periodLine(subscription: Subscription, periodIndex: number): PeriodLine {
  const { id: itemId, productId, productName, price, quantity } = mainItem(subscription);
  return {
    itemId,
    productId,
    kind: 'RECURRING',
    description: productName,
    priceId: price.id,
    ...recurringCharge({ ...price, quantity }),
    period: periodOf(subscription, periodIndex),
  };
}

/** The recurring charge of a period less its discount. */
export function recurringTotal(subscription: Subscription, periodIndex: number): bigint {
  const { amount } = periodLine(subscription, periodIndex);
  const { isDiscounted } = takeDiscount(subscription, periodIndex);
  return isDiscounted ? amount - amountOff(subscription, [amount]) : amount;
}
