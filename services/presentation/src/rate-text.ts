import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';
import { withMinusSign } from './minus-sign';

// A rate may be a fraction of the smallest unit; further digits do not help a reader.
const decimalsMax = 14;

/**
 * Formats a rate, a decimal string in the smallest unit, as the locale writes it: 0.25 in USD is
 * $0.0025 in `en`.
 */
export function rateText(rate: string, currency: string, locale: string): string {
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  const exponent = exponentOf(currency);
  const { unscaled, scale } = Decimal.parse(rate, 'unitAmount');
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: decimalsMax,
  });
  // Passed as a string, since a number would be rounded.
  const exact = Decimal.of(unscaled, scale + exponent).toString() as Intl.StringNumericLiteral;
  return withMinusSign(format.format(exact));
}
