import { aLineItem, anOpened } from '../testing/invoice';
import type { Invoice, Payment } from '../invoice/invoice';
import { customerAccounts, type DatedInvoice, recentSales } from './sales';

const now = new Date('2026-02-10T12:00:00Z');
const total = (amount: bigint) => ({ lineItems: [aLineItem({ amount })] });
const charged = (amount: bigint): Payment => ({
  id: '0197a000-0000-7000-8000-000000000021',
  number: 1,
  amount,
  provider: 'sandbox',
  providerPaymentId: 'ch_1',
  status: 'SUCCEEDED',
  failureCode: undefined,
  decline: undefined,
  methodId: undefined,
  origin: 'COLLECTION',
  retry: undefined,
  callId: undefined,
  createdAt: now,
  endedAt: now,
  recorded: undefined,
  overpayment: 0n,
});
const invoice = (parts: Partial<Invoice>): Invoice => ({ ...anOpened(), ...parts });

test('a customer without invoices has no account', () => {
  expect(customerAccounts([], now)).toEqual([]);
});

test('an account sums what is due and what was paid, in each currency', () => {
  const [paidFirst, paidLast] = [new Date('2026-01-01'), new Date('2026-02-01')];
  const paid = (paidAt: Date) => invoice({ status: 'PAID', paidAt, payments: [charged(2900n)] });
  const failed = { code: 'card_declined', at: now };
  const invoices = [
    invoice({ ...total(1000n), balanceApplied: 100n }),
    invoice({ ...total(500n), dueDate: new Date('2026-02-09') }),
    invoice({ ...total(300n), dueDate: new Date('2026-02-11') }),
    invoice({ ...total(200n), lastPaymentError: failed }),
    invoice({ ...total(7n), currency: 'EUR' }),
    invoice({ ...total(9000n), status: 'VOID' }),
    paid(paidLast),
    paid(paidFirst),
  ];
  const none = { paid: 0n, paidInvoices: 0, firstPaidAt: undefined, lastPaidAt: undefined };
  expect(customerAccounts(invoices, now)).toEqual([
    { ...none, currency: 'EUR', owed: 7n, overdue: 0n, openInvoices: 1 },
    {
      currency: 'USD',
      owed: 1900n,
      overdue: 700n,
      openInvoices: 4,
      paid: 5800n,
      paidInvoices: 2,
      firstPaidAt: paidFirst,
      lastPaidAt: paidLast,
    },
  ]);
});

test('sales count on the day of their invoice, without drafts and voided invoices', () => {
  const midnight = new Date('2026-02-10T00:00:00Z');
  const sale = (status: Invoice['status'], createdAt: string, amount: bigint): DatedInvoice => ({
    ...{ currency: 'USD', status, discounts: [], createdAt: new Date(createdAt) },
    ...total(amount),
  });
  const none = { count: 0n, amount: 0n };
  const sales = recentSales(
    [
      sale('PAID', '2026-02-10T00:00:00Z', 100n),
      sale('OPEN', '2026-02-10T11:00:00Z', 30n),
      sale('VOID', '2026-02-10T11:00:00Z', 1000n),
      sale('DRAFT', '2026-02-10T11:00:00Z', 1000n),
      sale('OPEN', '2026-02-09T23:59:59.999Z', 7n),
    ],
    midnight,
  );
  expect(sales).toEqual([
    {
      currency: 'USD',
      today: { invoiced: { count: 2n, amount: 130n }, paid: { count: 1n, amount: 100n } },
      yesterday: { invoiced: { count: 1n, amount: 7n }, paid: none },
    },
  ]);
});
