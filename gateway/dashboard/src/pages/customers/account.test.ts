import { adjustment, nextCharge, planNames, subscriptionCounts } from './account';

type Plans = Parameters<typeof nextCharge>[0]['plans'];

const plan = (id: string, at: string | null) =>
  ({
    subscription: { id, currency: 'USD' },
    productName: 'Pro',
    upcoming: at === null ? null : { at, total: 2900 },
  }) as Plans[number];

test('the next charge is the earliest one of all subscriptions and open invoices', () => {
  const accounts = [{ currency: 'USD', nextCharge: null }];
  expect(nextCharge({ plans: [], accounts })).toBeUndefined();
  expect(nextCharge({ plans: [plan('a', null)], accounts })).toBeUndefined();
  const plans = [plan('a', '2026-03-01T00:00:00.000Z'), plan('b', '2026-02-01T00:00:00.000Z')];
  const renewal = { what: 'Pro', href: '/subscriptions/b', total: 2900 };
  expect(nextCharge({ plans, accounts })).toMatchObject(renewal);
  const retry = { invoiceId: 'i', number: 'INV-000001', amount: 500 };
  const at = (day: string) => [
    { currency: 'EUR', nextCharge: { ...retry, at: `2026-01-${day}T00:00:00.000Z` } },
  ];
  expect(nextCharge({ plans, accounts: at('31') })).toMatchObject({
    ...{ what: 'INV-000001', href: '/invoices/i', total: 500, currency: 'EUR' },
  });
});

test('subscriptions are counted by state, and plans are named once', () => {
  const of = (status: string, phase: string, productName = 'Pro') =>
    ({ subscription: { status, phase }, productName, upcoming: null }) as Plans[number];
  expect(subscriptionCounts([of('PAST_DUE', 'REGULAR')])).toBe('1 past due');
  const some = [of('ACTIVE', 'REGULAR'), of('ACTIVE', 'TRIAL'), of('CANCELED', 'ENDED', 'Old')];
  expect(subscriptionCounts(some)).toBe('1 active, 1 on trial');
  expect(subscriptionCounts([])).toBe('No running subscription');
  expect(planNames([...some, of('ACTIVE', 'PAUSED', 'Storage')])).toBe('Pro, Storage');
});

test.each([
  [550, 'ADD', 550],
  [550, 'TAKE', -550],
  ['5,50', 'TAKE', '5,50'],
])('an adjustment of %s to %s is %s', (amount, direction, expected) => {
  expect(adjustment(amount, direction)).toBe(expected);
});
