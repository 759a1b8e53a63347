import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';

// Intl supplies only symbols and separators. The number of decimals comes from the kernel's table,
// and amounts stay exact.

// A rate may be a fraction of the smallest unit; further digits do not help a reader.
const rateDecimalsMax = 14;

/** Formats an amount in the smallest unit: 2900n in USD is $29.00, in JPY ¥2,900. */
export function amountText(amount: bigint, currency: string): string {
  const exponent = decimalsOf(currency);
  return format(Decimal.of(amount, exponent), currency, { minimum: exponent, maximum: exponent });
}

/** Formats an amount for documents, with a minus sign in place of a hyphen. */
export function printedAmount(amount: bigint, currency: string): string {
  return amountText(amount, currency).replace('-', '\u2212');
}

/** Formats a rate, a decimal string in the smallest unit: 0.25 in USD is $0.0025. */
export function rateText(rate: string, currency: string): string {
  const exponent = decimalsOf(currency);
  const { unscaled, scale } = Decimal.parse(rate, 'unitAmount');
  return format(Decimal.of(unscaled, scale + exponent), currency, {
    minimum: exponent,
    maximum: rateDecimalsMax,
  });
}

/** Formats a quantity, a decimal string, with separators. */
export function quantityText(quantity: string): string {
  return new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 }).format(
    quantity as Intl.StringNumericLiteral,
  );
}

function format(
  number: Decimal,
  currency: string,
  { minimum, maximum }: { minimum: number; maximum: number },
): string {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: minimum,
    maximumFractionDigits: maximum,
    // Passed as a string, since a number would be rounded.
  }).format(number.toString() as Intl.StringNumericLiteral);
}

function decimalsOf(currency: string): number {
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  return exponentOf(currency);
}
