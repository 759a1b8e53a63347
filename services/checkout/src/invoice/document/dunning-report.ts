import type { Invoice, InvoiceRecord, Payment } from '../invoice';

/** Steps of an invoice's dunning that reports count. Each is reached once and never left. */
export const dunningSteps = ['FAILED', 'RESOLVED'] as const;
export type DunningStep = (typeof dunningSteps)[number];

/** Steps that an invoice has reached: none without a failure of the schedule. */
export function dunningStepsReached(record: InvoiceRecord): DunningStep[] {
  if (record.isTombstone || record.firstFailedAt === undefined) return [];
  return record.status === 'OPEN' ? ['FAILED'] : ['FAILED', 'RESOLVED'];
}

/** Result of an invoice whose first charge failed. */
export type DunningOutcome =
  | { readonly kind: 'RECOVERED_BY_RETRY'; readonly retry: number }
  | { readonly kind: 'RECOVERED_OTHERWISE' | 'UNCOLLECTIBLE' | 'VOIDED' };

/** The fields of an ended invoice that dunning needs. */
export interface Resolved extends Pick<Invoice, 'status'> {
  /** Absent if dunning did not end without payment. */
  readonly givenUpAt?: Date | undefined;
  readonly payments: readonly (Pick<Payment, 'status' | 'origin'> &
    Partial<Pick<Payment, 'retry'>>)[];
}

/**
 * Counts as retries the dates after the first charge on which the schedule charged, with any number
 * of methods; a skipped date does not count.
 */
export function dunningOutcome({ status, givenUpAt, payments }: Resolved): DunningOutcome {
  // A payment after the end of dunning does not change how dunning ended.
  if (status === 'UNCOLLECTIBLE' || givenUpAt !== undefined) return { kind: 'UNCOLLECTIBLE' };
  if (status === 'VOID') return { kind: 'VOIDED' };
  // Part payments come before the payment that settled the invoice.
  const paid = payments.findLastIndex((payment) => payment.status === 'SUCCEEDED');
  const payment = payments[paid];
  if (payment?.origin !== 'COLLECTION') return { kind: 'RECOVERED_OTHERWISE' };
  // Payments stored before retries were numbered count as one retry each.
  const charges = payments.slice(0, paid).filter(({ origin }) => origin === 'COLLECTION');
  return { kind: 'RECOVERED_BY_RETRY', retry: payment.retry ?? charges.length };
}

/** Number of invoices, and their total in the currency's smallest unit. */
export interface InvoiceSum {
  readonly count: bigint;
  readonly amount: bigint;
}

/** Results of the invoices of one currency whose first charge failed on one day. */
interface DunningSums {
  readonly failed: InvoiceSum;
  /** Indexed by the retry that paid, starting with the first. */
  readonly recoveredByRetry: readonly InvoiceSum[];
  readonly recoveredOtherwise: InvoiceSum;
  readonly uncollectible: InvoiceSum;
  readonly voided: InvoiceSum;
}

/** Sums of one day and currency. */
export type DunningDay = DunningSums & { readonly day: string; readonly currency: string };

/** Sums of one currency over several days. */
export type DunningReport = DunningSums & { readonly currency: string; readonly open: InvoiceSum };

const none: InvoiceSum = { count: 0n, amount: 0n };

/** Results of the invoices whose first charge failed on the given days, by currency code. */
export function dunningReport(
  sums: readonly DunningDay[],
  days: readonly string[],
): DunningReport[] {
  const asked = new Set(days);
  const byCurrency = Map.groupBy(
    sums.filter(({ day }) => asked.has(day)),
    ({ currency }) => currency,
  );
  return [...byCurrency]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, rows]) => ({ currency, ...withOpen(rows.reduce(added, nothing)) }));
}

const nothing: DunningSums = {
  failed: none,
  recoveredByRetry: [],
  recoveredOtherwise: none,
  uncollectible: none,
  voided: none,
};

function added(a: DunningSums, b: DunningSums): DunningSums {
  const retries = Math.max(a.recoveredByRetry.length, b.recoveredByRetry.length);
  return {
    failed: plus(a.failed, b.failed),
    recoveredByRetry: Array.from({ length: retries }, (_, index) =>
      plus(a.recoveredByRetry[index] ?? none, b.recoveredByRetry[index] ?? none),
    ),
    recoveredOtherwise: plus(a.recoveredOtherwise, b.recoveredOtherwise),
    uncollectible: plus(a.uncollectible, b.uncollectible),
    voided: plus(a.voided, b.voided),
  };
}

function withOpen(sums: DunningSums): DunningSums & { readonly open: InvoiceSum } {
  const { failed, recoveredByRetry, recoveredOtherwise, uncollectible, voided } = sums;
  const ended = [...recoveredByRetry, recoveredOtherwise, uncollectible, voided].reduce(plus, none);
  const open = { count: failed.count - ended.count, amount: failed.amount - ended.amount };
  return { ...sums, open };
}

function plus(a: InvoiceSum, b: InvoiceSum): InvoiceSum {
  return { count: a.count + b.count, amount: a.amount + b.amount };
}
