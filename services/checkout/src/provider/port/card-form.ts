import { invalidInput } from '@billing/kernel/domain-error';
import type { CardExpiry, TypedCard } from './payment-provider';

const spaces = /[\s-]/g;
const expiryPattern = /^(\d{1,2})\s*\/\s*(\d{2}|\d{4})$/;
const codePattern = /^\d{3,4}$/;

/** Digits of a card number, without the spaces that people type. */
export function digitsOf({ number }: Pick<TypedCard, 'number'>): string {
  return number.replace(spaces, '');
}

/**
 * Throws on an invalid expiry or code of a typed card. A card is valid through the end of its
 * month.
 */
export function checkCardForm({ expiry, code }: TypedCard, now: Date): void {
  const problems = { ...expiryProblem(expiry, now), ...codeProblem(code) };
  if (Object.keys(problems).length > 0) throw invalidInput(problems);
}

/** Expiry of a typed card; undefined if it is not in one of the forms that are accepted. */
export function expiryOf({ expiry }: Pick<TypedCard, 'expiry'>): CardExpiry | undefined {
  const match = expiryPattern.exec(expiry.trim());
  const month = Number(match?.[1]);
  if (match === null || month < 1 || month > 12) return undefined;
  const year = Number(match[2]);
  return { month, year: year < 100 ? 2000 + year : year };
}

/** First instant at which a card is no longer valid. */
export function endOfExpiry({ month, year }: CardExpiry): Date {
  return new Date(Date.UTC(year, month, 1));
}

function expiryProblem(typed: string, now: Date): Record<string, string[]> {
  const expiry = expiryOf({ expiry: typed });
  if (expiry === undefined) return { expiry: ['Must be MM/YY'] };
  return endOfExpiry(expiry) <= now ? { expiry: ['The card has expired'] } : {};
}

function codeProblem(code: string): Record<string, string[]> {
  return codePattern.test(code.trim()) ? {} : { code: ['Must have 3 or 4 digits'] };
}
