import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../support/api-client';
import type { OperatorClient } from '../support/operator-client';
import { dayOf, monthsUntil } from './dates';
import { checkoutOf, dunningOf } from './funnels';
import { balancesOf, type MoneyRows, paymentsOf, shownBalances, taxReportOf } from './money';
import { type ChangeRow, recurringOf, type SubscriptionRow } from './recurring';
import { countsOf, revenueOf } from './revenue';

/** One report: from the dashboard, and recounted. */
export interface Recounted {
  readonly path: string;
  readonly shown: any;
  readonly counted: any;
}

/** Two ways to see one environment. */
interface Viewers {
  readonly client: Pick<ApiClient, 'all' | 'get'>;
  readonly operator: Pick<OperatorClient, 'api'>;
}

const months = 13;
const checkoutDays = 30;
const dunningDays = 90;
const longest = 400;
const dayMs = 86_400_000;

/**
 * Recounts the dashboard's revenue, checkout, dunning and payments reports, the tax report, and the
 * balances of customers from the lists of the public API alone. No work may be in flight during it.
 */
export async function recount(viewers: Viewers): Promise<Recounted[]> {
  const { client } = viewers;
  const [subscriptions, invoices] = [
    await client.all('/subscriptions'),
    await client.all('/invoices'),
  ];
  const now = await timeOf(client);
  const recurring = recurringOf(
    subscriptions,
    invoices,
    await appliedChanges(client, subscriptions),
  );
  const { data } = revenueOf(recurring, { now, months });
  const overview = {
    mrr: data.map(({ currency, months: all }) => ({
      currency,
      amount: all.at(-1)?.mrr,
      months: all.map(({ month, mrr }) => ({ month, amount: mrr })),
    })),
    ...countsOf(subscriptions, now),
  };
  const counted: readonly (readonly [string, any])[] = [
    [`/reports/revenue?months=${String(months)}`, { data }],
    ['/reports/revenue?months=3', revenueOf(recurring, { now, months: 3 })],
    ['/reports/overview', overview],
    ...[checkoutDays, longest].map((days) => {
      return [
        `/reports/checkout?days=${String(days)}`,
        checkoutOf(invoices, { now, days }),
      ] as const;
    }),
    ...[dunningDays, longest].map((days) => {
      return [`/reports/dunning?days=${String(days)}`, dunningOf(invoices, { now, days })] as const;
    }),
  ];
  return [
    ...(await Promise.all(counted.map(([path, own]) => compared(path, own, viewers)))),
    ...(await moneyReports(viewers, { invoices, now })),
  ];
}

/** As `recount`, for the payments and tax reports and the balances. */
export async function recountMoney(viewers: Viewers): Promise<Recounted[]> {
  const { client } = viewers;
  const invoices = await client.all('/invoices');
  return moneyReports(viewers, { invoices, now: await timeOf(client) });
}

/** True if a report equals its recount. */
export function isSame({ shown, counted }: Recounted): boolean {
  return isDeepStrictEqual(shown, counted);
}

async function moneyReports(
  viewers: Viewers,
  { invoices, now }: Pick<MoneyRows, 'invoices'> & { readonly now: Date },
): Promise<Recounted[]> {
  const { client } = viewers;
  const money = await moneyRows(client, invoices);
  const payments = paymentsOf(money, { now, months });
  return [
    await compared(`/reports/payments?months=${String(months)}`, payments, viewers),
    await recountTaxes(client, money, now),
    {
      path: '/balances',
      shown: { data: shownBalances(await client.all('/balances')) },
      counted: { data: balancesOf(money) },
    },
  ];
}

async function timeOf(client: Viewers['client']): Promise<Date> {
  const { body: clock } = await client.get('/sandboxes/clock');
  return new Date(clock.now as string);
}

/** A report of the dashboard. */
async function compared(path: string, counted: any, { operator }: Viewers): Promise<Recounted> {
  return { path, shown: pick((await operator.api('GET', path)).body, counted), counted };
}

async function moneyRows(
  client: Viewers['client'],
  invoices: MoneyRows['invoices'],
): Promise<MoneyRows> {
  return {
    invoices,
    creditNotes: await client.all('/credit-notes'),
    refunds: await client.all('/refunds'),
    disputes: await client.all('/disputes'),
    entries: await client.all('/balance-entries'),
  };
}

/** The months of the reports, up to and with the present day. */
async function recountTaxes(
  client: Viewers['client'],
  money: MoneyRows,
  now: Date,
): Promise<Recounted> {
  const from = `${monthsUntil(now, months)[0] ?? ''}-01`;
  const to = dayOf(new Date(now.getTime() + dayMs));
  const path = `/tax-report?from=${from}&to=${to}`;
  return {
    path,
    shown: { data: (await client.get(path)).body },
    counted: { data: taxReportOf(money, { from, to }) },
  };
}

async function appliedChanges(
  client: Viewers['client'],
  subscriptions: readonly SubscriptionRow[],
): Promise<ChangeRow[]> {
  const found: ChangeRow[] = [];
  for (const { id } of subscriptions) {
    found.push(...(await client.all(`/subscriptions/${id}/changes?status=APPLIED`)));
  }
  return found;
}

/** Other fields of a report are not recounted. */
function pick(shown: any, counted: object): any {
  return Object.fromEntries(Object.keys(counted).map((name) => [name, shown[name]]));
}
