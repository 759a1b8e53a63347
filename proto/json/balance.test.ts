import { BalanceJson } from './balance';

test('a balance above the largest amount of an entry is valid, one below 0 is not', () => {
  const row = {
    customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
    currency: 'USD',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  expect(BalanceJson.safeParse({ ...row, balance: 100_000_000_000 }).success).toBe(true);
  expect(BalanceJson.safeParse({ ...row, balance: -1 }).success).toBe(false);
});
