import { aLineItem, anOpened } from '../testing/invoice';
import type { Invoice, Payment } from '../invoice/invoice';
import { type CollectedInvoice, customerAccounts, recentSales, type StatusSales } from './sales';

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
const invoice = (parts: Partial<CollectedInvoice>): CollectedInvoice => ({
  ...anOpened(),
  nextAttemptAt: undefined,
  ...parts,
});

test('a customer without invoices has no account', () => {
  expect(customerAccounts([], now)).toEqual([]);
});

test('an account knows what was refunded and the earliest planned charge of an open invoice', () => {
  const at = (date: string) => ({ nextAttemptAt: new Date(date) });
  const refund = (status: string, amount: bigint) => ({ status, amount });
  const refunds = [refund('SUCCEEDED', 900n), refund('FAILED', 100n)] as never;
  const [account] = customerAccounts(
    [
      invoice({ ...total(500n), ...at('2026-02-14'), number: 'INV-000002' }),
      invoice({ ...total(300n), ...at('2026-02-12'), number: 'INV-000001', id: 'first' }),
      invoice({ ...total(200n), ...at('2026-02-11'), status: 'VOID' }),
      invoice({ status: 'PAID', payments: [charged(2900n)], refunds }),
    ],
    now,
  );
  expect(account).toMatchObject({ paid: 2900n, refunded: 900n });
  expect(account?.nextCharge).toEqual({
    ...{ invoiceId: 'first', number: 'INV-000001', amount: 300n },
    at: new Date('2026-02-12'),
  });
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
  const unpaid = { paid: 0n, paidInvoices: 0, firstPaidAt: undefined, lastPaidAt: undefined };
  const none = { ...unpaid, refunded: 0n, nextCharge: undefined };
  expect(customerAccounts(invoices, now)).toEqual([
    { ...none, currency: 'EUR', owed: 7n, overdue: 0n, openInvoices: 1 },
    {
      currency: 'USD',
      owed: 1900n,
      overdue: 700n,
      openInvoices: 4,
      paid: 5800n,
      refunded: 0n,
      nextCharge: undefined,
      paidInvoices: 2,
      firstPaidAt: paidFirst,
      lastPaidAt: paidLast,
    },
  ]);
});

test('sales are sums of each currency and day, without drafts and voided invoices', () => {
  const sale = (status: Invoice['status'], amount: bigint, parts: Partial<StatusSales> = {}) => ({
    ...{ currency: 'USD', status, day: 'today' as const, count: 1n, amount },
    ...parts,
  });
  const none = { count: 0n, amount: 0n };
  const sales = recentSales([
    sale('PAID', 100n),
    sale('OPEN', 30n, { count: 2n }),
    sale('UNCOLLECTIBLE', 5n),
    sale('VOID', 1000n),
    sale('DRAFT', 1000n),
    sale('OPEN', 7n, { day: 'yesterday' }),
    sale('PAID', 1n, { currency: 'EUR', day: 'yesterday' }),
    sale('VOID', 1n, { currency: 'JPY' }),
  ]);
  const one = { count: 1n, amount: 1n };
  expect(sales).toEqual([
    {
      currency: 'EUR',
      today: { invoiced: none, paid: none },
      yesterday: { invoiced: one, paid: one },
    },
    {
      currency: 'USD',
      today: { invoiced: { count: 4n, amount: 135n }, paid: { count: 1n, amount: 100n } },
      yesterday: { invoiced: { count: 1n, amount: 7n }, paid: none },
    },
  ]);
});
