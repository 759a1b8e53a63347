import { adjustment, nextCharge } from './account';

type Plans = Parameters<typeof nextCharge>[0];

const plan = (id: string, at: string | null) =>
  ({
    subscription: { id, currency: 'USD' },
    productName: 'Pro',
    upcoming: at === null ? null : { at, total: 2900 },
  }) as Plans[number];

test('the next charge is the earliest one of all subscriptions', () => {
  expect(nextCharge([])).toBeUndefined();
  expect(nextCharge([plan('a', null)])).toBeUndefined();
  const plans = [plan('a', '2026-03-01T00:00:00.000Z'), plan('b', '2026-02-01T00:00:00.000Z')];
  expect(nextCharge(plans)).toMatchObject({ subscriptionId: 'b', total: 2900 });
});

test.each([
  [550, 'ADD', 550],
  [550, 'TAKE', -550],
  ['5,50', 'TAKE', '5,50'],
])('an adjustment of %s to %s is %s', (amount, direction, expected) => {
  expect(adjustment(amount, direction)).toBe(expected);
});
