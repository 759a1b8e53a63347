import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';
import { withMinusSign } from './minus-sign';

/**
 * Formats an amount in the smallest unit of its currency as the locale writes it: 123450n in EUR is
 * `1.234,50 €` in `de`. Intl supplies symbols and separators only; the number of decimals comes
 * from the kernel's table, and the amount stays exact.
 */
export function amountText(amount: bigint, currency: string, locale: string): string {
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  const decimals = exponentOf(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // Passed as a string, since a number would be rounded.
  const exact = Decimal.of(amount, decimals).toString() as Intl.StringNumericLiteral;
  return withMinusSign(format.format(exact));
}
