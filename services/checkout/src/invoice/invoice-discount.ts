import {
  type AppliedDiscount,
  applyDiscount,
  type DiscountType,
} from '@billing/kernel/discounting';
import type { Currency } from '@billing/kernel/currency';
import { sumOf } from '@billing/kernel/money';

/**
 * Discount of an invoice. That it applies to these lines, in this currency and period, was checked
 * before.
 */
export interface DiscountOnInvoice {
  readonly discountId: string;
  /** Name at the time of the redemption. */
  readonly name: string;
  readonly type: DiscountType;
  /** Decimal string: percent, or whole minor units of the invoice's currency. */
  readonly value: string;
}

/** A discount as the invoice shows it. */
export interface InvoiceDiscount {
  readonly discountId: string;
  readonly name: string;
  readonly amount: bigint;
}

/** Amounts that the discount takes off each line, in order, and their sum. */
export function discountLines(
  { type, value }: DiscountOnInvoice,
  {
    currency,
    amounts,
    given = [],
  }: {
    readonly currency: Currency;
    readonly amounts: readonly bigint[];
    /** Shares that are decided already: such a line takes no part in the split. */
    readonly given?: readonly (bigint | undefined)[];
  },
): AppliedDiscount {
  const terms = { type, value, currency: null, productIds: [] };
  // Every line counts: the discount was checked against the product when it was redeemed.
  const open = amounts.filter((_amount, index) => given[index] === undefined);
  const lines = open.map((amount) => ({ productId: '', amount }));
  const split = lines.length === 0 ? [] : [...applyDiscount(terms, { currency, lines }).parts];
  const parts = amounts.map((_amount, index) => given[index] ?? split.shift() ?? 0n);
  return { amount: sumOf(parts), parts };
}
