import type { CreditNote, Credits, Dispute, Refund } from '../credit/credit';
import { type Count, nullable, type Nullable } from './stored-fields';

type CreditNoteDocument = Omit<Nullable<CreditNote>, 'metadata'> & {
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};
type RefundDocument = Omit<Nullable<Refund>, 'attempt' | 'isOfOverpayment'> &
  Pick<Refund, 'isOfOverpayment'> & { readonly attempt: Count };

/** Credits in an invoice's document. Documents of earlier releases lack them. */
export interface CreditsDocument {
  readonly creditNotes?: readonly CreditNoteDocument[];
  readonly refunds?: readonly RefundDocument[];
  readonly disputes?: readonly Nullable<Dispute>[];
}

export function toCreditsDocument({ creditNotes, refunds, disputes }: Credits) {
  return {
    creditNotes: creditNotes.map((note) => ({
      ...nullable(note),
      metadata: JSON.stringify(note.metadata),
    })),
    refunds: refunds.map(nullable),
    disputes: disputes.map(nullable),
  };
}

export function fromCreditsDocument({
  creditNotes = [],
  refunds = [],
  disputes = [],
}: CreditsDocument): Credits {
  return {
    creditNotes: creditNotes.map(fromNote),
    refunds: refunds.map(fromRefund),
    disputes: disputes.map((dispute) => ({
      ...dispute,
      evidenceDueBy: dispute.evidenceDueBy ?? undefined,
      closedAt: dispute.closedAt ?? undefined,
    })),
  };
}

function fromNote(note: CreditNoteDocument): CreditNote {
  return {
    ...note,
    number: note.number ?? undefined,
    memo: note.memo ?? undefined,
    metadata: JSON.parse(note.metadata) as Record<string, unknown>,
    lines: note.lines.map(({ lineItemId, total, taxAmount }) => ({
      ...{ lineItemId, total, taxAmount },
    })),
  };
}

function fromRefund(refund: RefundDocument): Refund {
  return {
    ...refund,
    creditNoteId: refund.creditNoteId ?? undefined,
    failureCode: refund.failureCode ?? undefined,
    attempt: Number(refund.attempt),
    providerRefundId: refund.providerRefundId ?? undefined,
    replacedBy: refund.replacedBy ?? undefined,
    reference: refund.reference ?? undefined,
    callId: refund.callId ?? undefined,
    claimedAt: refund.claimedAt ?? undefined,
    lookAt: refund.lookAt ?? undefined,
    settledAt: refund.settledAt ?? undefined,
  };
}
