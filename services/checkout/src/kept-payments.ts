import type { Payment } from './invoice';
import { nextRetry } from './method-choice';

/** Every result and event carries the payments of its invoice. */
const paymentsMax = 100;

/**
 * The payments that an invoice keeps: beyond the limit one failed payment is dropped. Failures that the schedule did not make are dropped
 * first, because dunning counts the others by their retries, and must not forget which methods were refused permanently. A success always
 * stays, and so does the latest payment, whose number the next attempt follows.
 */
export function keptPayments(payments: readonly Payment[]): readonly Payment[] {
  if (payments.length <= paymentsMax) return payments;
  const latestRetry = nextRetry(payments) - 1;
  const [dropped] = payments
    .slice(0, -1)
    .filter(({ status }) => status === 'FAILED')
    .sort((a, b) => worthOf(a, latestRetry) - worthOf(b, latestRetry));
  return payments.filter((payment) => payment !== dropped);
}

// How much dunning loses without the failed payment.
function worthOf({ origin, decline, retry }: Payment, latestRetry: number): number {
  const isHard = decline === 'HARD' ? 1 : 0;
  if (origin !== 'COLLECTION') return isHard;
  return (retry === latestRetry ? 4 : 2) + isHard;
}
