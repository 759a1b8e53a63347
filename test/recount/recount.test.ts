import { checkoutOf, dunningOf } from './funnels';
import { balancesOf, type IssuedRow, paymentsOf, taxReportOf } from './money';
import { type ChangeRow, type InvoiceRow, recurringOf, type SubscriptionRow } from './recurring';
import { revenueOf } from './revenue';

const now = new Date('2026-03-15T00:00:00.000Z');
const february = '2026-02-10T00:00:00.000Z';

function subscription(changes: Partial<SubscriptionRow> = {}): SubscriptionRow {
  return {
    id: 's',
    status: 'ACTIVE',
    phase: 'REGULAR',
    currency: 'USD',
    startAt: february,
    endedAt: null,
    nextInvoiceAt: null,
    trialEnd: null,
    price: { billingInterval: 'MONTHLY', intervalCount: 1 },
    ...changes,
  };
}

function invoice(periodStart: string, changes: Partial<InvoiceRow> = {}): InvoiceRow {
  return {
    id: 'i',
    subscriptionId: 's',
    status: 'PAID',
    billingReason: 'SUBSCRIPTION_CYCLE',
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    currency: 'USD',
    total: 2900,
    createdAt: periodStart,
    periodStart,
    lineItems: [{ amount: 2900, meterId: null, kind: 'RECURRING', periodStart }],
    payments: [],
    ...changes,
  };
}

describe('recounted revenue', () => {
  test('includes billed subscriptions from the start until the end', () => {
    const ended = subscription({ endedAt: '2026-03-10T00:00:00.000Z' });
    const { data } = revenueOf(recurringOf([ended], [invoice(february)], []), { now, months: 3 });
    expect(data).toEqual([
      {
        currency: 'USD',
        months: [
          expect.objectContaining({ month: '2026-01', new: 0, churned: 0, mrr: 0, started: 0 }),
          expect.objectContaining({ month: '2026-02', new: 2900, churned: 0, mrr: 2900 }),
          expect.objectContaining({ month: '2026-03', new: 0, churned: 2900, mrr: 0, ended: 1 }),
        ],
      },
    ]);
  });

  test('includes no trial, and no subscription that was never billed', () => {
    const inTrial = subscription({ trialEnd: '2026-02-24T00:00:00.000Z' });
    expect(recurringOf([inTrial], [invoice(february)], [])).toEqual([]);
    expect(recurringOf([subscription()], [], [])).toEqual([]);
  });

  const march = '2026-03-10T00:00:00.000Z';
  const side = { items: [{ price: { billingInterval: 'MONTHLY', intervalCount: 1 } }] };
  const doubled: ChangeRow = {
    ...{ subscriptionId: 's', kind: 'UPDATE', from: side, to: side },
    effectiveAt: '2026-02-20T00:00:00.000Z',
    monthlyAmountBefore: 2900,
    monthlyAmountAfter: 5800,
  };
  const back: ChangeRow = {
    ...doubled,
    effectiveAt: march,
    monthlyAmountBefore: 5800,
    monthlyAmountAfter: 2900,
  };
  const billed = (at: string, amounts: readonly number[]) =>
    invoice(at, {
      lineItems: amounts.map((amount) => {
        return { amount, meterId: null, kind: 'RECURRING', periodStart: at };
      }),
    });

  test('grows and shrinks with the applied changes, and ends with the last amount', () => {
    const ended = subscription({ endedAt: '2026-03-12T00:00:00.000Z' });
    // The lists of the API begin with the newest.
    const invoices = [billed(march, [2000, 900]), billed(february, [2900])];
    const { data } = revenueOf(recurringOf([ended], invoices, [back, doubled]), { now, months: 2 });
    expect(data[0]?.months).toEqual([
      expect.objectContaining({ new: 2900, expansion: 2900, contraction: 0, mrr: 5800 }),
      expect.objectContaining({ new: 0, expansion: 0, contraction: 2900, churned: 2900, mrr: 0 }),
    ]);
  });

  test('counts each charge by the interval of its time', () => {
    const yearly = { items: [{ price: { billingInterval: 'YEARLY', intervalCount: 1 } }] };
    const ofYear = { ...subscription(), price: { billingInterval: 'YEARLY', intervalCount: 1 } };
    const toYear: ChangeRow = {
      ...{ subscriptionId: 's', kind: 'UPDATE', from: side, to: yearly, effectiveAt: march },
      ...{ monthlyAmountBefore: 2900, monthlyAmountAfter: 2000 },
    };
    const invoices = [billed(march, [24000]), billed(february, [2900])];
    const { data } = revenueOf(recurringOf([ofYear], invoices, [toYear]), { now, months: 2 });
    expect(data[0]?.months.at(-1)).toMatchObject({ contraction: 900, mrr: 2000 });
  });

  test('loses what is paused, and gets it back with the end of the pause', () => {
    const [paused, resumed] = ['2026-02-20T00:00:00.000Z', march];
    const pause: ChangeRow = {
      ...{ subscriptionId: 's', kind: 'PAUSE', from: side, to: side, effectiveAt: paused },
      ...{ monthlyAmountBefore: 2900, monthlyAmountAfter: 0 },
    };
    const resume: ChangeRow = {
      ...{ ...pause, kind: 'RESUME', effectiveAt: resumed },
      ...{ monthlyAmountBefore: 0, monthlyAmountAfter: 2900 },
    };
    const invoices = [billed(march, [2900]), billed(february, [2900])];
    const recurring = recurringOf([subscription()], invoices, [resume, pause]);
    expect(revenueOf(recurring, { now, months: 2 }).data[0]?.months).toEqual([
      expect.objectContaining({ new: 2900, churned: 2900, contraction: 0, mrr: 0 }),
      expect.objectContaining({ reactivation: 2900, expansion: 0, mrr: 2900 }),
    ]);
  });

  test('finds a bill that does not follow an applied change', () => {
    const invoices = [billed(march, [2900]), billed(february, [2900])];
    expect(() => recurringOf([subscription()], invoices, [doubled])).toThrow(
      's was not billed its amount on 2026-03-10',
    );
  });

  test('takes no line of a change as the charge of a period', () => {
    const line = { amount: 1450, meterId: null, periodStart: february };
    const change = invoice(doubled.effectiveAt, {
      billingReason: 'SUBSCRIPTION_CHANGE',
      lineItems: [
        { ...line, kind: 'UNUSED_TIME' },
        { ...line, kind: 'REMAINING_TIME' },
      ],
    });
    const invoices = [change, billed(february, [2900])];
    expect(recurringOf([subscription()], invoices, [doubled])).toMatchObject([
      { monthlyAmount: 2900n },
    ]);
  });

  test.each([
    ['WEEKLY', 1, 12567n],
    ['YEARLY', 1, 242n],
    ['DAILY', 7, 12601n],
    ['QUARTERLY', 1, 967n],
    ['MONTHLY', 2, 1450n],
  ])('%s by %i is rounded once, half up', (billingInterval, intervalCount, monthlyAmount) => {
    const one = subscription({ price: { billingInterval, intervalCount } });
    expect(recurringOf([one], [invoice(february)], [])).toMatchObject([{ monthlyAmount }]);
  });
});

test('recounted dunning distinguishes a scheduled retry from a payment in between', () => {
  const at = (day: number) => `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`;
  const paid = (days: readonly number[]) =>
    invoice(at(1), {
      payments: days.map((day, index) => {
        const status = index === days.length - 1 ? 'SUCCEEDED' : 'FAILED';
        return { status, amount: 2400, createdAt: at(day) };
      }),
    });
  const invoices = [paid([1, 4]), paid([1, 4, 8]), paid([1, 2, 4]), paid([1, 2]), paid([1])];
  // The second payment of the fourth day is by another saved card.
  invoices.push(paid([1, 4, 4]));
  expect(dunningOf(invoices, { now, days: 30 })).toMatchObject({
    failed: 5,
    recovered: { first: 3, second: 1, third: 0, otherwise: 1 },
    // The customer's balance has paid 500 of each.
    amounts: [{ currency: 'USD', failed: 5 * 2400, recovered: { first: 3 * 2400 } }],
  });
});

test('recounted checkout follows the results of the first invoices', () => {
  const made = (status: InvoiceRow['status']) =>
    invoice('2026-03-14T12:00:00.000Z', { status, billingReason: 'CHECKOUT' });
  const invoices = [made('PAID'), made('VOID'), made('OPEN'), invoice('2026-03-14T12:00:00.000Z')];
  const { days: _days, ...sums } = checkoutOf(invoices, { now, days: 2 });
  expect(sums).toEqual({ created: 3, completed: 1, expired: 1, open: 1 });
});

describe('recounted money', () => {
  const at = '2026-02-10T00:00:00.000Z';
  const taxRow = { reason: 'STANDARD', name: 'VAT', country: 'DE', state: null, percent: '19' };
  const taxes = [{ ...taxRow, base: 2900, amount: 551 }];
  const issued: IssuedRow = {
    ...{ status: 'PAID', currency: 'EUR', total: 3451, tax: 551, taxes, taxStatus: 'FINAL' },
    ...{ finalizedAt: '2026-01-31T00:00:00.000Z', updatedAt: at, payments: [] },
  };
  const paid = (provider: string, amount: number) => {
    return { amount, currency: 'EUR', status: 'SUCCEEDED', provider, createdAt: at };
  };
  const none = { invoices: [], creditNotes: [], refunds: [], disputes: [], entries: [] };

  test('counts each movement in the month of its date, and none of an unpaid session', () => {
    const invoices = [
      { ...issued, payments: [paid('sandbox', 2902), paid('balance', 549), paid('external', 7)] },
      { ...issued, status: 'VOID' },
      { ...issued, finalizedAt: null, taxStatus: 'ESTIMATED' },
    ];
    const refunds = [{ amount: 9, currency: 'EUR', status: 'SUCCEEDED', settledAt: at }];
    const entry = { customerId: 'c', currency: 'EUR', createdAt: at };
    const entries = [
      { ...entry, amount: 549 },
      { ...entry, amount: -549 },
    ];
    const { data } = paymentsOf({ ...none, invoices, refunds, entries }, { now, months: 3 });
    expect(data).toMatchObject([
      {
        currency: 'EUR',
        months: [
          { month: '2026-01', invoiced: 6902, tax: 1102, voided: 0 },
          {
            ...{ month: '2026-02', invoiced: 0, voided: 3451, collected: 2902, external: 7 },
            ...{ refunded: 9, balanceIn: 549, balanceOut: 549 },
          },
          { month: '2026-03', collected: 0 },
        ],
      },
    ]);
    expect(balancesOf({ entries })).toEqual([{ owner: 'c EUR', balance: 0 }]);
  });

  test('sums taxes by terms: voids on their day, and credit notes, are negative', () => {
    const note = { currency: 'EUR', total: 119, issuedAt: at };
    const creditNotes = [{ ...note, taxes: [{ ...taxRow, base: 100, amount: 19 }] }];
    const rows = { ...none, invoices: [issued, { ...issued, status: 'VOID' }], creditNotes };
    const counts = (from: string, to: string) =>
      taxReportOf(rows, { from, to }).map(({ base, tax, invoices, creditNotes: notes }) => {
        return [base, tax, invoices, notes];
      });
    expect(counts('2026-01-01', '2026-02-01')).toEqual([[5800, 1102, 2, 0]]);
    expect(counts('2026-02-01', '2026-03-01')).toEqual([[-3000, -570, -1, 1]]);
    expect(counts('2026-03-01', '2026-04-01')).toEqual([]);
  });
});
