import type { Currency } from './currency';
import { Decimal } from './decimal';
import { allocate, money, smallerOf, sumOf } from './money';

export type DiscountType = 'PERCENTAGE' | 'FIXED';

/** Terms of a discount: its value and the products it applies to. */
export interface DiscountTerms {
  readonly type: DiscountType;
  /** Decimal string: percent, or for FIXED a whole number of minor units. */
  readonly value: string;
  /** Only for FIXED; absent: the currency of the invoice. */
  readonly currency: Currency | null;
  /** Discounted products; empty means all. */
  readonly productIds: readonly string[];
}

/** Line before its discount; `amount` in minor units, negative if it corrects an earlier one. */
export interface DiscountableLine {
  readonly productId: string;
  readonly amount: bigint;
}

/** Discount in minor units: `parts` are in the order of the lines and sum to `amount`. */
export interface AppliedDiscount {
  readonly amount: bigint;
  readonly parts: readonly bigint[];
}

const HUNDREDTH = Decimal.of(1n, 2);

/**
 * Applies the discount of an invoice to its lines, before tax.
 *
 * - It is rounded once, on the sum of the discounted lines, and split over them by largest
 *   remainder.
 * - It is at most that sum and at most the whole invoice; an excess is lost.
 * - Negative lines reduce the sum and get no part.
 * - Terms in another currency reduce nothing.
 * - A negative value is a bug and throws an Error.
 */
export function applyDiscount(
  terms: DiscountTerms,
  { currency, lines }: { readonly currency: Currency; readonly lines: readonly DiscountableLine[] },
): AppliedDiscount {
  const eligible = lines.map(({ productId, amount }) =>
    appliesInCurrency(terms, currency) && appliesToProduct(terms, productId) ? amount : 0n,
  );
  const limit = smallerOf(sumOf(eligible), sumOf(lines.map((line) => line.amount)));
  const amount = limit <= 0n ? 0n : smallerOf(limit, amountOff(terms, sumOf(eligible)));
  const weights = eligible.map((part) => (part < 0n ? 0n : part));
  return {
    amount,
    parts: allocate(money(amount, currency), weights).map((part) => part.amount),
  };
}

/** True if a discount applies to a product. */
export function appliesToProduct(
  { productIds }: Pick<DiscountTerms, 'productIds'>,
  productId: string,
): boolean {
  return productIds.length === 0 || productIds.includes(productId);
}

/** True if a discount applies in a currency: a percentage applies in any. */
export function appliesInCurrency(
  { type, currency }: Pick<DiscountTerms, 'type' | 'currency'>,
  invoiceCurrency: Currency,
): boolean {
  return type === 'PERCENTAGE' || currency === null || currency === invoiceCurrency;
}

/** Discount of the terms on a sum, without a limit. */
function amountOff({ type, value }: DiscountTerms, subtotal: bigint): bigint {
  const number = Decimal.parse(value, 'value');
  if (number.unscaled < 0n) throw new Error(`A discount takes off, it does not add: ${value}`);
  if (type === 'PERCENTAGE') {
    return Decimal.of(subtotal).multiply(number).multiply(HUNDREDTH).roundHalfUp();
  }
  if (number.scale > 0) throw new Error(`A fixed discount is in whole minor units, not ${value}`);
  return number.unscaled;
}

/**
 * True for a line of a part of a period. It has the discount of that period, and every other line
 * that of its invoice.
 */
export function isPartOfPeriod(kind: string | undefined): boolean {
  return kind === 'UNUSED_TIME' || kind === 'REMAINING_TIME';
}
