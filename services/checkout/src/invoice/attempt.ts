import type { MethodChoice } from './method-choice';
import type { ActionRequired, ChargeSource } from '../provider/port/payment-provider';

/**
 * Initiator of an attempt: the schedule, a customer whose default method changed, a payer or caller
 * who pays now, or a caller who records a payment.
 */
export type AttemptOrigin = 'COLLECTION' | 'NEW_DEFAULT' | 'PAYER' | 'RECORDED';

/** Source of an attempt: a charge at the provider, or an amount of the customer's balance. */
export type AttemptSource = ChargeSource | { readonly kind: 'BALANCE'; readonly amount: bigint };

/** Details of a payment that a caller records. */
export interface RecordedPayment {
  readonly method: 'BANK_TRANSFER' | 'CASH' | 'CHECK' | 'OTHER' | 'BALANCE';
  readonly reference: string | undefined;
  /** Environment time. */
  readonly receivedAt: Date;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Names in place of a provider's, shown on recorded payments. */
export const externalProvider = 'external';
export const balanceProvider = 'balance';

/**
 * The running attempt, in the invoice's only slot. It charges one source under one key, however
 * often it is resumed.
 */
export interface Attempt {
  /** Number of the attempt at this invoice, from 1. */
  readonly number: number;
  readonly origin: AttemptOrigin;
  readonly source: AttemptSource;
  /**
   * Index of the scheduled charge: 0 the first, 1 the first retry; undefined for attempts outside
   * the schedule.
   */
  readonly retry: number | undefined;
  /**
   * Our saved method behind the source, even if the customer does not have it in their list;
   * undefined if none.
   */
  readonly methodId: string | undefined;
  /** Name of the adapter; `none` if no provider is asked. */
  readonly provider: string;
  /** REQUIRES_ACTION: waits for its payer; no worker processes it. */
  readonly status: 'PENDING' | 'REQUIRES_ACTION';
  /** Environment time. */
  readonly startedAt: Date;
  /** Real time; the lease runs from here. */
  readonly claimedAt: Date;
  /**
   * Idempotency: the same call or session payment is the same attempt; undefined if the attempt has
   * no such id.
   */
  readonly callId: string | undefined;
  /** Address to which a payer who is present returns; undefined if no payer is present. */
  readonly returnUrl: string | undefined;
  readonly providerPaymentId: string | undefined;
  /** Page of the provider that asks the payer; undefined if we show the challenge. */
  readonly redirectUrl: string | undefined;
  /**
   * Number of answers that the payer has given; a late worker compares it to detect that its result
   * is outdated.
   */
  readonly answers: number;
  /** The payer's last answer, if we showed the challenge. */
  readonly approved: boolean | undefined;
  /**
   * True if a method that was given after the customer's default becomes the default on success.
   */
  readonly becomesDefault: boolean;
  /** Details of a payment from the balance; undefined for charges. */
  readonly recorded: RecordedPayment | undefined;
}

/** Input of an attempt. The source is looked up beforehand, because rules do no I/O. */
export interface Claim extends MethodChoice {
  readonly source: AttemptSource;
  readonly provider: string;
  /** Environment time. */
  readonly now: Date;
  /** Real time. */
  readonly claimedAt: Date;
  /** See Attempt; absent means false. */
  readonly becomesDefault?: boolean;
  /**
   * True if no payment provider is configured for the environment; then nothing is claimed. Absent
   * means false.
   */
  readonly isProviderMissing?: boolean;
}

/** Input of a step of the collection schedule. */
export interface ScheduledClaim extends Claim {
  /** Days after a first failure on which it is charged again, or reminded after its due date. */
  readonly retryDays: readonly number[];
}

/** The paying call, if a call requested the attempt. */
export interface PayerPresence {
  readonly callId: string | undefined;
  readonly returnUrl: string | undefined;
  /** Amount that the payer was shown; undefined: not compared. */
  readonly expectedAmount?: bigint | undefined;
}

/** Long enough for a provider to answer; afterwards another worker may resume a claimed attempt. */
const resumeAfterMs = 30_000;

/** Creates an attempt for the slot. */
export function begin(
  number: number,
  { source, methodId, provider, now, claimedAt, becomesDefault = false }: Claim,
  {
    origin,
    retry,
    recorded,
    callId,
    returnUrl,
  }: Pick<Attempt, 'origin' | 'retry' | 'recorded'> & PayerPresence,
): Attempt {
  return {
    number,
    origin,
    retry,
    source,
    methodId,
    provider,
    status: 'PENDING',
    startedAt: now,
    claimedAt,
    callId,
    returnUrl,
    providerPaymentId: undefined,
    redirectUrl: undefined,
    answers: 0,
    approved: undefined,
    becomesDefault,
    recorded,
  };
}

/** Marks the attempt as waiting for its payer. */
export function waitForPayer(
  attempt: Attempt,
  { providerPaymentId, redirectUrl }: ActionRequired,
): Attempt {
  return { ...attempt, status: 'REQUIRES_ACTION', providerPaymentId, redirectUrl };
}

/** Marks the attempt as pending again after its payer has answered. */
export function resumeAttempt(
  attempt: Attempt,
  { approved, claimedAt }: { readonly approved: boolean | undefined; readonly claimedAt: Date },
): Attempt {
  return { ...attempt, status: 'PENDING', claimedAt, approved, answers: attempt.answers + 1 };
}

/** Idempotency key of an attempt at the provider, the same however often the attempt is resumed. */
export function chargeKey(invoiceId: string, attempt: Pick<Attempt, 'number'>): string {
  return `${invoiceId}:${String(attempt.number)}`;
}

/** Real time from which any worker may resume the attempt. */
export function resumeAt({ claimedAt }: Pick<Attempt, 'claimedAt'>): Date {
  return new Date(claimedAt.getTime() + resumeAfterMs);
}

/** Outcome that an invoice reports to its subscription or session. */
export type CollectionOutcome =
  | 'SUCCEEDED'
  | 'FAILED'
  | 'NOTHING_DUE'
  /** Given up: nothing comes of it any more. */
  | 'UNCOLLECTIBLE'
  /** The provider is unavailable or not configured; the customer is not at fault. */
  | 'NOT_CHARGED'
  /** Sent, and unpaid after its due date. */
  | 'OVERDUE'
  /** Voided by a caller. */
  | 'VOIDED'
  /** Nothing is outstanding any more, without a payment: the rest was credited. */
  | 'SETTLED'
  /** Written off by a caller; the subscription goes on. */
  | 'WRITTEN_OFF';

/** Result of the collection of an invoice as it was sent to the subscription. */
export interface SentResult {
  /** 1, 2, 3 … for each invoice. */
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  readonly attempt: number;
  readonly nextAttemptAt: Date | null;
}
