import type { Payment } from './invoice';
import { nextRetry } from './method-choice';

/** Limit of payments on an invoice, because every result and event carries them. */
export const paymentsMax = 100;

/**
 * Payments that an invoice keeps. Beyond the limit one failed payment is dropped. Failures outside
 * the schedule are dropped first, because dunning counts the others by their retries and must not
 * lose permanent refusals. A success is never dropped, nor is the latest payment, whose number the
 * next attempt follows.
 */
export function keptPayments(payments: readonly Payment[]): readonly Payment[] {
  if (payments.length <= paymentsMax) return payments;
  const latestRetry = nextRetry(payments) - 1;
  const [dropped] = payments
    .slice(0, -1)
    .filter(({ status }) => status === 'FAILED')
    .sort((a, b) => dunningCostOf(a, latestRetry) - dunningCostOf(b, latestRetry));
  return payments.filter((payment) => payment !== dropped);
}

// Cost for dunning of dropping the failed payment.
function dunningCostOf({ origin, decline, retry }: Payment, latestRetry: number): number {
  const isHard = decline === 'HARD' ? 1 : 0;
  if (origin !== 'COLLECTION') return isHard;
  return (retry === latestRetry ? 4 : 2) + isHard;
}
