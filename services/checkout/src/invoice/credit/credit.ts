import { DomainError } from '@billing/kernel/domain-error';
import { sumOf } from '@billing/kernel/money';

/** Reason of a credit note. CHANGE: a plan change. */
type CreditNoteReason = 'DUPLICATE' | 'SERVICE' | 'CANCELLATION' | 'GOODWILL' | 'OTHER' | 'CHANGE';

/** Credited part of a line. Below 0 for a line below 0. */
export interface CreditNoteLine {
  readonly lineItemId: string;
  /** With tax. */
  readonly total: bigint;
  readonly taxAmount: bigint;
}

/** A document that lowers its invoice. It never changes after it was numbered. */
export interface CreditNote {
  readonly id: string;
  /** `CN-000001`; undefined until it is taken. */
  readonly number: string | undefined;
  readonly reason: CreditNoteReason;
  readonly memo: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lines: readonly CreditNoteLine[];
  /** Part that lowered what was owed. */
  readonly reduced: bigint;
  /** Part added to the customer's balance. */
  readonly toBalance: bigint;
  /** Part that the seller has returned in another way. */
  readonly external: bigint;
  /** Environment time. */
  readonly issuedAt: Date;
}

/** Money returned from a payment at a provider. */
export interface Refund {
  readonly id: string;
  /** Undefined for a refund that was made at the provider, and for one of an overpayment. */
  readonly creditNoteId: string | undefined;
  /** True for the refund of an overpayment whose customer was deleted. Absent means false. */
  readonly isOfOverpayment?: true;
  readonly paymentId: string;
  readonly amount: bigint;
  /** REPLACED: settled to the balance or outside. */
  readonly status: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'REPLACED';
  readonly failureCode: string | undefined;
  /** Number of the try at the provider, from 1. */
  readonly attempt: number;
  readonly provider: string;
  readonly providerRefundId: string | undefined;
  readonly replacedBy: 'BALANCE' | 'EXTERNAL' | undefined;
  /** The seller's reference of the settlement. */
  readonly reference: string | undefined;
  /** Idempotency: the call that has settled it last. */
  readonly callId: string | undefined;
  /** Real time from which a lease of 30 s runs; undefined once the provider knows the refund. */
  readonly claimedAt: Date | undefined;
  /** Environment time at which the provider is asked again; undefined unless it is in progress. */
  readonly lookAt: Date | undefined;
  /** Environment time. */
  readonly createdAt: Date;
  /** Environment time of the outcome; undefined while PENDING. */
  readonly settledAt: Date | undefined;
}

/** Fields of a refund without a credit note, before anything is known of it. */
export const withoutOutcome = {
  ...{ creditNoteId: undefined, failureCode: undefined, replacedBy: undefined },
  ...{ reference: undefined, callId: undefined, claimedAt: undefined, lookAt: undefined },
  ...{ providerRefundId: undefined, settledAt: undefined },
};

/** A payment that its payer disputes at the bank. */
export interface Dispute {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: bigint;
  /** The provider's reason. */
  readonly reason: string;
  readonly status: 'OPEN' | 'WON' | 'LOST';
  readonly provider: string;
  readonly providerDisputeId: string;
  readonly evidenceDueBy: Date | undefined;
  /** Environment time. */
  readonly openedAt: Date;
  readonly closedAt: Date | undefined;
}

/** Credit notes, refunds and disputes of an invoice, the oldest first. */
export interface Credits {
  readonly creditNotes: readonly CreditNote[];
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
}

/** Credits of an invoice that has none. */
export const noCredits: Credits = { creditNotes: [], refunds: [], disputes: [] };

/** Limits, because every result carries its invoice. */
export const refundsMax = 100;
export const disputesMax = 20;
// Limit for callers, and separately for plan changes.
const creditNotesMax = 50;

/**
 * True if the invoice has all the credit notes that callers may issue, or plan changes. They are
 * limited apart, so that a caller's notes never prevent a change; a period has at most 50 changes.
 */
export function hasAllNotes(
  { creditNotes }: Pick<Credits, 'creditNotes'>,
  issuer: 'CALLER' | 'CHANGE',
): boolean {
  const own = creditNotes.filter(({ reason }) => (reason === 'CHANGE') === (issuer === 'CHANGE'));
  return own.length >= creditNotesMax;
}

/** Refusal of a credit note beyond the limit of its invoice. */
export function tooManyCreditNotes(): DomainError {
  const message = 'Too many credit notes';
  return new DomainError('failed_precondition', 'TOO_MANY_CREDIT_NOTES', message);
}

/** Amount of a credit note, with tax. */
export function totalOfNote({ lines }: Pick<CreditNote, 'lines'>): bigint {
  return sumOf(lines.map(({ total }) => total));
}

/** Part of the total that credit notes have lowered while it was owed. */
export function amountReduced({ creditNotes }: Pick<Credits, 'creditNotes'>): bigint {
  return sumOf(creditNotes.map(({ reduced }) => reduced));
}

/** Σ of the credit notes, with tax. */
export function amountCredited({ creditNotes }: Pick<Credits, 'creditNotes'>): bigint {
  return sumOf(creditNotes.map(totalOfNote));
}

/** Σ of the successful refunds. */
export function amountRefunded({ refunds }: Pick<Credits, 'refunds'>): bigint {
  return sumOf(refunds.filter(({ status }) => status === 'SUCCEEDED').map(({ amount }) => amount));
}

/** Split of a credit note as its refunds stand; the parts sum to its total. */
export interface CreditSplit {
  readonly reduced: bigint;
  readonly toBalance: bigint;
  readonly refunded: bigint;
  readonly external: bigint;
  readonly unsettled: bigint;
}

/** Where the amount of a credit note went. */
export function splitOf(note: CreditNote, { refunds }: Pick<Credits, 'refunds'>): CreditSplit {
  const own = refundsOf(note, { refunds });
  const sum = (isCounted: (refund: Refund) => boolean) =>
    sumOf(own.filter(isCounted).map(({ amount }) => amount));
  return {
    reduced: note.reduced,
    toBalance: note.toBalance + sum(({ replacedBy }) => replacedBy === 'BALANCE'),
    refunded: sum(isHeld),
    external: note.external + sum(({ replacedBy }) => replacedBy === 'EXTERNAL'),
    unsettled: sum(({ status }) => status === 'FAILED'),
  };
}

/** Refunds of a credit note. */
export function refundsOf(
  { id }: Pick<CreditNote, 'id'>,
  { refunds }: Pick<Credits, 'refunds'>,
): readonly Refund[] {
  return refunds.filter(({ creditNoteId }) => creditNoteId === id);
}

/** True if the refund takes its amount from its payment. */
export function isHeld({ status }: Pick<Refund, 'status'>): boolean {
  return status === 'PENDING' || status === 'SUCCEEDED';
}
