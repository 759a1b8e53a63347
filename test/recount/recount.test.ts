import { checkoutOf, dunningOf } from './funnels';
import { type InvoiceRow, recurringOf, type SubscriptionRow } from './recurring';
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
    lineItems: [{ amount: 2900, meterId: null, periodStart }],
    payments: [],
    ...changes,
  };
}

describe('recounted revenue', () => {
  test('includes billed subscriptions from the start until the end', () => {
    const ended = subscription({ endedAt: '2026-03-10T00:00:00.000Z' });
    const { data } = revenueOf(recurringOf([ended], [invoice(february)]), { now, months: 3 });
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
    expect(recurringOf([inTrial], [invoice(february)])).toEqual([]);
    expect(recurringOf([subscription()], [])).toEqual([]);
  });

  test.each([
    ['WEEKLY', 1, 12567n],
    ['YEARLY', 1, 242n],
    ['DAILY', 7, 12601n],
    ['QUARTERLY', 1, 967n],
    ['MONTHLY', 2, 1450n],
  ])('%s by %i is rounded once, half up', (billingInterval, intervalCount, monthlyAmount) => {
    const one = subscription({ price: { billingInterval, intervalCount } });
    expect(recurringOf([one], [invoice(february)])).toMatchObject([{ monthlyAmount }]);
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
