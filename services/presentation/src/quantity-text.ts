/** Formats a quantity, a decimal string, with the separators of the locale. */
export function quantityText(quantity: string, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }).format(
    quantity as Intl.StringNumericLiteral,
  );
}
