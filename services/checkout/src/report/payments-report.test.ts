import {
  entryAddend,
  lastMonths,
  type PaidDocument,
  paymentAddends,
  paymentsReport,
} from './payments-report';

const january = new Date('2026-01-31T23:59:59.999Z');
const february = new Date('2026-02-01T00:00:00Z');

const none: PaidDocument = {
  ...{ currency: 'EUR', status: 'PAID', voidedAt: undefined, finalAt: undefined },
  ...{ total: 3451n, tax: 551n, payments: [], creditNotes: [], refunds: [], disputes: [] },
};

const charge = {
  amount: 3451n,
  status: 'SUCCEEDED',
  provider: 'sandbox',
  endedAt: february,
} as const;
const recorded = {
  method: 'CASH',
  reference: undefined,
  receivedAt: january,
  metadata: {},
} as never;

describe('the payments report', () => {
  test.each<[string, Partial<PaidDocument>, object[]]>([
    [
      'invoiced',
      { finalAt: january },
      [{ row: 'EUR 2026-01', counts: { invoiced: 3451n, tax: 551n } }],
    ],
    [
      'voided',
      { status: 'VOID', finalAt: january, voidedAt: february },
      [
        { row: 'EUR 2026-01', counts: { invoiced: 3451n, tax: 551n } },
        { row: 'EUR 2026-02', counts: { voided: 3451n } },
      ],
    ],
    ['voided by an earlier release', { status: 'VOID', finalAt: january }, []],
    ['a draft', { status: 'DRAFT' }, []],
    [
      'collected',
      { payments: [{ ...charge, recorded: undefined }] },
      [{ row: 'EUR 2026-02', counts: { collected: 3451n } }],
    ],
    [
      'external',
      { payments: [{ ...charge, provider: 'external', recorded }] },
      [{ row: 'EUR 2026-02', counts: { external: 3451n } }],
    ],
    ['paid from the balance', { payments: [{ ...charge, provider: 'balance', recorded }] }, []],
    ['a failed payment', { payments: [{ ...charge, status: 'FAILED', recorded: undefined }] }, []],
    [
      'credited',
      {
        creditNotes: [
          { issuedAt: january, lines: [{ lineItemId: 'a', total: 100n, taxAmount: 16n }] },
        ],
      },
      [{ row: 'EUR 2026-01', counts: { credited: 100n } }],
    ],
    [
      'refunded',
      {
        refunds: [
          { amount: 60n, status: 'SUCCEEDED', settledAt: february },
          { amount: 40n, status: 'FAILED', settledAt: february },
          { amount: 40n, status: 'PENDING', settledAt: undefined },
        ],
      },
      [{ row: 'EUR 2026-02', counts: { refunded: 60n } }],
    ],
    [
      'disputed and lost',
      {
        disputes: [
          { amount: 70n, status: 'LOST', closedAt: february },
          { amount: 70n, status: 'WON', closedAt: february },
        ],
      },
      [{ row: 'EUR 2026-02', counts: { disputesLost: 70n } }],
    ],
  ])('counts what is %s in its month', (_name, change, expected) => {
    expect(paymentAddends({ ...none, ...change })).toEqual(expected);
  });

  test('counts entries of balances by their sign', () => {
    const entry = { currency: 'EUR', createdAt: january };
    expect([
      entryAddend({ ...entry, amount: 5n }).counts,
      entryAddend({ ...entry, amount: -5n }).counts,
    ]).toEqual([{ balanceIn: 5n }, { balanceOut: 5n }]);
  });

  test('has each month, and currencies with sums in these months', () => {
    const totals = new Map([
      ['USD 2026-02', { collected: 2n }],
      ['EUR 2026-01', { invoiced: 1n }],
      ['GBP 2025-12', { invoiced: 9n }],
    ]);
    const report = paymentsReport(totals, lastMonths(february, 2));
    expect(report).toMatchObject([
      { currency: 'EUR', months: [{ month: '2026-01', invoiced: 1n }, { invoiced: 0n }] },
      { currency: 'USD', months: [{ collected: 0n }, { month: '2026-02', collected: 2n }] },
    ]);
  });

  test('covers the months up to that of the environment', () => {
    expect(lastMonths(new Date('2026-01-31T23:00:00Z'), 3)).toEqual([
      ...['2025-11', '2025-12', '2026-01'],
    ]);
  });
});
