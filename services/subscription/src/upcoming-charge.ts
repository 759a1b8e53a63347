import { isCurrency } from '@billing/kernel/currency';
import { applyDiscount } from '@billing/kernel/discounting';
import { periodLine } from './billing';
import { takeDiscount } from './discount';
import { parkReason } from './parking';
import { nextInvoiceAt, type Subscription } from './subscription';
import { periodBill } from './usage-bill';

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
 * Computes the charge of the coming period as of now: by the rules that will bill it, less the
 * credit for usage that earlier invoices overcharged, and less the discount where it still applies.
 * Null when no period follows.
 */
export function upcomingCharge(subscription: Subscription): UpcomingCharge | null {
  const at = nextInvoiceAt(subscription);
  const { periodIndex, discount, usage } = subscription;
  if (at === null || parkReason(subscription) !== null || usage.held !== null) return null;
  const next = periodIndex === null ? 0 : periodIndex + 1;
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

/** The recurring charge of a period less its discount. */
export function recurringTotal(subscription: Subscription, periodIndex: number): bigint {
  const { amount } = periodLine(subscription, periodIndex);
  const { isDiscounted } = takeDiscount(subscription, periodIndex);
  return isDiscounted ? amount - amountOff(subscription, [amount]) : amount;
}

function amountOff({ discount, price }: Subscription, amounts: readonly bigint[]): bigint {
  const { currency } = price;
  if (discount === null || !isCurrency(currency)) return 0n;
  const { type, value } = discount;
  // The redemption has checked the product and the currency.
  const terms = { type, value, currency: null, productIds: [] };
  const lines = amounts.map((amount) => ({ productId: '', amount }));
  return applyDiscount(terms, { currency, lines }).amount;
}
