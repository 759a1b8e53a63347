const dayMs = 24 * 60 * 60 * 1000;

/** When a payment that failed is tried again: whole days after the failure, each at its time of day in UTC. */
export function retryDates(firstFailedAt: Date, daysAfter: readonly number[]): Date[] {
  return daysAfter.map((days) => new Date(firstFailedAt.getTime() + days * dayMs));
}

/** What the payments so far say of a saved method. */
interface Tried {
  readonly methodId: string | undefined;
  readonly decline: 'SOFT' | 'HARD' | undefined;
}

/** Whether charging the method again is useless: its latest failure was for ever. Without a method an attempt fails for that alone. */
export function isRefusedForGood(
  payments: readonly Tried[],
  methodId: string | undefined,
): boolean {
  if (methodId === undefined) return false;
  return payments.findLast((payment) => payment.methodId === methodId)?.decline === 'HARD';
}
