import { addMonths } from '@billing/kernel/billing-period';
import { monthOf } from './recurring-revenue';

/** What happened in one month to the subscriptions of one currency; amounts a month, in its smallest unit. */
export interface RevenueSums {
  readonly month: string;
  readonly currency: string;
  readonly started: bigint;
  readonly startedAmount: bigint;
  readonly ended: bigint;
  readonly endedAmount: bigint;
}

/** One month of a currency, and what recurs at its end. */
export type RevenueMonth = Omit<RevenueSums, 'currency'> & { readonly mrr: bigint };

/** The months of a currency, oldest first. */
export interface CurrencyRevenue {
  readonly currency: string;
  readonly months: readonly RevenueMonth[];
}

const nothing = { started: 0n, startedAmount: 0n, ended: 0n, endedAmount: 0n };

/** The months that a report shows, oldest first: so many, the last one being that of `now`. */
export function monthsUntil(now: Date, count: number): string[] {
  const first = new Date(`${monthOf(now)}-01T00:00:00.000Z`);
  return Array.from({ length: count }, (_, index) => monthOf(addMonths(first, index + 1 - count)));
}

/** What recurs, month by month, by currency code; what lies before the first month shown is in its opening. */
export function revenueReport(
  sums: readonly RevenueSums[],
  months: readonly string[],
): CurrencyRevenue[] {
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  return [...byCurrency]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, rows]) => ({ currency, months: monthsOf(rows, months) }));
}

function monthsOf(rows: readonly RevenueSums[], months: readonly string[]): RevenueMonth[] {
  const [first = ''] = months;
  const earlier = rows.filter(({ month }) => comparable(month) < comparable(first));
  const byMonth = new Map(rows.map((row) => [row.month, row]));
  let mrr = earlier.reduce((sum, row) => sum + netOf(row), 0n);
  return months.map((month) => {
    const { started, startedAmount, ended, endedAmount } = byMonth.get(month) ?? nothing;
    mrr += startedAmount - endedAmount;
    return { month, started, startedAmount, ended, endedAmount, mrr };
  });
}

/** How many subscriptions recur now. */
export function recurringCount(sums: readonly RevenueSums[]): bigint {
  return sums.reduce((count, { started, ended }) => count + started - ended, 0n);
}

/**
 * How many subscriptions recur now and are not past due. These are counted a moment before or after the sums are read: one that began or
 * ended in between may be past due in a moment in which no other recurs, and fewer than none are never active.
 */
export function activeCount(sums: readonly RevenueSums[], pastDue: bigint): bigint {
  const recurring = recurringCount(sums);
  return recurring > pastDue ? recurring - pastDue : 0n;
}

function netOf({ startedAmount, endedAmount }: RevenueSums): bigint {
  return startedAmount - endedAmount;
}

// Years beyond 9999 have a sign and six digits.
function comparable(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}
