import type { DeclineKind } from './payment-provider';

const dayMs = 24 * 60 * 60 * 1000;

/** When a payment that failed is tried again: whole days after the failure, each at its time of day in UTC. */
export function retryDates(firstFailedAt: Date, daysAfter: readonly number[]): Date[] {
  return daysAfter.map((days) => new Date(firstFailedAt.getTime() + days * dayMs));
}

/**
 * The dates of the retries that are left after one at `now`, each at least a day after the one before it: after an outage that is longer
 * than the steps between them, the customer still has the time between two retries to act.
 */
export function datesAfter(now: Date, dates: readonly Date[]): Date[] {
  let earliest = now.getTime();
  return dates.map((date) => {
    earliest = Math.max(date.getTime(), earliest + dayMs);
    return new Date(earliest);
  });
}

/** What the payments so far say of a saved method. */
export interface Tried {
  readonly methodId: string | undefined;
  readonly decline: DeclineKind | undefined;
}

/** Whether charging the method again is useless: its latest failure was for ever. Without a method an attempt fails for that alone. */
export function isRefusedForGood(
  payments: readonly Tried[],
  methodId: string | undefined,
): boolean {
  if (methodId === undefined) return false;
  return payments.findLast((payment) => payment.methodId === methodId)?.decline === 'HARD';
}
