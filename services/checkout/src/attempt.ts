import type { MethodChoice } from './method-choice';
import type { ActionRequired, ChargeSource } from './payment-provider';

/** Who asked for an attempt: the schedule, a customer whose default method changed, or somebody who pays now. */
export type AttemptOrigin = 'COLLECTION' | 'NEW_DEFAULT' | 'PAYER';

/** The attempt that is under way, in the invoice's only slot. It charges one source under one key, however often it is resumed. */
export interface Attempt {
  /** Which attempt at this invoice, from 1. */
  readonly number: number;
  readonly origin: AttemptOrigin;
  readonly source: ChargeSource;
  /** Which charge of the schedule: 0 the first, 1 the first retry; undefined where the schedule did not ask. */
  readonly retry: number | undefined;
  /** Of our saved method behind the source, whether it is kept or not; undefined where there is none. */
  readonly methodId: string | undefined;
  /** The adapter's name; `none` where no provider is asked. */
  readonly provider: string;
  /** REQUIRES_ACTION: waits for its payer, and nobody works on it. */
  readonly status: 'PENDING' | 'REQUIRES_ACTION';
  /** Business time. */
  readonly startedAt: Date;
  /** Real time; from it follows when another worker may take the attempt up. */
  readonly claimedAt: Date;
  /** The same call or session payment is the same attempt; undefined where none can be repeated. */
  readonly callId: string | undefined;
  /** Where a payer who is present comes back to; undefined: nobody is present. */
  readonly returnUrl: string | undefined;
  readonly providerPaymentId: string | undefined;
  /** Where the provider asks the payer; undefined where we show the challenge. */
  readonly redirectUrl: string | undefined;
  /** How often the payer has answered: tells a late worker that its news is old. */
  readonly answers: number;
  /** What the payer answered last, where we showed the challenge. */
  readonly approved: boolean | undefined;
  /** Whether the method, given after the customer's default was, becomes the default if it pays. */
  readonly becomesDefault: boolean;
}

/** What an attempt is made with; the source is looked up before, because a rule asks nobody. */
export interface Claim extends MethodChoice {
  readonly source: ChargeSource;
  readonly provider: string;
  /** Business time. */
  readonly now: Date;
  /** Real time. */
  readonly claimedAt: Date;
  /** See Attempt; absent: no. */
  readonly becomesDefault?: boolean;
  /** Whether no payment provider is configured for the environment: then nothing is claimed. Absent: one is. */
  readonly isProviderMissing?: boolean;
}

/** Who pays, where somebody asked for the attempt. */
export interface PayerPresence {
  readonly callId: string | undefined;
  readonly returnUrl: string | undefined;
}

/** Long enough for a provider to answer; after it another worker takes a claimed attempt up. */
const resumeAfterMs = 30_000;

/** A fresh attempt for the slot. */
export function begin(
  number: number,
  { source, methodId, provider, now, claimedAt, becomesDefault = false }: Claim,
  { origin, retry, callId, returnUrl }: Pick<Attempt, 'origin' | 'retry'> & PayerPresence,
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
  };
}

/** The attempt as it waits for its payer. */
export function waitForPayer(
  attempt: Attempt,
  { providerPaymentId, redirectUrl }: ActionRequired,
): Attempt {
  return { ...attempt, status: 'REQUIRES_ACTION', providerPaymentId, redirectUrl };
}

/** The attempt under way again, after its payer has answered. */
export function takeUp(
  attempt: Attempt,
  { approved, claimedAt }: { readonly approved: boolean | undefined; readonly claimedAt: Date },
): Attempt {
  return { ...attempt, status: 'PENDING', claimedAt, approved, answers: attempt.answers + 1 };
}

/** The provider's idempotency key of an attempt: the same however often the attempt is resumed. */
export function chargeKey(invoiceId: string, attempt: Pick<Attempt, 'number'>): string {
  return `${invoiceId}:${String(attempt.number)}`;
}

/** Real time at which any worker may take up the attempt. */
export function resumeAt({ claimedAt }: Pick<Attempt, 'claimedAt'>): Date {
  return new Date(claimedAt.getTime() + resumeAfterMs);
}
