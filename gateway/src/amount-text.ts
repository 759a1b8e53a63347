import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';

// Intl decides on symbols and separators alone: how many decimals a currency has is in the kernel's
// table, and sums stay exact.

// A rate may be a fraction of the smallest unit; more digits than this tell a reader nothing.
const rateDecimalsMax = 14;

/** An amount of the smallest unit for readers: 2900n of USD is $29.00, of JPY ¥2,900. */
export function amountText(amount: bigint, currency: string): string {
  const exponent = decimalsOf(currency);
  return format(Decimal.of(amount, exponent), currency, { minimum: exponent, maximum: exponent });
}

/** A rate, a decimal string in the smallest unit, for readers: 0.25 of USD is $0.0025. */
export function rateText(rate: string, currency: string): string {
  const exponent = decimalsOf(currency);
  const { unscaled, scale } = Decimal.parse(rate, 'unitAmount');
  return format(Decimal.of(unscaled, scale + exponent), currency, {
    minimum: exponent,
    maximum: rateDecimalsMax,
  });
}

/** A quantity, a decimal string, with separators for readers. */
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
    // As a text it is formatted exactly, where a number would be rounded on the way.
  }).format(number.toString() as Intl.StringNumericLiteral);
}

function decimalsOf(currency: string): number {
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  return exponentOf(currency);
}
