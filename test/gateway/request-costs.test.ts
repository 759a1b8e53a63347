import { routes } from '@billing/gateway/routes';
import {
  batchSizes,
  measureRequestCosts,
  batchName,
  type RequestCost,
  strangersBatches,
} from './request-costs';

describe('one request', () => {
  let costs: Map<string, RequestCost>;

  beforeAll(async () => {
    const measured = await measureRequestCosts();
    costs = new Map(measured.map((cost) => [cost.route, cost]));
  }, 60_000);

  test('of any route costs one gRPC call, except those that combine several resources', () => {
    const several = [...costs.values()]
      .filter(({ calls }) => calls.length !== 1)
      .map(({ route, calls }) => ({ route, calls }));
    const batches = batchSizes.length + Object.keys(strangersBatches).length;
    expect(costs.size).toBe(routes.length + batches);
    expect(several).toEqual([
      { route: strangersBatches.unknown, calls: ['IdentifyCustomers', 'IngestEvents'] },
      // The customer, and the subscription periods that contain the usage.
      {
        route: 'POST /customers/:id/meter-credits',
        calls: ['CreateCreditGrant', 'GetCustomer', 'ListUsagePeriods'],
      },
      {
        route: 'GET /customers/:id/meter-credits',
        calls: ['GetCustomer', 'ListCreditGrants', 'ListUsagePeriods'],
      },
      {
        route: 'GET /customers/:id/state',
        calls: ['GetCustomer', 'GetUsageState', 'ListUsagePeriods'],
      },
      { route: 'POST /checkout', calls: ['CreateSession', 'GetCustomers', 'GetProducts'] },
      // The product's availability, and the customer's current data.
      { route: 'GET /checkout/:sessionId', calls: ['GetCustomer', 'GetProducts', 'GetSession'] },
      { route: 'POST /checkout-links', calls: ['CreateCheckoutLink', 'GetProduct'] },
      {
        route: 'POST /subscriptions',
        calls: ['CreateSubscription', 'GetCustomer', 'GetProduct'],
      },
      { route: 'GET /invoices/:id/pdf', calls: ['GetCustomer', 'GetInvoice'] },
    ]);
  });

  test('uses the cached caller of the previous one, except every few seconds', () => {
    const known = [...costs.values()].filter(({ knewKey }) => knewKey);
    expect(known.length).toBeGreaterThan(costs.size / 2);
  });

  // A flush: its slot, its events, and their contribution to each series.
  const flush = ['insert usageEvents', 'insert usageParts', 'update usageSlots'];

  test.each(batchSizes)('with %s usage events costs one call and one flush', (size) => {
    const cost = costs.get(batchName(size));
    expect(cost?.calls).toEqual(['IngestEvents']);
    expect(ofSlotInUse(cost?.commands)).toEqual(['find meters', ...flush]);
  });

  test('with a thousand unknown customers and meters looks up each kind once', () => {
    expect(ofSlotInUse(costs.get(strangersBatches.unknown)?.commands)).toEqual(
      // Each kind of name, and the first events of a meter and of its customers: due for sealing,
      // and due for folding.
      [
        'bulkWrite usageSeries',
        'bulkWrite usageSeries',
        'find customers',
        'find customers',
        'find meters',
        'find meters',
        'insert usageEvents',
        'insert usageParts',
        'update meters',
        'update usageSlots',
      ],
    );
    const known = costs.get(strangersBatches.known);
    expect(known?.calls).toEqual(['IngestEvents']);
    expect(ofSlotInUse(known?.commands)).toEqual(['find meters', ...flush]);
  });

  test.each([
    ['GET /customers/:id', ['find customers']],
    ['GET /products/:id', ['find products']],
    ['GET /discounts/:id', ['find discounts', 'find redemptionSlots']],
    ['GET /subscriptions/:id', ['find subscriptions']],
    ['GET /invoices/:id', ['find invoices']],
    ['GET /webhook-endpoints/:id', ['find webhookEndpoints']],
    ['GET /sandboxes/clock', ['find environments']],
    ['GET /customers', ['aggregate customers', 'find customers']],
    ['GET /products', ['aggregate products', 'find products']],
    // The list shows two discounts, each with the number of its redemptions.
    [
      'GET /discounts',
      ['aggregate discounts', 'find discounts', 'find redemptionSlots', 'find redemptionSlots'],
    ],
    ['POST /discounts', ['insert discounts']],
    ['POST /discounts/validate', ['find discounts', 'find redemptionSlots']],
    ['GET /subscriptions', ['aggregate subscriptions', 'find subscriptions']],
    ['GET /invoices', ['aggregate invoices', 'find invoices']],
    ['GET /webhook-endpoints', ['aggregate webhookEndpoints', 'find webhookEndpoints']],
    ['GET /api-keys', ['aggregate apiKeys', 'find apiKeys']],
    ['POST /customers', ['insert customers']],
    ['POST /products', ['insert products']],
    ['PATCH /customers/:id', ['find customers', 'update customers']],
    ['PATCH /products/:id', ['find products', 'update products']],
    // The response's number of redemptions is read again.
    [
      'PATCH /discounts/:id',
      ['find discounts', 'find discounts', 'find redemptionSlots', 'update discounts'],
    ],
    ['PATCH /subscriptions/:id', ['find subscriptions', 'update subscriptions']],
    ['POST /subscriptions/:id/cancel', ['find subscriptions', 'update subscriptions']],
    ['POST /subscriptions/:id/uncancel', ['find subscriptions', 'update subscriptions']],
    // Customer and product; then session, number and invoice.
    [
      'POST /checkout',
      [
        'find customers',
        'find products',
        'insert checkoutSessions',
        'insert invoiceNumbers',
        'insert invoices',
      ],
    ],
    [
      'GET /checkout/:sessionId',
      ['find checkoutSessions', 'find customers', 'find invoices', 'find products'],
    ],
    ['POST /checkout-links', ['find products', 'insert checkoutLinks']],
    ['GET /checkout-links/:id', ['find checkoutLinks']],
    ['GET /checkout-links', ['aggregate checkoutLinks', 'find checkoutLinks']],
    ['PATCH /checkout-links/:id', ['find checkoutLinks', 'update checkoutLinks']],
    ['GET /invoices/:id/pdf', ['find customers', 'find invoices']],
    // The calling key is read before and after: it may be revoked in between.
    ['POST /api-keys', ['find apiKeys', 'find apiKeys', 'find environments', 'insert apiKeys']],
    ['DELETE /api-keys/:id', ['find apiKeys', 'update apiKeys']],
  ])('of %s costs exactly these database commands: %j', (route, commands) => {
    expect(costs.get(route)?.commands).toEqual(commands);
  });
});

/** Leaves out what a flush costs once, if it has to take a slot into use first. */
function ofSlotInUse(commands: readonly string[] = []): readonly string[] {
  const isTaken = commands.includes('find usageEpoch');
  const once = ['insert usageSlots', 'find usageEpoch', 'findAndModify usageEpoch'];
  const others = commands.filter((command) => !once.includes(command));
  // A parked slot is updated twice.
  const [first, ...again] = others.filter((command) => command === 'update usageSlots');
  const rest = others.filter((command) => command !== 'update usageSlots');
  return [...rest, ...(first === undefined ? [] : [first]), ...(isTaken ? [] : again)].toSorted();
}
