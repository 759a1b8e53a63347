import { activeCount } from './revenue-report';

const none = {
  ...{ started: 0n, startedAmount: 0n, ended: 0n, endedAmount: 0n },
  ...{ expansion: 0n, contraction: 0n, reactivation: 0n },
};
const row = (parts: object) => ({ month: '2026-01', currency: 'EUR', ...none, ...parts });

test('active subscriptions have begun, have not ended and are not past due', () => {
  const sums = [row({ started: 5n }), row({ month: '2026-02', started: 1n, ended: 2n })];
  expect(activeCount(sums, 1n)).toBe(3n);
});

test('the active count is never below 0, even when subscriptions change between the two readings', () => {
  expect(activeCount([], 1n)).toBe(0n);
  expect(activeCount([row({ started: 3n, ended: 3n })], 2n)).toBe(0n);
});
