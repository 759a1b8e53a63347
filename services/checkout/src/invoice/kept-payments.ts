import type { Payment } from './invoice';
import { nextRetry } from './method-choice';

/** Limit of the payments that an invoice shows, because every result and event carries them. */
export const paymentsMax = 100;
// Bounds the document. Dunning alone makes fewer: each of its few dates tries each method once.
const hiddenMax = 100;

/**
 * Payments that an invoice shows, one fewer while an attempt is running. Beyond the limit the
 * oldest failed ones are left out. A success is always shown, and so is the latest payment.
 */
export function shownPayments(
  payments: readonly Payment[],
  { isRunning = false }: { readonly isRunning?: boolean } = {},
): readonly Payment[] {
  const excess = payments.length - (isRunning ? paymentsMax - 1 : paymentsMax);
  if (excess <= 0) return payments;
  const failed = payments.slice(0, -1).filter(({ status }) => status === 'FAILED');
  const hidden = new Set(failed.slice(0, excess));
  return payments.filter((payment) => !hidden.has(payment));
}

/**
 * Payments that an invoice stores: those that it shows, and older failures that dunning needs. It
 * counts its charges by their retries and must not lose permanent refusals. The next
 * attempt's number follows the latest payment's.
 */
export function keptPayments(payments: readonly Payment[]): readonly Payment[] {
  const shown = new Set(shownPayments(payments));
  const latestRetry = nextRetry(payments) - 1;
  const needed = payments
    .filter((payment) => !shown.has(payment) && dunningCostOf(payment, latestRetry) > 0)
    .sort((a, b) => dunningCostOf(b, latestRetry) - dunningCostOf(a, latestRetry));
  const hidden = new Set(needed.slice(0, hiddenMax));
  return payments.filter((payment) => shown.has(payment) || hidden.has(payment));
}

// Cost for dunning of dropping the failed payment.
function dunningCostOf({ origin, decline, retry }: Payment, latestRetry: number): number {
  const isHard = decline === 'HARD' ? 1 : 0;
  if (origin !== 'COLLECTION') return isHard;
  return (retry === latestRetry ? 4 : 2) + isHard;
}
