import { nextAttemptAt } from './retry-schedule';

/**
 * PENDING until the receiver has taken it or the schedule is used up. PAUSED: its endpoint was disabled in the meantime, and nothing is sent.
 */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'PAUSED';

/** What came of one POST. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The beginning of the body. */
      readonly body: string;
      /** What the receiver asked for, if it did. */
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'unanswered'; readonly error: string };

/** How a delivery stands after an attempt. */
export interface Verdict {
  readonly status: Exclude<DeliveryStatus, 'PAUSED'>;
  /** When to try again; only while PENDING. */
  readonly dueAt: Date | undefined;
  /** The receiver said that it will never want anything again. */
  readonly isEndpointGone: boolean;
}

const gone = 410;

/** 2xx alone is success: a redirect is not followed and counts as a failure. */
export function isAccepted(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

/** Judges an attempt. `isPast`: the endpoint has begun again since it was tried, so that it is not gone. */
export function judge(
  outcome: Outcome,
  {
    failures,
    now,
    jitter,
    scheduleMs,
    isPast = false,
  }: {
    failures: number;
    now: Date;
    jitter: number;
    scheduleMs: readonly number[];
    isPast?: boolean;
  },
): Verdict {
  const settled = { dueAt: undefined, isEndpointGone: false };
  if (isAccepted(outcome)) return { ...settled, status: 'DELIVERED' };
  const isAnswered = outcome.kind === 'answered';
  if (isAnswered && outcome.status === gone && !isPast) {
    return { ...settled, status: 'FAILED', isEndpointGone: true };
  }
  const retryAfterMs = isAnswered ? outcome.retryAfterMs : undefined;
  const dueAt = nextAttemptAt({ failures: failures + 1, now, retryAfterMs, jitter, scheduleMs });
  if (dueAt === undefined) return { ...settled, status: 'FAILED' };
  return { ...settled, status: 'PENDING', dueAt };
}
