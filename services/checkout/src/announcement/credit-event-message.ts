import type { Stored } from '@billing/chassis/aggregate';
import type { DomainEvent } from '@billing/kernel/transition';
import { CreditEvent as ProtoCreditEvent } from '@billing/proto/billing/event/v1/credit_event';
import { toJsonRefund } from '@billing/proto/json/credit-note/refund';
import { fieldChangesBetween } from '@billing/proto/json/field-changes';
import { toProtoCreditNotes } from '../credit-note/credit-note-message';
import { type CreditEvent, creditEventOrder } from '../invoice/credit/credit-announcement';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import { toProtoDispute, toProtoRefund } from '../refund/refund-message';

/** True for the event of a credit note, refund or dispute. */
export function isCreditEvent(event: DomainEvent): event is CreditEvent {
  return (creditEventOrder as readonly string[]).includes(event.type);
}

/** Encodes the event of a credit note, refund or dispute, with its invoice as written. */
export function creditEventEncoder(pages: InvoicePages) {
  return (event: CreditEvent, { state, ...stored }: Stored<InvoiceRecord>): unknown => {
    if (state.isTombstone) throw new Error(`Invoice ${state.id} has no credits`);
    const invoice = toProtoInvoice({ ...stored, state }, pages);
    return ProtoCreditEvent.toJSON({
      ...{ invoice, creditNote: undefined, refund: undefined, dispute: undefined, changes: {} },
      ...detailsOf(event, { ...stored, state }),
    });
  };
}

function detailsOf(event: CreditEvent, stored: Stored<Invoice>): Partial<ProtoCreditEvent> {
  const { state } = stored;
  switch (event.type) {
    case 'credit_note.created':
      return { creditNote: noteOf(event.data.creditNoteId, stored) };
    case 'refund.succeeded':
    case 'refund.failed':
      return refundDetails(event.data.refundId, stored);
    case 'refund.updated': {
      const { refundId, before } = event.data;
      const details = refundDetails(refundId, stored);
      const changes = fieldChangesBetween(
        toJsonRefund(toProtoRefund(before, state)),
        toJsonRefund(details.refund),
      );
      return { ...details, changes };
    }
    case 'dispute.opened':
    case 'dispute.closed':
      return { dispute: toProtoDispute(partOf(state.disputes, event.data.disputeId), state) };
  }
}

function refundDetails(refundId: string, stored: Stored<Invoice>) {
  const refund = partOf(stored.state.refunds, refundId);
  const { creditNoteId } = refund;
  return {
    refund: toProtoRefund(refund, stored.state),
    creditNote: creditNoteId === undefined ? undefined : noteOf(creditNoteId, stored),
  };
}

function noteOf(creditNoteId: string, stored: Stored<Invoice>) {
  return partOf(toProtoCreditNotes(stored), creditNoteId);
}

function partOf<T extends { readonly id: string }>(parts: readonly T[], partId: string): T {
  const found = parts.find(({ id }) => id === partId);
  if (found === undefined) throw new Error(`The invoice of ${partId} does not have it`);
  return found;
}
