import { nextAttemptAt } from './retry-schedule';

/**
 * PENDING until the receiver accepts it or the schedule ends. PAUSED: the endpoint was disabled in
 * between, and nothing is sent.
 */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'PAUSED';

/** The delivery of one message to one endpoint. */
export interface Delivery {
  /** Derived from message and endpoint. */
  readonly _id: string;
  readonly environmentId: string;
  readonly endpointId: string;
  readonly messageId: string;
  /** The aggregate of the message: a subscription or a checkout session. */
  readonly subscriptionId: string;
  readonly sequence: number;
  /** The subscription's previous delivery to the same endpoint, which goes first; null: none. */
  readonly previousId: string | null;
  readonly status: DeliveryStatus;
  /**
   * Real time of the next attempt; null unless PENDING. A claim moves it to the end of its lease,
   * so a delivery whose sender has died becomes due again.
   */
  readonly dueAt: Date | null;
  /** Name of the claim in force; null: unclaimed. */
  readonly claim: string | null;
  /** Failed attempts so far. */
  readonly failures: number;
  readonly createdAt: Date;
  /** Real time of the last requested resend; absent or null: never. */
  readonly requestedAt?: Date | null;
  /** Retried individually: waits for no other delivery, and no other waits for it. */
  readonly isOutOfTurn?: boolean;
  /** The endpoint has accepted it once; independent of the present status. */
  readonly hasArrived?: boolean;
}

/** The outcome of one POST. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The beginning of the body. */
      readonly body: string;
      /** The receiver's `Retry-After`, if any. */
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'unanswered'; readonly error: string };

/** The state of a delivery after an attempt. */
export interface Verdict {
  readonly status: Exclude<DeliveryStatus, 'PAUSED'>;
  /** Time of the next attempt; only while PENDING. */
  readonly dueAt: Date | undefined;
  /** The receiver answered 410 Gone. */
  readonly isEndpointGone: boolean;
}

const gone = 410;

/** Only 2xx is a success: a redirect is not followed and counts as a failure. */
export function isAccepted(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

/**
 * Judges an attempt. `isPast`: the endpoint was changed or reactivated since the attempt, so a 410
 * does not disable it.
 */
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

/** The fields of a delivery that a person has requested again: due now, without failures. */
export function dueAgain(now: Date) {
  const attempt = { dueAt: now, claim: null, failures: 0 };
  return { ...attempt, status: 'PENDING', requestedAt: now } as const;
}
