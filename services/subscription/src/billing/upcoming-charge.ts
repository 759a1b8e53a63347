import { isParked } from '../over-limit/parking';
import { beforeNextPeriod } from '../subscription/change-at-renewal';
import { nextPeriodIndex } from '../subscription/billing-cycle';
import { amountOff, takeDiscount } from '../subscription/discount';
import { nextInvoiceAt, type Subscription } from '../subscription/subscription';
import { periodBill } from './bill';

/**
 * The coming period's charge without usage, in the smallest unit of the subscription's currency.
 */
export interface UpcomingCharge {
  readonly at: Date;
  readonly subtotal: bigint;
  readonly discountAmount: bigint;
  readonly total: bigint;
  /** Null when no discount applies. */
  readonly discountName: string | null;
}

/**
 * Computes the charge of the coming period as of now: by the rules that will bill it, for the items
 * after a change that waits for it, less the credit for usage that earlier invoices overcharged,
 * and less the discount where it still applies. Null when no period follows.
 */
export function upcomingCharge(current: Subscription): UpcomingCharge | null {
  const at = nextInvoiceAt(current);
  const subscription = beforeNextPeriod(current);
  if (at === null || subscription === null || isParked(current)) return null;
  const { discount } = subscription;
  const next = nextPeriodIndex(subscription);
  const { recurring, lines } = periodBill(subscription, next, []);
  const amounts = [recurring, ...lines].map(({ amount }) => amount);
  const subtotal = amounts.reduce((sum, amount) => sum + amount, 0n);
  const { isDiscounted } = takeDiscount(subscription, next);
  const discountAmount = isDiscounted ? amountOff(subscription, amounts) : 0n;
  return {
    at,
    subtotal,
    discountAmount,
    total: subtotal - discountAmount,
    discountName: discountAmount > 0n && discount !== null ? discount.name : null,
  };
}
