import { amountRefunded } from '../invoice/credit/credit';
import { amountDue, amountPaid, type Invoice } from '../invoice/invoice';
import type { InvoiceSum } from '../invoice/document/dunning-report';

/** Planned charge of an open invoice. */
interface PlannedCharge {
  readonly invoiceId: string;
  readonly number: string | undefined;
  readonly at: Date;
  readonly amount: bigint;
}

/** An invoice with the time of its next charge, if one is planned. */
export type CollectedInvoice = Invoice & { readonly nextAttemptAt: Date | undefined };

/** Amounts that a customer owes and has paid in one currency, in its smallest unit. */
export interface CustomerAccount {
  readonly currency: string;
  readonly owed: bigint;
  /** Part of what is owed whose due date has passed, or whose last charge failed. */
  readonly overdue: bigint;
  readonly openInvoices: number;
  readonly paid: bigint;
  /** Part of what was paid that was refunded. */
  readonly refunded: bigint;
  readonly nextCharge: PlannedCharge | undefined;
  readonly paidInvoices: number;
  readonly firstPaidAt: Date | undefined;
  readonly lastPaidAt: Date | undefined;
}

/** The accounts of a customer, by currency code. */
export function customerAccounts(
  invoices: readonly CollectedInvoice[],
  now: Date,
): CustomerAccount[] {
  const byCurrency = Map.groupBy(invoices, ({ currency }) => currency);
  return [...byCurrency]
    .map(([currency, own]) => accountOf(currency, own, now))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function accountOf(
  currency: string,
  invoices: readonly CollectedInvoice[],
  now: Date,
): CustomerAccount {
  const open = invoices.filter(({ status }) => status === 'OPEN');
  const paid = invoices.filter(({ status }) => status === 'PAID');
  const paidTimes = paid.flatMap(({ paidAt }) => (paidAt === undefined ? [] : [paidAt]));
  const inOrder = paidTimes.sort((a, b) => a.getTime() - b.getTime());
  return {
    currency,
    owed: sum(open, amountDue),
    overdue: sum(
      open.filter((invoice) => isOverdue(invoice, now)),
      amountDue,
    ),
    openInvoices: open.length,
    paid: sum(invoices, amountPaid),
    refunded: sum(invoices, amountRefunded),
    nextCharge: nextChargeOf(open),
    paidInvoices: paid.length,
    firstPaidAt: inOrder[0],
    lastPaidAt: inOrder.at(-1),
  };
}

function nextChargeOf(open: readonly CollectedInvoice[]): PlannedCharge | undefined {
  const charges = open.flatMap((invoice) => {
    const { id: invoiceId, number, nextAttemptAt: at } = invoice;
    return at === undefined ? [] : [{ invoiceId, number, at, amount: amountDue(invoice) }];
  });
  return charges.sort((a, b) => a.at.getTime() - b.at.getTime())[0];
}

function isOverdue({ dueDate, lastPaymentError }: Invoice, now: Date): boolean {
  return lastPaymentError !== undefined || (dueDate !== undefined && dueDate <= now);
}

/** Sums over the invoices of one currency and status that were created on one day. */
export interface StatusSales extends InvoiceSum {
  readonly currency: string;
  readonly status: Invoice['status'];
  readonly day: keyof Omit<RecentSales, 'currency'>;
}

/** Invoices created on one day, and those of them that are paid. */
interface DaySales {
  readonly invoiced: InvoiceSum;
  readonly paid: InvoiceSum;
}

/** Sales of two days in one currency. */
export interface RecentSales {
  readonly currency: string;
  readonly today: DaySales;
  readonly yesterday: DaySales;
}

/** Sales of two days, by currency code. Drafts and voided invoices do not count. */
export function recentSales(sums: readonly StatusSales[]): RecentSales[] {
  const counted = sums.filter(({ status }) => status !== 'DRAFT' && status !== 'VOID');
  const byCurrency = Map.groupBy(counted, ({ currency }) => currency);
  return [...byCurrency]
    .map(([currency, own]) => ({
      currency,
      today: salesOf(own.filter(({ day }) => day === 'today')),
      yesterday: salesOf(own.filter(({ day }) => day === 'yesterday')),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function salesOf(sums: readonly StatusSales[]): DaySales {
  const sumOf = (some: readonly StatusSales[]) => ({
    count: sum(some, ({ count }) => count),
    amount: sum(some, ({ amount }) => amount),
  });
  return { invoiced: sumOf(sums), paid: sumOf(sums.filter(({ status }) => status === 'PAID')) };
}

function sum<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}
