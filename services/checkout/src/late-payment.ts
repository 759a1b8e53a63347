import { type Transition, unchanged } from '@billing/kernel/transition';
import { withResult } from './collection-result';
import { type Invoice, type InvoiceRecord, isOwed, pay, type Payment } from './invoice';

/** The payment that is recorded as failed and that the provider says has succeeded; undefined: none. */
export function contradictedPayment(
  record: InvoiceRecord,
  providerPaymentId: string,
): Payment | undefined {
  if (record.isTombstone) return undefined;
  const found = record.payments.find((payment) => payment.providerPaymentId === providerPaymentId);
  return found?.status === 'FAILED' ? found : undefined;
}

/**
 * Settles the invoice with a payment that was recorded as failed and has succeeded after all. An invoice that is paid otherwise or void,
 * or that is being paid at this moment, stays as it is.
 */
export function settleLate(
  record: InvoiceRecord,
  { number, now }: { readonly number: number; readonly now: Date },
): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt !== undefined) return unchanged(record);
  const payments = record.payments.map((payment) =>
    payment.number === number && payment.status === 'FAILED' ? succeeded(payment, now) : payment,
  );
  if (payments.every((payment, index) => payment === record.payments[index])) {
    return unchanged(record);
  }
  const paid: Invoice = pay({ ...record, payments }, now);
  // The subscription of one that was given up has ended: it is told nothing more.
  if (record.status === 'UNCOLLECTIBLE') return { state: paid, events: [], commands: [] };
  return withResult(paid, { outcome: 'SUCCEEDED', attempt: number });
}

function succeeded(payment: Payment, endedAt: Date): Payment {
  const outcome = { status: 'SUCCEEDED', failureCode: undefined, decline: undefined } as const;
  return { ...payment, ...outcome, endedAt };
}
