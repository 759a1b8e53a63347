import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type {
  CurrencyDunning,
  CurrencyPayments,
  FunnelDay,
  InvoiceSum,
} from '@billing/proto/billing/checkout/v1/report';
import type { CurrencyRevenue } from '@billing/proto/billing/subscription/v1/report';
import { readQuery, wholeNumber } from '../../api/input/input';
import type { Peers } from '../../peer/peers';
import { ok, present } from '../../http/answer';
import type { EnvironmentRoute } from '../route/route';
import { toJsonSum } from './json-sum';

// By default 13 months, so that the current month can be compared with the same one of last year.
const Months = z.object({ months: wholeNumber(1, 120).default(13) });
const DaysOfCheckout = z.object({ days: wholeNumber(1, 400).default(30) });
const DaysOfDunning = z.object({ days: wholeNumber(1, 400).default(90) });

// The report reads every invoice that was changed in its months.
const paymentsDeadlineMs = 60_000;

/** Reports of revenue, payments, checkout and dunning, and the overview. */
export const moneyReportRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/reports/overview',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { months } = readQuery(Months, { query });
      return ok(await overviewOf(context, peers, months));
    },
  },
  {
    method: 'GET',
    path: '/reports/revenue',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { months } = readQuery(Months, { query });
      const { currencies } = await peers.subscriptionReport.getRevenue({ months }, context);
      return ok({ data: currencies.map(toJsonRevenue) });
    },
  },
  {
    method: 'GET',
    path: '/reports/payments',
    isOfEnvironment: true,
    deadlineMs: paymentsDeadlineMs,
    handle: async ({ query, context }, { peers }) => {
      const { months } = readQuery(Months, { query });
      const { currencies } = await peers.checkoutReport.getPaymentsReport({ months }, context);
      return ok({ data: currencies.map(toJsonPayments) });
    },
  },
  {
    method: 'GET',
    path: '/reports/checkout',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { days } = readQuery(DaysOfCheckout, { query });
      return ok(toJsonFunnel((await peers.checkoutReport.getFunnel({ days }, context)).days));
    },
  },
  {
    method: 'GET',
    path: '/reports/dunning',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { days } = readQuery(DaysOfDunning, { query });
      const { currencies } = await peers.checkoutReport.getDunning({ days }, context);
      return ok(toJsonDunning(currencies));
    },
  },
];

/** The overview page. */
export async function overviewOf(context: CallContext, peers: Peers, shownMonths: number) {
  const [overview, { firstCallMade }, webhooks] = await Promise.all([
    peers.subscriptionReport.getOverview({ months: shownMonths }, context),
    peers.requestLog.getApiUse({}, context),
    peers.webhookReport.getDeliveryCounts({}, context),
  ]);
  const { currencies, trialing, active, pastDue, renewalsLeftToday } = overview;
  const { waiting, failed, paused, isMore } = webhooks;
  return {
    now: context.now.toISOString(),
    firstCallMade,
    mrr: currencies.map(({ currency, months }) => ({
      currency,
      amount: toJsonSum(months.at(-1)?.mrr ?? 0n),
      months: months.map(({ month, mrr }) => ({ month, amount: toJsonSum(mrr) })),
    })),
    subscriptions: {
      trialing: Number(trialing),
      active: Number(active),
      pastDue: Number(pastDue),
    },
    renewalsToday: Number(renewalsLeftToday),
    failedWebhooks: Number(waiting + failed + paused),
    /** True if the count stopped at its limit. */
    failedWebhooksIsMore: isMore,
  };
}

/** Movements of the recurring revenue of a currency, by month. */
export function toJsonRevenue({ currency, months }: CurrencyRevenue) {
  return {
    currency,
    months: months.map((one) => ({
      month: one.month,
      new: toJsonSum(one.newAmount),
      expansion: toJsonSum(one.expansionAmount),
      reactivation: toJsonSum(one.reactivationAmount),
      contraction: toJsonSum(one.contractionAmount),
      churned: toJsonSum(one.churnedAmount),
      mrr: toJsonSum(one.mrr),
      started: Number(one.started),
      ended: Number(one.ended),
    })),
  };
}

/** Sums of invoices and payments of a currency, by month. */
export function toJsonPayments({ currency, months }: CurrencyPayments) {
  return {
    currency,
    months: months.map((one) => ({
      month: one.month,
      invoiced: toJsonSum(one.invoiced),
      tax: toJsonSum(one.tax),
      voided: toJsonSum(one.voided),
      credited: toJsonSum(one.credited),
      collected: toJsonSum(one.collected),
      external: toJsonSum(one.external),
      refunded: toJsonSum(one.refunded),
      disputesLost: toJsonSum(one.disputesLost),
      balanceIn: toJsonSum(one.balanceIn),
      balanceOut: toJsonSum(one.balanceOut),
    })),
  };
}

export function toJsonFunnel(days: readonly FunnelDay[]) {
  const shown = days.map(({ day, ...counts }) => ({
    day,
    created: Number(counts.created),
    completed: Number(counts.completed),
    expired: Number(counts.expired),
  }));
  const sum = (name: 'created' | 'completed' | 'expired') =>
    shown.reduce((total, day) => total + day[name], 0);
  const [created, completed, expired] = [sum('created'), sum('completed'), sum('expired')];
  return { days: shown, created, completed, expired, open: created - completed - expired };
}

type DunningSums = Record<
  | 'failed'
  | 'first'
  | 'second'
  | 'third'
  | 'later'
  | 'otherwise'
  | 'open'
  | 'uncollectible'
  | 'voided',
  InvoiceSum
>;

export function toJsonDunning(currencies: readonly CurrencyDunning[]) {
  const byCurrency = currencies.map((one) => ({ currency: one.currency, sums: sumsOf(one) }));
  const all = byCurrency.map(({ sums }) => sums);
  return {
    ...shapeOf((name) => Number(all.reduce((count, sums) => count + sums[name].count, 0n))),
    amounts: byCurrency.map(({ currency, sums }) => ({
      currency,
      ...shapeOf((name) => toJsonSum(sums[name].amount)),
    })),
  };
}

function sumsOf(dunning: CurrencyDunning): DunningSums {
  const none: InvoiceSum = { count: 0n, amount: 0n };
  const [first = none, second = none, third = none, ...later] = dunning.recoveredByRetry;
  return {
    failed: present(dunning.failed),
    first,
    second,
    third,
    later: later.reduce(plus, none),
    otherwise: present(dunning.recoveredOtherwise),
    open: present(dunning.open),
    uncollectible: present(dunning.uncollectible),
    voided: present(dunning.voided),
  };
}

function shapeOf<T>(of: (name: keyof DunningSums) => T) {
  return {
    failed: of('failed'),
    recovered: {
      first: of('first'),
      second: of('second'),
      third: of('third'),
      later: of('later'),
      otherwise: of('otherwise'),
    },
    open: of('open'),
    uncollectible: of('uncollectible'),
    voided: of('voided'),
  };
}

function plus(a: InvoiceSum, b: InvoiceSum): InvoiceSum {
  return { count: a.count + b.count, amount: a.amount + b.amount };
}
