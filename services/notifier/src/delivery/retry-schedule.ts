const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays after the first, second … failure. After the last one the delivery is abandoned. */
export const standardRetrySchedule: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/**
 * Jitter: each step is spread by this share to either side, so that deliveries that failed together
 * are not retried together.
 */
export const retrySpread = 0.2;

/** The facts that decide about the next attempt. */
export interface FailedAttempt {
  /** Failures so far, this one included. */
  readonly failures: number;
  /** End of this attempt. */
  readonly now: Date;
  /** The receiver's `Retry-After`, if any. */
  readonly retryAfterMs: number | undefined;
  /** A factor from 1 - retrySpread to 1 + retrySpread. */
  readonly jitter: number;
  readonly scheduleMs: readonly number[];
}

/**
 * Time of the next attempt; undefined at the end of the schedule. A receiver may request a longer
 * delay, up to twice the step; a shorter one is ignored.
 */
export function nextAttemptAt(attempt: FailedAttempt): Date | undefined {
  const { failures, now, retryAfterMs = 0, jitter, scheduleMs } = attempt;
  const stepMs = scheduleMs[failures - 1];
  if (stepMs === undefined) return undefined;
  const delayMs = Math.max(stepMs * jitter, Math.min(retryAfterMs, 2 * stepMs));
  return new Date(now.getTime() + Math.round(delayMs));
}

/**
 * Converts a `Retry-After` header to milliseconds from `now`: whole seconds or an HTTP date.
 * Anything else is ignored.
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  // A bare number also parses as a date; only the form with the name of a day is accepted.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
