import { monthsUntil, monthOf } from './dates';
import type { Recurring, SubscriptionRow } from './recurring';

/** `GET /dashboard/api/reports/revenue`, recounted: each month from every subscription. */
export function revenueOf(
  recurring: readonly Recurring[],
  { now, months }: { now: Date; months: number },
) {
  const byCurrency = Map.groupBy(recurring, ({ currency }) => currency);
  const data = [...byCurrency].sort().map(([currency, all]) => ({
    currency,
    months: monthsUntil(now, months).map((month) => monthOfRevenue(all, month)),
  }));
  return { data };
}

function monthOfRevenue(all: readonly Recurring[], month: string) {
  const started = all.filter(({ from }) => monthOf(from) === month);
  const ended = all.filter(({ until }) => until !== null && monthOf(until) === month);
  // Texts of months sort chronologically.
  const recur = all.filter(
    ({ from, until }) => monthOf(from) <= month && (until === null || monthOf(until) > month),
  );
  return {
    month,
    new: sumOf(started),
    expansion: 0,
    contraction: 0,
    churned: sumOf(ended),
    mrr: sumOf(recur),
    started: started.length,
    ended: ended.length,
  };
}

function sumOf(some: readonly Recurring[]): number {
  return Number(some.reduce((sum, { monthlyAmount }) => sum + monthlyAmount, 0n));
}

/** The counts of `GET /dashboard/api/reports/overview`. */
export function countsOf(subscriptions: readonly SubscriptionRow[], now: Date) {
  const count = (isMeant: (one: SubscriptionRow) => boolean) =>
    subscriptions.filter(isMeant).length;
  const today = now.toISOString().slice(0, 10);
  return {
    subscriptions: {
      trialing: count(({ phase }) => phase === 'TRIAL'),
      active: count(({ phase, status }) => phase === 'REGULAR' && status === 'ACTIVE'),
      pastDue: count(({ status }) => status === 'PAST_DUE'),
    },
    renewalsToday: count(
      ({ phase, nextInvoiceAt }) =>
        phase !== 'SCHEDULED' && nextInvoiceAt !== null && nextInvoiceAt.startsWith(today),
    ),
  };
}
