import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { typedDecimal } from './decimal';

const decimal = /^(\d+)(?:\.(\d+))?$/;

/**
 * Parses a rate in money (`0.005`) to a decimal in the currency's smallest unit (`0.5`). Invalid
 * text stays as typed, so that the server reports the error of the field.
 */
export function typedRate(typed: string, currency: string): string {
  const text = typedDecimal(typed);
  const [match, whole = '', fraction = ''] = decimal.exec(text) ?? [];
  if (match === undefined) return text;
  const exponent = exponentIn(currency);
  const digits = `${whole}${fraction.slice(0, exponent).padEnd(exponent, '0')}`;
  return plain(digits, fraction.slice(exponent));
}

/** Formats a rate in the smallest unit for editing: 0.5 of USD is 0.005, and 500 is 5.00. */
export function rateToType(rate: string, currency: string): string {
  const [match, whole = '', fraction = ''] = decimal.exec(rate) ?? [];
  if (match === undefined) return rate;
  const exponent = exponentIn(currency);
  const digits = whole.padStart(exponent + 1, '0');
  const cut = digits.length - exponent;
  const decimals = `${digits.slice(cut)}${fraction}`;
  return decimals === '' ? digits : `${digits.slice(0, cut)}.${decimals}`;
}

function exponentIn(currency: string): number {
  return isCurrency(currency) ? exponentOf(currency) : 0;
}

/** Decimal without leading and trailing zeros. */
function plain(whole: string, fraction: string): string {
  const [left, right] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
  return right === '' ? left : `${left}.${right}`;
}
