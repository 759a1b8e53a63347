import { derivedId } from '@billing/chassis/ids';
import type { Picture } from './picture/picture';
import { examineAll, findingsOf } from './report';
import { anInvoice, balance, payment, refund, secondInvoice, whole } from './testing';
import { invoices } from './violations/payment-violations';

const posted = { kind: 'OVERPAYMENT', invoiceId: 'invoice-1', amount: 2, balanceAfter: 7 };
const inBalance: Partial<Picture> = {
  balances: [{ ...balance, balance: 7 }],
  balanceEntries: [
    ...whole.balanceEntries,
    { ...whole.balanceEntries[2]!, ...posted, id: 'e', sequence: 4 },
  ],
};
const back = {
  ...{ ...refund, id: 'back', creditNoteId: null },
  ...{ providerRefundId: 're', paymentId: 'late', amount: 2 },
};
const ofOverpayment = derivedId(whole.environmentId ?? '', 'refund', 'late', 'overpayment');
const withRefund = (id: string) => ({ refunds: [...whole.refunds, { ...back, id }] });

/** A picture with a payment of 2 of a settled invoice. */
function paidLate(amountRefunded: number, parts: Partial<Picture>): Picture {
  const change = { overpayment: 2, amountRefunded, providerPaymentId: 'charge-9' };
  const payments = [...anInvoice().payments, { ...payment, id: 'late', ...change }];
  return { ...whole, ...invoices(anInvoice({ payments }), secondInvoice), ...parts };
}

test.each([
  ['went to the balance', 0, inBalance],
  ['was refunded to a deleted customer', 2, withRefund(ofOverpayment)],
])('a payment of a settled invoice that %s is no violation', (_what, amountRefunded, parts) => {
  expect(findingsOf(examineAll(paidLate(amountRefunded, parts)))).toEqual([]);
});

test.each([
  ['and not posted', withRefund('back'), ['I20', 'I22']],
  ['and posted, too', { ...inBalance, ...withRefund('back') }, ['I22']],
  ['in place of its posting, and posted', { ...inBalance, ...withRefund(ofOverpayment) }, ['I20']],
])('a refund of the amount of an overpayment, %s, is found', (_what, parts, ids) => {
  const found = examineAll(paidLate(2, parts)).filter(({ findings }) => findings.length > 0);
  expect(found.map(({ id }) => id)).toEqual(ids);
});
