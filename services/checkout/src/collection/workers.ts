import { type AttemptDependencies, AttemptWorker } from './attempt-worker';
import { type CollectionDependencies, CollectionWorker } from './collection-worker';
import { PaymentMethodWorker } from '../payment-method/payment-method-worker';
import { type PaymentDependencies, PaymentWorker } from './payment-worker';
import { type RecordedPaymentDependencies, RecordedPaymentWorker } from './recorded-payment-worker';
import { SessionInvoiceWorker } from './session-invoice-worker';

/** Workers of invoices. */
export interface InvoiceWorkers {
  readonly saver: PaymentMethodWorker;
  readonly collection: CollectionWorker;
  readonly payments: PaymentWorker;
  readonly recordedPayments: RecordedPaymentWorker;
  readonly sessionInvoices: SessionInvoiceWorker;
  readonly attempts: AttemptWorker;
}

/** Creates the workers of invoices; all share one attempt worker. */
export function invoiceWorkers(
  dependencies: AttemptDependencies &
    Pick<PaymentDependencies, 'logger'> &
    Pick<CollectionDependencies, 'numbers'> &
    Pick<RecordedPaymentDependencies, 'balances'> &
    Pick<CollectionDependencies, 'balances'>,
): InvoiceWorkers {
  const { invoices, methods, numbers, balances, providerOf, clock, logger, onNotCharged } =
    dependencies;
  const saver = new PaymentMethodWorker({ store: methods, providerOf, clock });
  const attempts = new AttemptWorker(dependencies);
  const collection = new CollectionWorker({
    ...{ invoices, numbers, balances, methods, saver, attempts, clock },
    onNotCharged,
  });
  const payments = new PaymentWorker({
    ...{ invoices, methods, attempts, clock },
    logger,
    onNotCharged,
  });
  const recordedPayments = new RecordedPaymentWorker({
    ...{ invoices, methods, balances, attempts, clock },
    logger,
  });
  const session = { invoices, numbers, collection, payments, attempts };
  const sessionInvoices = new SessionInvoiceWorker(session);
  return { saver, collection, payments, recordedPayments, sessionInvoices, attempts };
}
