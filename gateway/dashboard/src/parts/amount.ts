import { exponentOf, isCurrency } from '@billing/kernel/currency';

/**
 * What somebody typed as money (`29.00`), as an amount of the API in the currency's smallest unit (2900). What is no amount of that currency
 * stays as it was typed: the server says what is wrong with it, beside its field.
 */
export function typedAmount(typed: string, currency: string): number | string {
  const text = typed.trim();
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const exponent = isCurrency(currency) ? exponentOf(currency) : 0;
  const amount = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  const isAmount = whole !== '' && fraction.length <= exponent && Number.isSafeInteger(amount);
  return isAmount ? amount : text;
}

/** An amount as it would be typed: 2900 of USD is 29.00. */
export function amountToType(amount: number | bigint, currency: string): string {
  const exponent = isCurrency(currency) ? exponentOf(currency) : 0;
  const digits = String(amount).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** A whole number that was typed, and else the text, which the server refuses beside its field; undefined where nothing was typed. */
export function typedCount(typed: string | undefined): number | string | undefined {
  if (typed === undefined) return undefined;
  const count = Number(typed);
  return Number.isSafeInteger(count) ? count : typed;
}

/** An amount for other programs: 2900 of USD is `29.00 USD`. */
export function exportedMoney(amount: number | string | bigint, currency: string): string {
  const value = BigInt(amount);
  const digits = amountToType(value < 0n ? -value : value, currency);
  return `${value < 0n ? '-' : ''}${digits} ${currency}`;
}
