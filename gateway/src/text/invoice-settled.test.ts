import { settledRows } from './invoice-settled';

test.each([
  ['is open', { total: 29n, amountPaid: 0n, amountDue: 29n }, []],
  ['is paid', { total: 29n, amountPaid: 29n, amountDue: 0n }, [['Paid', -29n]]],
  ['is given up', { total: 29n, amountPaid: 0n, amountDue: 0n }, [['Not paid', -29n]]],
  [
    'is given up after a part',
    { total: 29n, amountPaid: 9n, amountDue: 0n },
    [
      ['Paid', -9n],
      ['Not paid', -20n],
    ],
  ],
])('the settled rows of an invoice that %s', (_case, invoice, rows) => {
  expect(settledRows(invoice)).toEqual(rows);
});
