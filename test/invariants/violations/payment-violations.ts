import type { BalanceEntryPicture, InvoicePicture, Picture } from '../picture/picture';
import { anInvoice, balanceEntries, payment, secondInvoice } from '../testing';

export const invoices = (...all: InvoicePicture[]): Partial<Picture> => ({
  invoices: all,
});
/** The invoices with another first one. */
export const first = (changes: Partial<InvoicePicture>) =>
  invoices(anInvoice(changes), secondInvoice);

/** The entries with another last one. */
export const entries = (changes: Partial<BalanceEntryPicture>): Partial<Picture> => ({
  balanceEntries: balanceEntries.map((entry, index) =>
    index === balanceEntries.length - 1 ? { ...entry, ...changes } : entry,
  ),
});

/** Violations by payments that a system must not show. */
export const paymentViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I20', 'an overpayment without an entry', first({ payments: [{ ...payment, overpayment: 1 }] })],
  [
    'I20',
    'a payment from the balance without an entry',
    first({ payments: [{ ...payment, provider: 'balance' }] }),
  ],
  ['I20', 'an entry without its overpayment', entries({ kind: 'OVERPAYMENT' })],
  ['I19', 'PAID with a debt', first({ amountPaid: 1 })],
  ['I19', 'more paid than the total', first({ amountPaid: 3 })],
  [
    'I19',
    'OPEN without a debt',
    first({ status: 'OPEN', billingReason: 'SUBSCRIPTION_CYCLE', paidAt: null }),
  ],
  [
    'I6',
    'VOID with a payment',
    first({ status: 'VOID', paidAt: null, payments: [{ ...payment, provider: 'external' }] }),
  ],
];
