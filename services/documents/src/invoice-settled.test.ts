import { settledRows } from './invoice-settled';
import { english } from './testing/english';

test.each([
  ['is open', { total: 29n, amountPaid: 0n, amountDue: 29n, balanceApplied: 0n }, []],
  ['is paid', { total: 29n, amountPaid: 29n, amountDue: 0n, balanceApplied: 0n }, [['Paid', -29n]]],
  [
    'is written off',
    { total: 29n, amountPaid: 0n, amountDue: 0n, balanceApplied: 0n },
    [['Not paid', -29n]],
  ],
  [
    'is written off after a part payment',
    { total: 29n, amountPaid: 9n, amountDue: 0n, balanceApplied: 0n },
    [
      ['Paid', -9n],
      ['Not paid', -20n],
    ],
  ],
  [
    'is partly paid by the balance',
    { total: 29n, amountPaid: 0n, amountDue: 20n, balanceApplied: 9n },
    [['Balance applied', -9n]],
  ],
  [
    'is credited after a part payment',
    { total: 29n, amountPaid: 9n, amountDue: 0n, balanceApplied: 0n, amountReduced: 20n },
    [
      ['Paid', -9n],
      ['Credited', -20n],
    ],
  ],
])('the settled rows of an invoice that %s', (_case, invoice, rows) => {
  expect(english(settledRows({ amountReduced: 0n, ...invoice }))).toEqual(rows);
});
