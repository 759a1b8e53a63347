import { monthsUntil, monthOf } from './dates';
import { amountAfter, type ChangeRow, type Recurring, type SubscriptionRow } from './recurring';

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
  const changed = all.flatMap(({ changes }) => changes).filter(({ at }) => monthOf(at) === month);
  const differencesOf = (kind: ChangeRow['kind']) =>
    changed.filter((one) => one.kind === kind).map(({ difference }) => difference);
  const differences = differencesOf('UPDATE');
  // Texts of months sort chronologically.
  const recur = all.filter(
    ({ from, until }) => monthOf(from) <= month && (until === null || monthOf(until) > month),
  );
  return {
    month,
    new: sumOf(started.map(({ monthlyAmount }) => monthlyAmount)),
    expansion: sumOf(differences.filter((difference) => difference > 0n)),
    contraction: sumOf(
      differences.filter((difference) => difference < 0n).map((difference) => -difference),
    ),
    reactivation: sumOf(differencesOf('RESUME')),
    churned:
      sumOf(ended.map((one) => amountAfter(one, () => true))) - sumOf(differencesOf('PAUSE')),
    mrr: sumOf(recur.map((one) => amountAfter(one, (at) => monthOf(at) <= month))),
    started: started.length,
    ended: ended.length,
  };
}

function sumOf(amounts: readonly bigint[]): number {
  return Number(amounts.reduce((sum, amount) => sum + amount, 0n));
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
