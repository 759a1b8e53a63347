import type { Invoice, InvoiceRecord, Payment } from './invoice';

/** The steps of an invoice's dunning that figures follow. Each is reached once, for good. */
export const dunningSteps = ['FAILED', 'RESOLVED'] as const;
export type DunningStep = (typeof dunningSteps)[number];

/** Those that an invoice has reached: none without a failure of the schedule. */
export function dunningStepsReached(record: InvoiceRecord): DunningStep[] {
  if (record.isTombstone || record.firstFailedAt === undefined) return [];
  return record.status === 'OPEN' ? ['FAILED'] : ['FAILED', 'RESOLVED'];
}

/** What became of an invoice after its first charge failed. */
export type DunningOutcome =
  | { readonly kind: 'RECOVERED_BY_RETRY'; readonly retry: number }
  | { readonly kind: 'RECOVERED_OTHERWISE' | 'UNCOLLECTIBLE' | 'VOIDED' };

/** An invoice that has an end, as far as dunning asks. */
export interface Resolved extends Pick<Invoice, 'status'> {
  /** Absent: it was not given up. */
  readonly givenUpAt?: Date | undefined;
  readonly payments: readonly (Pick<Payment, 'status' | 'origin'> &
    Partial<Pick<Payment, 'retry'>>)[];
}

/**
 * Retries are the dates after the first charge at which the schedule charged, with however many methods; a date at which nothing was
 * charged counts for nothing.
 */
export function dunningOutcome({ status, givenUpAt, payments }: Resolved): DunningOutcome {
  // A payment that comes after the end of dunning does not change how it ended.
  if (status === 'UNCOLLECTIBLE' || givenUpAt !== undefined) return { kind: 'UNCOLLECTIBLE' };
  if (status === 'VOID') return { kind: 'VOIDED' };
  const paid = payments.findIndex((payment) => payment.status === 'SUCCEEDED');
  const payment = payments[paid];
  if (payment?.origin !== 'COLLECTION') return { kind: 'RECOVERED_OTHERWISE' };
  // Payments that were stored before retries were numbered are one a retry.
  const charges = payments.slice(0, paid).filter(({ origin }) => origin === 'COLLECTION');
  return { kind: 'RECOVERED_BY_RETRY', retry: payment.retry ?? charges.length };
}

/** How many invoices, and what they come to in the smallest unit of their currency. */
export interface InvoiceSum {
  readonly count: bigint;
  readonly amount: bigint;
}

/** What became of the invoices of one currency whose first charge failed on one day. */
export interface DunningSums {
  readonly failed: InvoiceSum;
  /** By the retry that paid them, the first one first. */
  readonly recoveredByRetry: readonly InvoiceSum[];
  readonly recoveredOtherwise: InvoiceSum;
  readonly uncollectible: InvoiceSum;
  readonly voided: InvoiceSum;
}

/** The sums of a day and a currency. */
export type DunningDay = DunningSums & { readonly day: string; readonly currency: string };

/** The sums of a currency over some days. */
export type DunningReport = DunningSums & { readonly currency: string; readonly open: InvoiceSum };

const none: InvoiceSum = { count: 0n, amount: 0n };

/** What became of the invoices whose first charge failed on the days that were asked for, by currency code. */
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
