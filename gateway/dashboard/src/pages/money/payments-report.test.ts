import { chosenPayments, hasPayments, netPaymentsOf, type PaymentsMonth } from './payments-report';

const none: PaymentsMonth = {
  month: '2026-11',
  ...{ invoiced: 0, tax: 0, voided: 0, credited: 0, collected: 0, external: 0, refunded: 0 },
  ...{ disputesLost: 0, balanceIn: 0, balanceOut: 0 },
};
const reports = [
  { currency: 'EUR', months: [{ ...none, invoiced: 1 }] },
  { currency: 'USD', months: [{ ...none, invoiced: 2 }] },
];

test('the chosen currency is shown, otherwise the one with most invoiced', () => {
  expect(chosenPayments(reports, 'EUR')?.currency).toBe('EUR');
  expect(chosenPayments(reports, '')?.currency).toBe('USD');
  expect(chosenPayments([], '')).toBeUndefined();
});

test('the net of a month is what came in less refunds and lost disputes', () => {
  const month = { ...none, collected: '900', external: 100, refunded: 30, disputesLost: 20 };
  expect(netPaymentsOf(month)).toBe(950n);
  expect([hasPayments(none), hasPayments(month)]).toEqual([false, true]);
});
