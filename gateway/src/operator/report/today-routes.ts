import type { CallContext } from '@billing/chassis/call-context';
import type { InvoiceSum, RecentSales } from '@billing/proto/billing/checkout/v1/report';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { EndpointReport } from '@billing/proto/billing/notifier/v1/report';
import { toJsonOptionalTime } from '@billing/proto/json/scalars';
import { parkReasons } from '@billing/proto/values/subscription';
import { ok, present } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import type { EnvironmentRoute } from '../route/route';
import { toJsonSum } from './json-sum';

// All that reports on dunning cover: an invoice that failed earlier is no longer retried.
const dunningDays = 400;
/** Cards, and parked subscriptions, that are listed. */
const shownMax = 20;
const first = { page: 1, perPage: 1 } as const;

/** Routes of the home page: tasks, sales of today and yesterday, and the state of the setup. */
export const todayRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/reports/today',
    isOfEnvironment: true,
    handle: async ({ context }, { peers }) => ok(await todayOf(context, peers)),
  },
];

/** Report of today, as the dashboard reads it. */
export type Today = Awaited<ReturnType<typeof todayOf>>;

export async function todayOf(context: CallContext, peers: Peers) {
  const until = endOfNextMonth(context.now);
  const [sales, dunning, webhooks, expiring, parked, setup] = await Promise.all([
    peers.checkoutReport.getRecentSales({}, context),
    peers.checkoutReport.getDunning({ days: dunningDays }, context),
    peers.webhookReport.getDeliveryReport({ days: 1 }, context),
    peers.paymentMethod.listExpiringCards({ until }, context),
    peers.subscriptionReport.listParkedSubscriptions({}, context),
    setupOf(context, peers),
  ]);
  const shown = expiring.cards.slice(0, shownMax);
  const shownParked = parked.subscriptions.slice(0, shownMax);
  const names = await namesOf([...shown, ...shownParked], context, peers);
  return {
    sales: { data: sales.currencies.map(toJsonSales), isMore: sales.isMore },
    failedPayments: dunning.currencies
      .map(({ currency, open }) => ({ currency, ...toJsonInvoiceSum(open) }))
      .filter(({ count }) => count > 0),
    failingEndpoints: webhooks.endpoints.flatMap(toJsonFailingEndpoint),
    expiringCards: {
      count: expiring.cards.length,
      isMore: expiring.isMore,
      /** Those that expire first, of subscriptions that will be charged, with their customers. */
      cards: shown.map(({ paymentMethodId: id, customerId, brand, last4, expiry }) => ({
        ...{ id, customerId, brand, last4 },
        customerName: names.get(customerId) ?? null,
        expiry: present(expiry),
      })),
    },
    parkedSubscriptions: {
      isMore: parked.isMore,
      /** The newest of them, with the names of their customers. */
      subscriptions: shownParked.map(({ subscriptionId, productName, customerId, reason }) => ({
        ...{ subscriptionId, productName },
        customerName: names.get(customerId) ?? null,
        reason: parkReasons.nameOf(reason),
      })),
    },
    setup: {
      ...setup,
      hasPayment: sales.hasPayment,
      hasEndpoint: webhooks.endpoints.length > 0,
    },
  };
}

/** First instant of the month after next, in UTC: cards that expire next month are included. */
export function endOfNextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));
}

/** Steps of the first setup that are done. */
async function setupOf(context: CallContext, peers: Peers) {
  const [products, links] = await Promise.all([
    peers.catalog.listProducts(
      { ...first, active: undefined, lookupKey: undefined, ids: undefined },
      context,
    ),
    peers.checkoutLink.listCheckoutLinks({ ...first, active: undefined }, context),
  ]);
  return {
    hasProduct: products.total > 0,
    hasLink: links.total > 0,
  };
}

/** Names of the customers, by id. */
async function namesOf(
  of: readonly { readonly customerId: string }[],
  context: CallContext,
  peers: Peers,
): Promise<Map<string, string>> {
  const ids = [...new Set(of.map(({ customerId }) => customerId))];
  const customers = ids.length === 0 ? [] : await customersOf(ids, context, peers);
  return new Map(customers.map(({ id, name, email }) => [id, name ?? email]));
}

async function customersOf(ids: string[], context: CallContext, peers: Peers): Promise<Customer[]> {
  const { customers } = await peers.customer.getCustomers({ ids }, context);
  return customers;
}

function toJsonSales({ currency, today, yesterday }: RecentSales) {
  const toJsonDay = (day: RecentSales['today']) => {
    const { invoiced, paid } = present(day);
    return { invoiced: toJsonInvoiceSum(invoiced), paid: toJsonInvoiceSum(paid) };
  };
  return { currency, today: toJsonDay(today), yesterday: toJsonDay(yesterday) };
}

function toJsonInvoiceSum(sum: InvoiceSum | undefined) {
  const { count, amount } = present(sum);
  return { count: Number(count), amount: toJsonSum(amount) };
}

/** An endpoint whose last delivery failed; nothing for one that works. */
function toJsonFailingEndpoint({ endpointId: id, url, active, failingSince }: EndpointReport) {
  if (failingSince === undefined) return [];
  return [{ id, url, active, failingSince: toJsonOptionalTime(failingSince) }];
}
