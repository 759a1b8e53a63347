import type { ApiClient } from '../support/api-client';
import type { OperatorClient } from '../support/operator-client';
import { checkoutOf, dunningOf } from './funnels';
import { type ChangeRow, recurringOf, type SubscriptionRow } from './recurring';
import { countsOf, revenueOf } from './revenue';

/** One report: from the dashboard, and recounted. */
export interface Recounted {
  readonly path: string;
  readonly shown: any;
  readonly counted: any;
}

const months = 13;
const checkoutDays = 30;
const dunningDays = 90;
const longest = 400;

/**
 * Recounts the dashboard's revenue, checkout and dunning reports from the lists of the public API
 * alone. No work may be in flight during it.
 */
export async function recount({
  client,
  operator,
}: {
  client: Pick<ApiClient, 'all' | 'get'>;
  operator: Pick<OperatorClient, 'api'>;
}): Promise<Recounted[]> {
  const [subscriptions, invoices] = [
    await client.all('/subscriptions'),
    await client.all('/invoices'),
  ];
  const { body: clock } = await client.get('/sandboxes/clock');
  const now = new Date(clock.now as string);
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
  return Promise.all(
    counted.map(async ([path, own]) => ({
      path,
      shown: pick((await operator.api('GET', path)).body, own),
      counted: own,
    })),
  );
}

async function appliedChanges(
  client: Pick<ApiClient, 'all'>,
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
