import {
  type AppliedDiscount,
  applyDiscount,
  type DiscountType,
} from '@billing/kernel/discounting';
import type { Currency } from '@billing/kernel/currency';
import { sumOf } from '@billing/kernel/money';

/**
 * Discount of an invoice. That it applies to one of these lines, in this currency and period, was
 * checked before.
 */
export interface DiscountOnInvoice {
  readonly discountId: string;
  /** Name at the time of the redemption. */
  readonly name: string;
  readonly type: DiscountType;
  /** Decimal string: percent, or whole minor units of the invoice's currency. */
  readonly value: string;
  /** Products whose lines it takes something off; empty: all lines. */
  readonly productIds: readonly string[];
}

/** A line that the discount may take something off. */
interface DiscountedLine {
  readonly amount: bigint;
  readonly itemProductId?: string | undefined;
}

/** A discount as the invoice shows it. */
export interface InvoiceDiscount {
  readonly discountId: string;
  readonly name: string;
  readonly amount: bigint;
}

/** Amounts that the discount takes off each line, in order, and their sum. */
export function discountLines(
  { type, value, productIds }: DiscountOnInvoice,
  {
    currency,
    lines,
    given = [],
  }: {
    readonly currency: Currency;
    readonly lines: readonly DiscountedLine[];
    /** Shares that are decided already: such a line takes no part in the split. */
    readonly given?: readonly (bigint | undefined)[];
  },
): AppliedDiscount {
  const terms = { type, value, currency: null, productIds };
  const open = lines
    .filter((_line, index) => given[index] === undefined)
    .map(({ itemProductId: productId = '', amount }) => ({ productId, amount }));
  const split = open.length === 0 ? [] : [...applyDiscount(terms, { currency, lines: open }).parts];
  const parts = lines.map((_line, index) => given[index] ?? split.shift() ?? 0n);
  return { amount: sumOf(parts), parts };
}
