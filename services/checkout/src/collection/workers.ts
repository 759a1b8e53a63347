import { type AttemptDependencies, AttemptWorker } from './attempt-worker';
import { type CollectionDependencies, CollectionWorker } from './collection-worker';
import { PaymentMethodWorker } from '../payment-method/payment-method-worker';
import { type PaymentDependencies, PaymentWorker } from './payment-worker';
import { SessionInvoiceWorker } from './session-invoice-worker';

/** Workers of invoices. */
export interface InvoiceWorkers {
  readonly saver: PaymentMethodWorker;
  readonly collection: CollectionWorker;
  readonly payments: PaymentWorker;
  readonly sessionInvoices: SessionInvoiceWorker;
}

/** Creates the workers of invoices; all share one attempt worker. */
export function invoiceWorkers(
  dependencies: AttemptDependencies &
    Pick<PaymentDependencies, 'onUnknown'> &
    Pick<CollectionDependencies, 'numbers' | 'balances'>,
): InvoiceWorkers {
  const { invoices, methods, numbers, balances, providerOf, clock, onUnknown, onNotCharged } =
    dependencies;
  const saver = new PaymentMethodWorker({ store: methods, providerOf, clock });
  const attempts = new AttemptWorker(dependencies);
  const collection = new CollectionWorker({
    ...{ invoices, numbers, balances, methods, saver, attempts },
    onNotCharged,
  });
  const payments = new PaymentWorker({
    ...{ invoices, methods, attempts, clock },
    onUnknown,
    onNotCharged,
  });
  const session = { invoices, numbers, collection, payments, attempts };
  return { saver, collection, payments, sessionInvoices: new SessionInvoiceWorker(session) };
}
