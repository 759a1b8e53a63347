import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { afterPayment, withOverpayment } from '../invoice/after-payment';
import {
  type Invoice,
  type InvoiceRecord,
  isOwed,
  outstandingOf,
  type Payment,
} from '../invoice/invoice';
import type { MethodChoice } from '../invoice/method-choice';
import { usedMethod, withMethodUse } from '../invoice/method-use';

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
 * customer gave later stays the default. What other payments have paid since is paid twice and goes
 * to the customer's balance: for an invoice that is already paid or void all of it, which changes
 * nothing else. An invoice that is being paid at this moment stays as it is, and so does the
 * invoice of a session whose total has become higher than the payment.
 */
export function settleLate(
  record: InvoiceRecord,
  {
    number,
    methods,
    now,
  }: { readonly number: number; readonly methods: MethodChoice; readonly now: Date },
): Transition<InvoiceRecord> {
  if (record.isTombstone || record.attempt !== undefined) return unchanged(record);
  const late = record.payments.find((payment) => payment.number === number);
  if (late?.status !== 'FAILED') return unchanged(record);
  const outstanding = isOwed(record) ? outstandingOf(record) : 0n;
  // An invoice of a session is paid in one payment: a part would keep it open after its session.
  if (record.session !== undefined && late.amount < outstanding) return unchanged(record);
  const overpayment = late.amount > outstanding ? late.amount - outstanding : 0n;
  const success = { ...succeeded(late, now), overpayment };
  const payments = record.payments.map((payment) => (payment === late ? success : payment));
  const settled = { ...record, payments };
  if (!isOwed(record)) return withOverpayment(only(settled), success);
  return withMethodUse(
    withOverpayment(afterPayment(settled, { number, now }), success),
    lateUse(settled, late, methods),
  );
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
