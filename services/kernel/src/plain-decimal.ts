import { Decimal } from './decimal';

const withExponent = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;

/**
 * Converts a decimal to plain notation, as rules parse it: JSON writes very small and very large
 * numbers with an exponent. A text in any other form is unchanged.
 */
export function plainDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = withExponent.exec(text) ?? [];
  if (exponent === undefined) return text;
  const places = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction) * 10n ** BigInt(Math.max(0, -places));
  return Decimal.of(digits, Math.max(0, places)).toString();
}
