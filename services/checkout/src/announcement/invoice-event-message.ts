import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { DomainEvent } from '@billing/kernel/transition';
import { InvoiceEvent as ProtoInvoiceEvent } from '@billing/proto/billing/event/v1/invoice_event';
import type { Payment } from '@billing/proto/billing/checkout/v1/checkout';
import { chargeInitiators, collectionProgress } from '@billing/proto/values/checkout';
import { announceInvoice, type InvoiceEvent } from '../invoice/announcement';
import type { InvoiceRecord } from '../invoice/invoice';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import { invoiceDefinition } from '../invoice/document/store';
import { creditEventEncoder, isCreditEvent } from './credit-event-message';

/** Invoices that announce their events, with the addresses of their pages. */
export function announcedInvoices(pages: InvoicePages): AggregateDefinition<InvoiceRecord> {
  return {
    ...invoiceDefinition,
    announce: announceInvoice,
    encodeEvent: invoiceEventEncoder(pages),
  };
}

/**
 * Encodes events as their proto message in JSON mapping. `stored` is the invoice right after the
 * decision.
 */
function invoiceEventEncoder(pages: InvoicePages) {
  const encodeCreditEvent = creditEventEncoder(pages);
  return (event: DomainEvent, stored: Stored<InvoiceRecord>): unknown => {
    if (isCreditEvent(event)) return encodeCreditEvent(event, stored);
    const invoice = toProtoInvoice(stored, pages);
    const details = detailsOf(event as InvoiceEvent, invoice.payments);
    return ProtoInvoiceEvent.toJSON({ invoice, ...noDetails, ...details });
  };
}

const noDetails = {
  charging: undefined,
  payment: undefined,
  attempt: undefined,
  initiator: chargeInitiators.valueOf(undefined),
  collection: collectionProgress.valueOf(undefined),
  nextAttemptAt: undefined,
  reminder: undefined,
};

function detailsOf(event: InvoiceEvent, payments: readonly Payment[]) {
  const numbered = (number: number) => payments.find(({ attempt }) => attempt === number);
  switch (event.type) {
    case 'invoice.created':
      return { charging: event.data.charging };
    case 'invoice.payment_received':
      return { payment: numbered(event.data.payment) };
    case 'invoice.payment_failed': {
      const { payment, attempt, initiator, collection, nextAttemptAt } = event.data;
      return {
        payment: numbered(payment),
        ...{ attempt, nextAttemptAt },
        initiator: chargeInitiators.valueOf(initiator),
        collection: collectionProgress.valueOf(collection),
      };
    }
    case 'invoice.reminded':
      return { reminder: event.data.reminder };
    case 'invoice.paid':
    case 'invoice.voided':
    case 'invoice.uncollectible':
    case 'invoice.overdue':
      return {};
  }
}
