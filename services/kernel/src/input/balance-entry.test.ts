import { balanceEntryProblems } from './balance-entry';

const none = { amount: [], currency: [], description: [] };

test.each([
  [{ amount: 1n }, none],
  [{ amount: -99_999_999_999n, currency: 'eur' }, none],
  [{ amount: 0n }, { ...none, amount: ['Must not be 0'] }],
  [{ amount: 100_000_000_000n }, { ...none, amount: ['Must be at most 99999999999'] }],
  [{ amount: -100_000_000_000n }, { ...none, amount: ['Must be at least -99999999999'] }],
  [
    { amount: 1n, currency: 'XXX' },
    { ...none, currency: ['Invalid currency'] },
  ],
  [
    { amount: 1n, description: '' },
    { ...none, description: ['Required'] },
  ],
  [
    { amount: 1n, description: 'x'.repeat(501) },
    { ...none, description: ['Must be at most 500 characters'] },
  ],
])('a balance entry with %j is checked', (fields, problems) => {
  expect(balanceEntryProblems({ description: 'Goodwill', ...fields })).toEqual(problems);
});
