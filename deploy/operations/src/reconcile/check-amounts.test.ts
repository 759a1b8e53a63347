import {
  type BilledUsage,
  checkAmounts,
  checkUsage,
  fixedPoint,
  type InvoiceAmounts,
  toDecimal,
} from './check-amounts';

const line = { amount: 3000n, discountAmount: 300n, tax: 513n };
const whole: InvoiceAmounts = {
  ...{ id: 'i1', status: 'PAID', billingReason: 'SUBSCRIPTION_CYCLE' },
  lines: [line, { amount: -1000n, discountAmount: 0n, tax: -190n }],
  discounts: 300n,
  taxes: { base: 1700n, amount: 323n },
  ...{ paid: 1500n, balanceApplied: 400n, reduced: 123n },
};
const untaxed: InvoiceAmounts = {
  ...whole,
  lines: [{ ...line, tax: 0n }],
  taxes: null,
  ...{ paid: 2700n, balanceApplied: 0n, reduced: 0n },
};

describe('the amounts of an invoice', () => {
  test.each<[string, InvoiceAmounts]>([
    ['of a taxed one', whole],
    ['of one without tax', untaxed],
    ['of an open one', { ...untaxed, status: 'OPEN', paid: 0n }],
    ['of a void one', { ...untaxed, status: 'VOID', paid: 0n }],
    [
      'of 0 of a session',
      { ...untaxed, status: 'OPEN', billingReason: 'CHECKOUT', lines: [], discounts: 0n, paid: 0n },
    ],
  ])('%s are no finding', (_name, invoice) => {
    expect(checkAmounts(invoice)).toEqual([]);
  });

  test.each<[string, Partial<InvoiceAmounts>, string[]]>([
    [
      'discounts beyond those of its lines',
      { discounts: 400n, taxes: { base: 1600n, amount: 323n }, paid: 1400n },
      ['I1 the discounts of invoice i1 are 400, and its lines have 300'],
    ],
    [
      'taxes that its lines do not have',
      { taxes: { base: 1700n, amount: 300n } },
      ['I1 the taxes of invoice i1 are 300, and its lines have 323'],
    ],
    [
      'other bases of taxes',
      { taxes: { base: 1701n, amount: 323n } },
      ['I1 the bases of taxes of invoice i1 are 1701, and its lines have 1700'],
    ],
    ['a debt', { paid: 1499n }, ['I19 invoice i1 is PAID, and 1 of it is outstanding']],
    ['too many payments', { paid: 1501n }, ['I19 invoice i1 is PAID, and -1 of it is outstanding']],
    ['nothing to pay', { status: 'OPEN' }, ['I19 invoice i1 is OPEN, and 0 of it is outstanding']],
    [
      'a total below 0',
      { status: 'VOID', lines: whole.lines.slice(1), discounts: 0n, taxes: null, paid: 0n },
      [
        'I1 the taxes of invoice i1 are 0, and its lines have -190',
        'I1 the total of invoice i1 is below 0',
      ],
    ],
  ])('with %s are a finding', (_name, changes, expected) => {
    const found = checkAmounts({ ...whole, ...changes });
    expect(found.map(({ invariant, text }) => `${invariant} ${text}`)).toEqual(expected);
  });
});

test('usage is a finding if invoices bill more than metering has settled', () => {
  const usage = (billed: string, settled: string): BilledUsage => {
    return { subscriptionId: 's1', meterId: 'm1', billed, settled };
  };
  expect(checkUsage([usage('7.5', '7.5'), usage('7', '7.5'), usage('-2', '0')])).toEqual([]);
  expect(checkUsage([usage('7.51', '7.5')])).toEqual([
    {
      invariant: 'I4',
      text: 'subscription s1 is billed 7.51 of meter m1, and metering has settled 7.5',
    },
  ]);
});

test('decimal texts are kept', () => {
  for (const text of ['0', '480', '0.1', '-7.25', '1000000000000.000000000001']) {
    expect(toDecimal(fixedPoint(text))).toBe(text);
  }
});
