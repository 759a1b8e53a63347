import { exponentOf, isCurrency } from '@billing/kernel/currency';
import { typedDecimal } from './decimal';

/**
 * Parses money (`29.00` or `29,00`) to an amount in the currency's smallest unit (2900). An invalid
 * amount stays as typed, so that the server reports the error of the field.
 */
export function typedAmount(typed: string, currency: string): number | string {
  const text = typedDecimal(typed);
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const exponent = isCurrency(currency) ? exponentOf(currency) : 0;
  const amount = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  const isAmount = whole !== '' && fraction.length <= exponent && Number.isSafeInteger(amount);
  return isAmount ? amount : text;
}

/** Formats an amount for editing: 2900 of USD is 29.00. */
export function amountToType(amount: number | bigint, currency: string): string {
  const exponent = isCurrency(currency) ? exponentOf(currency) : 0;
  const digits = String(amount).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Parses a whole number. Invalid text stays as typed, so that the server reports the error of the
 * field; undefined for an empty field.
 */
export function typedCount(typed: string | undefined): number | string | undefined {
  if (typed === undefined) return undefined;
  const count = Number(typed);
  return Number.isSafeInteger(count) ? count : typed;
}

/** Formats an amount for export: 2900 of USD is `29.00 USD`. */
export function exportedMoney(amount: number | string | bigint, currency: string): string {
  const value = BigInt(amount);
  const digits = amountToType(value < 0n ? -value : value, currency);
  return `${value < 0n ? '-' : ''}${digits} ${currency}`;
}

/**
 * Sorts by amount, largest first. Amounts of different currencies cannot be compared exactly; their
 * whole units are close enough to choose what to show first.
 */
export function largestFirst<T extends { readonly currency: string }>(
  all: readonly T[],
  amountOf: (one: T) => number | string,
): readonly T[] {
  const units = (one: T) => {
    const exponent = isCurrency(one.currency) ? exponentOf(one.currency) : 0;
    return Number(amountOf(one)) / 10 ** exponent;
  };
  return [...all].sort((a, b) => units(b) - units(a));
}
