import type { toJsonCreditNote } from '@billing/proto/json/credit-note/credit-note';
import type { toJsonDispute, toJsonRefund } from '@billing/proto/json/credit-note/refund';
import { labelText, moneyText } from '../../parts/text/text';
import { reasonText } from '../invoice/invoice';

export type CreditNote = ReturnType<typeof toJsonCreditNote>;
export type Refund = ReturnType<typeof toJsonRefund>;
export type Dispute = ReturnType<typeof toJsonDispute>;

/** Display name of a credit note; one that waits for its number shows its id. */
export function creditNoteName({ number, id }: Pick<CreditNote, 'number' | 'id'>): string {
  return number ?? `Credit note ${id.slice(0, 8)}`;
}

/** Reason of a credit note: “Goodwill”. */
export function creditReasonText(reason: CreditNote['reason']): string {
  return reason === 'CHANGE' ? 'Plan change' : labelText(reason);
}

type Split = Pick<
  CreditNote,
  'currency' | 'reduced' | 'toBalance' | 'refunded' | 'external' | 'unsettled'
>;

/** Where a credit note went: “$10.00 off what was owed, $5.00 refunded”. */
export function splitText(note: Split): string {
  const parts = [
    [note.reduced, 'off what was owed'],
    [note.toBalance, 'to the balance'],
    [note.refunded, 'refunded'],
    [note.external, 'returned by you'],
    [note.unsettled, 'of failed refunds'],
  ] as const;
  return parts
    .filter(([amount]) => amount !== 0)
    .map(([amount, where]) => `${moneyText(amount, note.currency)} ${where}`)
    .join(', ');
}

type Settled = Pick<Refund, 'status' | 'failureCode' | 'replacedBy' | 'reference'>;

/** Outcome of a refund: “Failed: refund declined”, “Added to the balance”. */
export function refundText({ status, failureCode, replacedBy, reference }: Settled): string {
  switch (status) {
    case 'PENDING':
      return 'In progress at the provider';
    case 'SUCCEEDED':
      return 'Returned to the customer';
    case 'FAILED':
      return `Failed: ${reasonText(failureCode)}`;
    case 'REPLACED': {
      const how = replacedBy === 'BALANCE' ? 'Added to the balance' : 'Returned in another way';
      return reference === null ? how : `${how}: ${reference}`;
    }
  }
}

/** Reason why a refund cannot be settled in another way; undefined if it can. */
export function settleRefusal({
  status,
  creditNoteId,
}: Pick<Refund, 'status' | 'creditNoteId'>): string | undefined {
  if (status !== 'FAILED') return 'The refund has not failed.';
  return creditNoteId === null ? 'The refund has no credit note.' : undefined;
}
