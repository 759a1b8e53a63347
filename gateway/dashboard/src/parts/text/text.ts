import { amountText } from '@billing/gateway/amount-text';
import { exponentOf, isCurrency } from '@billing/kernel/currency';

const counts = new Intl.NumberFormat('en-US');

/** Amount in the smallest unit as text: 2900 USD cents are $29.00, -2900 are −$29.00. */
export function moneyText(amount: number | string | bigint, currency: string): string {
  return amountText(BigInt(amount), currency);
}

/** Amount in short form: $12.3K. */
export function shortMoneyText(amount: number, currency: string): string {
  const exponent = isCurrency(currency) ? exponentOf(currency) : 0;
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return format.format(amount / 10 ** exponent).replace('-', '−');
}

/** 1,234; or 10,000+ if counting stopped there. */
export function countText(count: number, isMore = false): string {
  return `${counts.format(count)}${isMore ? '+' : ''}`;
}

/** PAST_DUE as words inside a sentence: past due. */
export function wordsText(name: string): string {
  return name.replaceAll('_', ' ').toLowerCase();
}

/** PAST_DUE as a label: Past due. */
export function labelText(name: string): string {
  const words = wordsText(name);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** 850 ms, 12.4 s, 3 min */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${String(Math.round(ms / 100) / 10)} s`;
  return `${String(Math.round(ms / 60_000))} min`;
}

/** “1 key”, “2 keys” */
export function pluralText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
