import { withMinusSign } from './minus-sign';

/** Formats a quantity, a decimal string, with the separators of the locale. */
export function quantityText(quantity: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 12 });
  return withMinusSign(format.format(quantity as Intl.StringNumericLiteral));
}
