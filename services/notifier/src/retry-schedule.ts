const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long a delivery waits after its first, second … failure. After the last one it is given up. */
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

/** Deliveries that failed together must not come back together: each step is spread by this share to either side. */
export const retrySpread = 0.2;

/** What decides about the next attempt. */
export interface FailedAttempt {
  /** Failures so far, this one included. */
  readonly failures: number;
  /** When this attempt ended. */
  readonly now: Date;
  /** What the receiver asked for, if it did. */
  readonly retryAfterMs: number | undefined;
  /** A factor from 1 - retrySpread to 1 + retrySpread. */
  readonly jitter: number;
  readonly scheduleMs: readonly number[];
}

/**
 * When to try again; undefined when the schedule is used up. A receiver may ask for more patience, up to twice the step; asking for less
 * changes nothing.
 */
export function nextAttemptAt(attempt: FailedAttempt): Date | undefined {
  const { failures, now, retryAfterMs = 0, jitter, scheduleMs } = attempt;
  const stepMs = scheduleMs[failures - 1];
  if (stepMs === undefined) return undefined;
  const delayMs = Math.max(stepMs * jitter, Math.min(retryAfterMs, 2 * stepMs));
  return new Date(now.getTime() + Math.round(delayMs));
}

/** A `Retry-After` header in milliseconds from `now`: whole seconds or an HTTP date. Anything else says nothing. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  // A bare number also parses as a date; only the form with a day's name is one here.
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
