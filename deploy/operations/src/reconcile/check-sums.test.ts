import { checkSums, type Sums } from './check-sums';

const payment = { invoiceId: 'i1', paymentId: 'p1', refunded: 2900n, paid: 2900n };
const balance = { id: 'b1', balance: 500n, entries: 500n, sequence: 2, count: 2 };
const series = { noun: 'invoice', environmentId: 'e1', code: null, count: 7, highest: 7 };
const redemptions = { discountId: 'd1', taken: 3, max: 3 };
const whole: Sums = {
  repeatedCharges: [],
  refundedPayments: [payment],
  balances: [balance],
  series: [series, { ...series, code: 'WH5C2', count: 1, highest: 1 }],
  redemptions: [redemptions],
};

describe('the sums of a restored system', () => {
  test('that agree are no finding', () => {
    expect(checkSums(whole)).toEqual([]);
  });

  test.each<[string, Partial<Sums>, [string, string][]]>([
    [
      'redemptions beyond the maximum',
      { redemptions: [{ ...redemptions, taken: 4 }] },
      [['I3', 'discount d1 is redeemed 4 times, at most 3 are allowed']],
    ],
    [
      'a charge that two invoices have',
      { repeatedCharges: [{ providerPaymentId: 'pi_1', invoiceIds: ['i1', 'i2'] }] },
      [['I63', 'charge pi_1 is recorded more than once: on i1 and i2']],
    ],
    [
      'a gap in the numbers before any restore',
      { series: [{ ...series, count: 6 }] },
      [['I12', 'the invoice numbers before any restore in environment e1 have a gap: 6 up to 7']],
    ],
    [
      'a gap in the numbers of a restore',
      { series: [{ ...series, noun: 'credit note', code: 'WH5C2', highest: 8 }] },
      [['I12', 'the credit note numbers of restore WH5C2 in environment e1 have a gap: 7 up to 8']],
    ],
    [
      'a balance that lacks an entry',
      { balances: [{ ...balance, entries: 200n, count: 1 }] },
      [
        ['I20', 'balance b1 is 500, and its entries are 200'],
        ['I20', 'balance b1 has 1 entries, and should have 2'],
      ],
    ],
    [
      'a payment that is refunded too much',
      { refundedPayments: [{ ...payment, refunded: 2901n }] },
      [['I22', 'payment p1 of invoice i1 is refunded too much: 2901 of 2900']],
    ],
  ])('find %s', (_name, changes, expected) => {
    const found = checkSums({ ...whole, ...changes });
    expect(found.map(({ invariant, text }) => [invariant, text])).toEqual(expected);
  });
});
