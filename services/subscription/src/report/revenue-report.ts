import { addMonths } from '@billing/kernel/billing-period';
import { monthOf } from './recurring-revenue';

/**
 * Changes of one month among the subscriptions of one currency; amounts per month, in its smallest
 * unit.
 */
export interface RevenueSums {
  readonly month: string;
  readonly currency: string;
  readonly started: bigint;
  readonly startedAmount: bigint;
  readonly ended: bigint;
  readonly endedAmount: bigint;
  /** Increases and decreases by changes of running subscriptions. */
  readonly expansion: bigint;
  readonly contraction: bigint;
  /** Revenue that came back with the end of a pause. */
  readonly reactivation: bigint;
}

/** One month of a currency, and the recurring revenue at its end. */
type RevenueMonth = Omit<RevenueSums, 'currency'> & { readonly mrr: bigint };

/** The months of a currency, oldest first. */
export interface CurrencyRevenue {
  readonly currency: string;
  readonly months: readonly RevenueMonth[];
}

const nothing = {
  ...{ started: 0n, startedAmount: 0n, ended: 0n, endedAmount: 0n },
  ...{ expansion: 0n, contraction: 0n, reactivation: 0n },
};

/** Lists the months of a report, oldest first; the last one is that of `now`. */
export function monthsUntil(now: Date, count: number): string[] {
  const first = new Date(`${monthOf(now)}-01T00:00:00.000Z`);
  return Array.from({ length: count }, (_, index) => monthOf(addMonths(first, index + 1 - count)));
}

/**
 * Builds the recurring revenue month by month, by currency code; earlier months are part of the
 * opening.
 */
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
    const sums = byMonth.get(month) ?? nothing;
    mrr += netOf(sums);
    const { started, startedAmount, ended, endedAmount } = sums;
    const { expansion, contraction, reactivation } = sums;
    const changed = { expansion, contraction, reactivation };
    return { month, started, startedAmount, ended, endedAmount, ...changed, mrr };
  });
}

/** Number of recurring subscriptions now. */
export function recurringCount(sums: readonly RevenueSums[]): bigint {
  return sums.reduce((count, { started, ended }) => count + started - ended, 0n);
}

/**
 * Number of recurring subscriptions that are not past due. Past-due ones are counted a moment
 * before or after the sums are read: one that began or ended in between may make the difference
 * negative, which is reported as 0.
 */
export function activeCount(sums: readonly RevenueSums[], pastDue: bigint): bigint {
  const recurring = recurringCount(sums);
  return recurring > pastDue ? recurring - pastDue : 0n;
}

function netOf({
  startedAmount,
  endedAmount,
  expansion,
  contraction,
  reactivation,
}: Omit<RevenueSums, 'month' | 'currency'>): bigint {
  return startedAmount + expansion + reactivation - contraction - endedAmount;
}

// Years beyond 9999 have a sign and six digits.
function comparable(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}
