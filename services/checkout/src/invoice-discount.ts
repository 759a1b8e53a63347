import {
  type AppliedDiscount,
  applyDiscount,
  type DiscountType,
} from '@billing/kernel/discounting';
import type { Currency } from '@billing/kernel/currency';

/** What a discount takes off an invoice. That it is for these lines, in this currency and period, was settled before. */
export interface DiscountOnInvoice {
  readonly discountId: string;
  /** As it was when it was redeemed. */
  readonly name: string;
  readonly type: DiscountType;
  /** Decimal string: percent, or whole minor units of the invoice's currency. */
  readonly value: string;
}

/** A reduction as the invoice shows it. */
export interface InvoiceDiscount {
  readonly discountId: string;
  readonly name: string;
  readonly amount: bigint;
}

/** What the discount takes off each line, in their order, and off all of them. */
export function discountLines(
  { type, value }: DiscountOnInvoice,
  { currency, amounts }: { readonly currency: Currency; readonly amounts: readonly bigint[] },
): AppliedDiscount {
  const terms = { type, value, currency: null, productIds: [] };
  // Every line counts: the discount was found to be for the product when it was redeemed.
  const lines = amounts.map((amount) => ({ productId: '', amount }));
  return applyDiscount(terms, { currency, lines });
}
