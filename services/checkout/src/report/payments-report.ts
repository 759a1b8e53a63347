import { balanceProvider } from '../invoice/attempt';
import { type CreditNote, type Dispute, type Refund, totalOfNote } from '../invoice/credit/credit';
import type { Invoice, Payment } from '../invoice/invoice';

/** Sums of one month, in minor units of one currency. */
const paymentSums = [
  'invoiced',
  'tax',
  'voided',
  'credited',
  'collected',
  'external',
  'refunded',
  'disputesLost',
  'balanceIn',
  'balanceOut',
] as const;

/** Name of a sum of the report. */
type PaymentSum = (typeof paymentSums)[number];

/** Sums of one month. */
type MonthOfPayments = Readonly<Record<PaymentSum, bigint>> & {
  /** `2026-11`. */
  readonly month: string;
};

/** Months of one currency, the oldest first. */
export interface PaymentsOfCurrency {
  readonly currency: string;
  readonly months: readonly MonthOfPayments[];
}

/** Parts of an invoice that the payments report reads. */
export interface PaidDocument extends Pick<Invoice, 'currency' | 'status' | 'voidedAt'> {
  /** Environment time; undefined for a draft and for an unpaid session. */
  readonly finalAt: Date | undefined;
  readonly total: bigint;
  readonly tax: bigint;
  readonly payments: readonly Pick<
    Payment,
    'amount' | 'status' | 'provider' | 'endedAt' | 'recorded'
  >[];
  readonly creditNotes: readonly Pick<CreditNote, 'issuedAt' | 'lines'>[];
  readonly refunds: readonly Pick<Refund, 'amount' | 'status' | 'settledAt'>[];
  readonly disputes: readonly Pick<Dispute, 'amount' | 'status' | 'closedAt'>[];
}

/** Amount that counts in one month of one currency. */
export interface PaymentAddend {
  /** Currency and month. */
  readonly row: string;
  readonly counts: Readonly<Partial<Record<PaymentSum, bigint>>>;
}

/** Returns what an invoice, its payments and its credits add to the months of their dates. */
export function paymentAddends(document: PaidDocument): PaymentAddend[] {
  const { currency, finalAt, voidedAt, status, total, tax } = document;
  const at = (time: Date | undefined, counts: PaymentAddend['counts']): PaymentAddend[] =>
    time === undefined ? [] : [{ row: rowOf(currency, time), counts }];
  // The month in which an earlier release voided an invoice is unknown, so it counts neither way.
  const isIssued = finalAt !== undefined && (status !== 'VOID' || voidedAt !== undefined);
  return [
    ...(isIssued
      ? [...at(finalAt, { invoiced: total, tax }), ...at(voidedAt, { voided: total })]
      : []),
    ...document.creditNotes.flatMap((note) => at(note.issuedAt, { credited: totalOfNote(note) })),
    ...document.payments
      .filter(isArrived)
      .flatMap(({ amount, endedAt, recorded }) =>
        at(endedAt, recorded === undefined ? { collected: amount } : { external: amount }),
      ),
    ...document.refunds
      .filter((refund) => refund.status === 'SUCCEEDED')
      .flatMap(({ amount, settledAt }) => at(settledAt, { refunded: amount })),
    ...document.disputes
      .filter((dispute) => dispute.status === 'LOST')
      .flatMap(({ amount, closedAt }) => at(closedAt, { disputesLost: amount })),
  ];
}

/** Returns what an entry of a balance adds to its month. */
export function entryAddend(entry: {
  readonly currency: string;
  readonly amount: bigint;
  readonly createdAt: Date;
}): PaymentAddend {
  const { currency, amount, createdAt } = entry;
  const counts = amount < 0n ? { balanceOut: -amount } : { balanceIn: amount };
  return { row: rowOf(currency, createdAt), counts };
}

/** The report of some months: each currency that has a sum in one of them, by its code. */
export function paymentsReport(
  totals: Iterable<readonly [string, Readonly<Partial<Record<string, bigint>>>]>,
  months: readonly string[],
): PaymentsOfCurrency[] {
  const rows = new Map(totals);
  const shown = new Set(months);
  const used = [...rows.keys()].map((row) => row.split(' ') as [string, string]);
  const currencies = new Set(used.filter(([, month]) => shown.has(month)).map(([code]) => code));
  return [...currencies].sort().map((currency) => ({
    currency,
    months: months.map((month) => {
      const counts = rows.get(`${currency} ${month}`) ?? {};
      const sums = paymentSums.map((name) => [name, counts[name] ?? 0n] as const);
      return { month, ...(Object.fromEntries(sums) as Record<PaymentSum, bigint>) };
    }),
  }));
}

/** The last months in UTC up to that of `now`, the oldest first. */
export function lastMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const back = count - 1 - index;
    return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)));
  });
}

/** True for money that came from outside; a payment from the balance moves none. */
function isArrived({ status, provider }: PaidDocument['payments'][number]): boolean {
  return status === 'SUCCEEDED' && provider !== balanceProvider;
}

function rowOf(currency: string, at: Date): string {
  return `${currency} ${monthOf(at)}`;
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}
