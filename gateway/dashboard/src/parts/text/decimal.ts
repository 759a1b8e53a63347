/**
 * A typed decimal with a point, trimmed: `29,90` is `29.90`. A comma before exactly three digits
 * may separate thousands (`1,000`), so that text stays as typed, and the server reports its error.
 */
export function typedDecimal(typed: string): string {
  const text = typed.trim();
  const isDecimal = /^(0,\d+|\d+,(?!\d{3}$)\d+)$/.test(text);
  return isDecimal ? text.replace(',', '.') : text;
}
