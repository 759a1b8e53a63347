import type { DeclineKind } from '../provider/port/payment-provider';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Retry dates of a failed payment: whole days after the failure, at the same time of day in UTC.
 */
export function retryDates(firstFailedAt: Date, daysAfter: readonly number[]): Date[] {
  return daysAfter.map((days) => new Date(firstFailedAt.getTime() + days * dayMs));
}

/**
 * Remaining retry dates after one at `now`, each at least a day after the one before. After an
 * outage longer than the intervals the customer still has time to act between two retries.
 */
export function datesAfter(now: Date, dates: readonly Date[]): Date[] {
  let earliest = now.getTime();
  return dates.map((date) => {
    earliest = Math.max(date.getTime(), earliest + dayMs);
    return new Date(earliest);
  });
}

/** The fields of a payment that decide about charging its method again. */
export interface Tried {
  readonly methodId: string | undefined;
  readonly decline: DeclineKind | undefined;
}

/**
 * True if charging the method again is useless, because its latest failure was permanent. An
 * attempt without a method fails for that reason alone.
 */
export function isPermanentlyRefused(
  payments: readonly Tried[],
  methodId: string | undefined,
): boolean {
  if (methodId === undefined) return false;
  return payments.findLast((payment) => payment.methodId === methodId)?.decline === 'HARD';
}
