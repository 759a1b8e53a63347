import { first } from './payment-violations';
import type { CreditNotePicture, Picture, RefundPicture } from '../picture/picture';
import { aCreditNote, creditNote, line, payment, refund } from '../testing';

const notes = (...creditNotes: CreditNotePicture[]): Partial<Picture> => ({ creditNotes });
const note = (changes: Partial<CreditNotePicture>) => notes({ ...creditNote, ...changes });
const refunds = (changes: Partial<RefundPicture>, ...more: RefundPicture[]): Partial<Picture> => ({
  refunds: [{ ...refund, ...changes }, ...more],
});

/** Violations by credit notes and refunds that a system must not show. */
export const creditViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I21', 'a note without a number', note({ number: null })],
  ['I21', 'a gap in the numbers of notes', note({ number: 'CN-000002' })],
  ['I21', 'a number that two notes have', notes(creditNote, { ...creditNote, id: 'note-2' })],
  ['I21', 'a note whose parts are not its total', note({ external: 1 })],
  ['I21', 'a note whose lines are not its total', note({ lines: [] })],
  ['I21', 'a note whose tax is not of its lines', note({ tax: 1 })],
  [
    'I21',
    'a note that counts a failed refund',
    note({ refunds: [{ ...refund, status: 'FAILED' }] }),
  ],
  ['I21', 'a note of no invoice', note({ invoiceId: 'invoice-9' })],
  ['I21', 'a note that its invoice does not name', first({ creditNoteIds: [] })],
  ['I21', 'a credit that its invoice does not count', first({ amountCredited: 0 })],
  ['I21', 'a reduction without a note', first({ amountReduced: 1 })],
  ['I21', 'a line credited beyond its total', notes(aCreditNote(3))],
  [
    'I21',
    'a negative line credited beyond its total',
    { ...first({ lineItems: [{ ...line, total: -1 }] }), creditNotes: [aCreditNote(-2)] },
  ],
  [
    'I21',
    'a line credited in full without its tax',
    { ...first({ lineItems: [{ ...line, total: 1, taxAmount: 1 }] }) },
  ],
  ['I22', 'refunds beyond what a payment has paid', refunds({ amount: 3 })],
  [
    'I22',
    'refunds of what went to the balance',
    first({ payments: [{ ...payment, amountRefunded: 1, overpayment: 2 }] }),
  ],
  ['I22', 'a refund that its payment does not count', first({ payments: [payment] })],
  ['I22', 'a refund of no payment', refunds({ paymentId: 'payment-9' })],
  ['I22', 'a refund that was not sent', refunds({ status: 'PENDING', providerRefundId: null })],
  ['I22', 'a success without the provider', refunds({ providerRefundId: null })],
  ['I22', 'a refund at the provider that is recorded twice', refunds({}, { ...refund, id: 'r' })],
  [
    'I20',
    'a note to the balance without an entry',
    note({ toBalance: 1, refunded: 0, refunds: [] }),
  ],
];
