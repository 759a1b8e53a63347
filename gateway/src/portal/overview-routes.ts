import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from '../peer/peers';
import { present } from '../http/answer';
import { pageAnswer } from '../pages/frame/shell';
import { type Overview, overviewPage } from './overview-page';
import { productsOf } from './plan-routes';
import type { PortalRequest, PortalRoute } from './route';

// Maximum page size, since invoices of open checkouts are filtered out of the list.
const openInvoicesMax = 100;
// One for each currency.
const balancesMax = 100;

export const overviewRoutes: readonly PortalRoute[] = [
  {
    method: 'GET',
    path: '/portal',
    handle: async (request, peers) => pageAnswer(overviewPage(await readOverview(request, peers))),
  },
];

async function readOverview(
  { visit, context, query }: PortalRequest,
  peers: Peers,
): Promise<Overview> {
  const { customerId } = visit;
  const open = {
    customerId,
    status: InvoiceStatus.INVOICE_STATUS_OPEN,
    page: 1,
    perPage: openInvoicesMax,
  };
  const [
    { customer },
    { plans },
    { invoices },
    { states },
    { paymentMethods },
    { balances },
    { settings },
  ] = await Promise.all([
    peers.customer.getCustomer({ id: customerId }, context),
    peers.plan.listPlans({ customerId }, context),
    peers.checkout.listInvoices(open, context),
    peers.metering.getUsageState({ customerId }, context),
    peers.paymentMethod.listPaymentMethods({ customerId }, context),
    peers.balance.listBalances({ customerId, page: 1, perPage: balancesMax }, context),
    peers.portal.getPortalSettings({}, context),
  ]);
  const planned = plans.flatMap(
    ({ subscription }) => subscription?.pendingChange?.to?.items[0]?.productId ?? [],
  );
  const products = await productsOf([...new Set(planned)], { peers, context });
  return {
    visit,
    customer: present(customer),
    plans,
    // Invoices of open checkouts are paid on the page of the checkout and are not owed before.
    openInvoices: invoices.filter(({ checkoutSessionId }) => checkoutSessionId === undefined),
    usage: states,
    methods: paymentMethods,
    balances,
    settings: present(settings),
    productNames: new Map(products.map(({ id, name }) => [id, name])),
    done: query.done,
    now: context.now,
  };
}
