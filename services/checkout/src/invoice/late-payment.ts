import { type Transition, unchanged } from '@billing/kernel/transition';
import { withResult } from './collection-result';
import { type Invoice, type InvoiceRecord, isOwed, pay, type Payment } from './invoice';
import type { MethodChoice } from './method-choice';
import { usedMethod, withMethodUse } from './method-use';

/**
 * Payment that is recorded as failed and that the provider reports as succeeded; undefined if none.
 */
export function contradictedPayment(
  record: InvoiceRecord,
  providerPaymentId: string,
): Payment | undefined {
  if (record.isTombstone) return undefined;
  const found = record.payments.find((payment) => payment.providerPaymentId === providerPaymentId);
  return found?.status === 'FAILED' ? found : undefined;
}

/**
 * Settles the invoice with a payment that was recorded as failed and has succeeded after all. Its
 * method is kept like that of any success, dated at the recorded failure: a method that the
 * customer gave later stays the default. An invoice that is void, already paid, or being paid at
 * this moment stays as it is.
 */
export function settleLate(
  record: InvoiceRecord,
  {
    number,
    methods,
    now,
  }: { readonly number: number; readonly methods: MethodChoice; readonly now: Date },
): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt !== undefined) return unchanged(record);
  const late = record.payments.find((payment) => payment.number === number);
  if (late?.status !== 'FAILED') return unchanged(record);
  const payments = record.payments.map((payment) =>
    payment === late ? succeeded(payment, now) : payment,
  );
  const settled = { ...record, payments };
  return withMethodUse(paidLate(settled, { number, now }), lateUse(settled, late, methods));
}

function paidLate(
  invoice: Invoice,
  { number, now }: { readonly number: number; readonly now: Date },
): Transition<Invoice> {
  const paid = pay(invoice, now);
  // An UNCOLLECTIBLE invoice reports no result: its subscription has ended.
  if (invoice.status === 'UNCOLLECTIBLE') return { state: paid, events: [], commands: [] };
  return withResult(paid, { outcome: 'SUCCEEDED', attempt: number });
}

function lateUse(invoice: Invoice, late: Payment, methods: MethodChoice) {
  const { charged, endedAt: usedAt } = late;
  if (charged === undefined) return undefined;
  return usedMethod(invoice, { ...late, ...charged }, { usedAt, methods });
}

function succeeded(payment: Payment, endedAt: Date): Payment {
  const outcome = { status: 'SUCCEEDED', failureCode: undefined, decline: undefined } as const;
  return { ...payment, ...outcome, endedAt };
}
