import type {
  AggregateCollection,
  CommandDelivery,
  CommandHandler,
} from '@billing/chassis/aggregate-collection';
import type { Logger } from '@billing/chassis/logging';
import { withinTime } from '@billing/chassis/within-time';
import { providerWaitMs } from './provider/wait-for-effect';
import type { CollectionWorker } from './collection/collection-worker';
import { notifySubscription, toProtoCollectionResult } from './collection/send-collection-result';
import type { CreditNoteWorker } from './credit-note/credit-note-worker';
import type { InvoiceRecord } from './invoice/invoice';
import type { InvoicePages } from './invoice/rpc';
import type { UsedMethod } from './invoice/method-use';
import type { PaymentMethodWorker } from './payment-method/payment-method-worker';
import type { Payer } from './payment-method/payment-method';
import type { PaymentMethodStore } from './payment-method/store';
import type { MovedSubscriptions } from './payment-method/subscription-method-store';
import type { Peers } from './peer/peers';
import type { RefundWorker } from './refund/refund-worker';
import type { RecordedPaymentWorker } from './collection/recorded-payment-worker';
import type { SessionListener } from './collection/session-invoice-worker';
import { type CollectionResultPayload, readCollectionResult } from './invoice/document/store';

export interface InvoiceCommandDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly worker: CollectionWorker;
  readonly recordedPayments: Pick<RecordedPaymentWorker, 'creditOverpayment'>;
  readonly creditNotes: Pick<CreditNoteWorker, 'complete'>;
  readonly refunds: RefundWorker;
  readonly saver: PaymentMethodWorker;
  readonly sessions: Pick<SessionListener, 'invoiceChanged'>;
  readonly pages: InvoicePages;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** Handlers of the commands of an invoice. */
export function invoiceCommands(
  dependencies: InvoiceCommandDependencies,
): Record<string, CommandHandler> {
  const { invoices, worker, recordedPayments, refunds, saver, sessions, pages } = dependencies;
  return {
    openInvoice: async (_payload, { aggregateId, context, completion }: CommandDelivery) => {
      await withinTime(providerWaitMs, worker.open(aggregateId, context, completion));
    },
    applyCollectionResult: async (
      payload: CollectionResultPayload,
      { context }: CommandDelivery,
    ) => {
      const request = toProtoCollectionResult(readCollectionResult(payload, context), pages);
      await notifySubscription(request, context, dependencies);
    },
    returnBalance: async (_payload, { aggregateId, context }: CommandDelivery) => {
      const { state } = await invoices.within(context).getRecent(aggregateId);
      await worker.returnBalance(state, context);
    },
    creditOverpayment: async (
      { paymentId }: { paymentId: string },
      { aggregateId, context }: CommandDelivery,
    ) => {
      const { state } = await invoices.within(context).getRecent(aggregateId);
      if (await refunds.refundOverpayment(state, paymentId, context)) return;
      await recordedPayments.creditOverpayment(state, paymentId, context);
    },
    ...creditCommands(dependencies),
    tellSession: async ({ sessionId }: { sessionId: string }, delivery: CommandDelivery) => {
      const { aggregateId: invoiceId, context } = delivery;
      await sessions.invoiceChanged({ sessionId, invoiceId }, context);
    },
    preferMethod: async (used: UsedMethod, { aggregateId, context }: CommandDelivery) => {
      const { customerId } = (await invoices.within(context).getRecent(aggregateId)).state;
      await saver.keepUsed(customerId, used, context);
    },
  };
}

// Commands of credit notes and refunds.
function creditCommands({
  invoices,
  creditNotes,
  refunds,
}: InvoiceCommandDependencies): Record<string, CommandHandler> {
  return {
    issueCreditNote: async (
      { creditNoteId }: { creditNoteId: string },
      { aggregateId: invoiceId, context, completion }: CommandDelivery,
    ) => {
      await creditNotes.complete({ invoiceId, creditNoteId }, context, completion);
    },
    creditRefund: async (
      { refundId }: { refundId: string },
      { aggregateId, context }: CommandDelivery,
    ) => {
      const { state } = await invoices.within(context).getRecent(aggregateId);
      await refunds.creditRefund(state, refundId, context);
    },
    copyCreditRows: async (_payload, { aggregateId, context }: CommandDelivery) => {
      await refunds.copyRows(await invoices.within(context).getRecent(aggregateId));
    },
  };
}

/** The subscription accepts a result only after the preceding number. */
export const unskippableInvoiceCommands: Readonly<Record<string, string>> = {
  applyCollectionResult:
    'This command cannot be skipped: the subscription would refuse all later results of the invoice',
};

/** Handlers of the commands of a payer. */
export function payerCommands({
  payers,
  methods,
  worker,
}: {
  readonly payers: AggregateCollection<Payer>;
  readonly methods: Pick<PaymentMethodStore, 'subscriptions'>;
  readonly worker: CollectionWorker;
}): Record<string, CommandHandler> {
  return {
    moveSubscriptions: async (
      moved: MovedSubscriptions,
      { aggregateId, context }: CommandDelivery,
    ) => {
      const { customerId } = (await payers.within(context).get(aggregateId)).state;
      await methods.subscriptions.move(customerId, moved, context);
    },
    collectOpenInvoices: async (_payload, { aggregateId, context }: CommandDelivery) => {
      const { customerId } = (await payers.within(context).getRecent(aggregateId)).state;
      await worker.collectOpenInvoices(customerId, context);
    },
  };
}
