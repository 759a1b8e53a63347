import { sumOf } from '@billing/kernel/money';
import { isParked } from '../parking/parking';
import { beforeNextPeriod } from '../subscription/change-at-renewal';
import { nextPeriodIndex } from '../subscription/billing-cycle';
import { amountOff, takeDiscount } from '../subscription/discount';
import { withPutOffOn } from '../subscription/put-off';
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
  const { recurring, putOff, lines } = periodBill(withPutOffOn(subscription, next), next, []);
  const ofItems = [...recurring, ...lines];
  const subtotal = sumOf([...ofItems, ...putOff.lines].map(({ amount }) => amount));
  const { isDiscounted } = takeDiscount(subscription, next);
  const ofPeriod = isDiscounted ? amountOff(subscription, ofItems) : 0n;
  const discountAmount = ofPeriod + sumOf(putOff.lines.map((line) => line.discountAmount));
  return {
    at,
    subtotal,
    discountAmount,
    total: subtotal - discountAmount,
    discountName: discountAmount > 0n && discount !== null ? discount.name : null,
  };
}
