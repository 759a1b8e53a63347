import type { CreditNote } from '../../resources/credit/credit-note';
import type { Invoice } from '../../resources/invoice/invoice';
import {
  amountsOf,
  type CreditDraft,
  creditableLines,
  creditTotal,
  refundableOf,
  splitOf,
} from './credit-draft';

const line = (id: string, total: number) => ({ id, description: id.toUpperCase(), total });
const invoice = {
  lineItems: [line('a', 1_000), line('b', 500), line('c', -150)],
} as unknown as Invoice;
const noteOf = (lineItemId: string, total: number) =>
  ({ lines: [{ lineItemId, total }] }) as CreditNote;
const draft: CreditDraft = { scope: 'ALL', amount: '', lines: {} };
const creditable = creditableLines(invoice, [noteOf('a', 300), noteOf('a', 100)]);
const terms = { creditable, currency: 'USD' };

test('what is left of a line is its total without the credit notes', () => {
  expect(creditable.map(({ id, left }) => [id, left])).toEqual([
    ['a', 600],
    ['b', 500],
    ['c', -150],
  ]);
  expect(creditableLines(invoice, [noteOf('b', 500)]).map(({ id }) => id)).toEqual(['a', 'c']);
});

test.each<[string, Partial<CreditDraft>, object, number | undefined]>([
  ['all that is left', {}, {}, 950],
  ['an amount', { scope: 'AMOUNT', amount: '9.50' }, { amount: 950 }, 950],
  ['too much', { scope: 'AMOUNT', amount: '9.51' }, { amount: 951 }, undefined],
  ['nothing', { scope: 'AMOUNT', amount: '0' }, { amount: 0 }, undefined],
  ['no amount', { scope: 'AMOUNT', amount: 'x' }, { amount: 'x' }, undefined],
  ['no line', { scope: 'LINES' }, { lines: [] }, undefined],
  [
    'lines, one below 0',
    { scope: 'LINES', lines: { c: '', a: '4' } },
    { lines: [{ lineItemId: 'a', amount: 400 }, { lineItemId: 'c' }] },
    250,
  ],
  [
    'a line without a readable amount',
    { scope: 'LINES', lines: { b: '' } },
    { lines: [{ lineItemId: 'b', amount: '' }] },
    undefined,
  ],
])('a draft of %s has its amounts and its total', (_kind, change, amounts, total) => {
  expect(amountsOf({ ...draft, ...change }, terms)).toEqual(amounts);
  expect(creditTotal({ ...draft, ...change }, terms)).toBe(total);
});

test('a credit note lowers what is outstanding first', () => {
  const sums = { total: 3_451, amountPaid: 2_000, balanceApplied: 0, amountReduced: 0 };
  expect(splitOf(3_451, { ...sums, status: 'OPEN' })).toEqual({ reduced: 1_451, rest: 2_000 });
  expect(splitOf(1_000, { ...sums, status: 'UNCOLLECTIBLE' })).toEqual({ reduced: 1_000, rest: 0 });
  const paid = { ...sums, amountPaid: 3_451, status: 'PAID' } as const;
  expect(splitOf(1_000, paid)).toEqual({ reduced: 0, rest: 1_000 });
});

describe('what can be refunded', () => {
  const card = { id: 'p', status: 'SUCCEEDED', provider: 'sandbox', amount: 3_451, overpayment: 0 };
  const refundable = (change: object, refunds: object[] = [], disputes: object[] = []) =>
    refundableOf(
      { payments: [{ ...card, ...change }] } as unknown as Invoice,
      refunds as Parameters<typeof refundableOf>[1],
      disputes as Parameters<typeof refundableOf>[2],
    );
  const refund = (status: string, amount = 1_000) => ({ paymentId: 'p', status, amount });

  test.each<[string, number, number]>([
    ['a charge', refundable({}), 3_451],
    ['a failed charge', refundable({ status: 'FAILED' }), 0],
    ['a bank transfer', refundable({ provider: 'external' }), 0],
    ['a payment from the balance', refundable({ provider: 'balance' }), 0],
    ['a charge beyond the total', refundable({ overpayment: 451 }), 3_000],
    ['a refunded charge', refundable({}, [refund('SUCCEEDED'), refund('PENDING')]), 1_451],
    ['a charge whose refund failed', refundable({}, [refund('FAILED')]), 3_451],
    ['a disputed charge', refundable({}, [], [{ paymentId: 'p', status: 'OPEN' }]), 0],
    ['a charge of a won dispute', refundable({}, [], [{ paymentId: 'p', status: 'WON' }]), 3_451],
  ])('of %s', (_kind, amount, expected) => {
    expect(amount).toBe(expected);
  });
});
