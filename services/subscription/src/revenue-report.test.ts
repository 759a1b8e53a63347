import { activeCount } from './revenue-report';

const none = { started: 0n, startedAmount: 0n, ended: 0n, endedAmount: 0n };
const row = (parts: object) => ({ month: '2026-01', currency: 'EUR', ...none, ...parts });

test('those recur and are not past due that began and have not ended', () => {
  const sums = [row({ started: 5n }), row({ month: '2026-02', started: 1n, ended: 2n })];
  expect(activeCount(sums, 1n)).toBe(3n);
});

test('fewer than none are never active, whatever happened between the two readings', () => {
  expect(activeCount([], 1n)).toBe(0n);
  expect(activeCount([row({ started: 3n, ended: 3n })], 2n)).toBe(0n);
});
