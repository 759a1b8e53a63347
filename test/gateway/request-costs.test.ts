import { routes } from '@billing/gateway/routes';
import { changeRequests } from './change-costs';
import {
  batchSizes,
  measureRequestCosts,
  batchName,
  type RequestCost,
  strangersBatches,
} from './request-costs';

// Every change reads the customer, the products and the invoices of the running period.
const factCalls = ['GetCustomers', 'GetInvoice', 'GetProducts'];
const facts = ['find customers', 'find invoices', 'find products'];
const quote = ['find balances', 'find billingSettings'];
// An invoice with unused time reads the invoice that it comes from.
const creditingQuote = [...quote, 'find invoices'];
// For its facts, and for its write.
const stored = ['find subscriptions', 'find subscriptions', 'update subscriptions'];
const withCredit = {
  // The invoice is read again: its room may have moved before it was reserved.
  calls: ['CreateChange', ...factCalls, 'ReserveForChange', 'GetInvoice'],
  commands: [
    ...facts,
    ...['insert changeReservations', 'find invoices', 'find invoices', 'update invoices'],
    ...['update changeReservations', 'find invoices', ...stored],
  ],
};
const waits = { calls: ['CreateChange', ...factCalls], commands: [...facts, ...stored] };
const startsMigration = {
  // Both prices, and their products.
  calls: ['CreatePriceMigration', 'GetPrice', 'GetPrice', 'GetProducts', 'GetProducts'],
  commands: [
    ...Array.from({ length: 4 }, () => 'find products'),
    // The number of subscriptions; one migration of a price runs at a time.
    ...['aggregate subscriptions', 'insert keyClaims', 'insert priceMigrations'],
  ],
};

/** Calls and commands of each change, of a subscription that was not written for some seconds. */
const changeCosts: Readonly<
  Record<string, { readonly calls: readonly string[]; readonly commands: readonly string[] }>
> = {
  [changeRequests.previewSeat]: {
    // The invoice of the change, and the next one.
    calls: ['PreviewChange', ...factCalls, 'QuoteInvoices'],
    commands: [...facts, ...creditingQuote, 'find subscriptions'],
  },
  [changeRequests.addSeat]: {
    calls: ['CreateChange', ...factCalls, 'QuoteInvoice'],
    commands: [...facts, ...creditingQuote, ...stored],
  },
  [changeRequests.addSeatAsPreviewed]: {
    calls: ['CreateChange', ...factCalls, 'QuoteInvoice', 'ReserveForChange'],
    commands: [
      ...facts,
      ...[...creditingQuote, 'find balances', 'find balanceEntries'],
      // The first reservation of a customer's balance, of the amount 0 that was shown.
      ...['insert changeReservations', 'find balances', 'insert balances'],
      ...['insert balanceEntries', 'update balances', 'update changeReservations'],
      ...stored,
    ],
  },
  [changeRequests.removeSeat]: withCredit,
  [changeRequests.removeSeatLater]: waits,
  [changeRequests.pauseLater]: waits,
  [changeRequests.pause]: waits,
  [changeRequests.pauseWithCredit]: withCredit,
  [changeRequests.resume]: {
    // The usage prices of the new period; no invoice of a period that runs.
    calls: ['CreateChange', 'GetCustomers', 'GetProducts', 'GetMeterPrices', 'QuoteInvoice'],
    commands: [...['find customers', 'find products', 'find products', ...quote], ...stored],
  },
  [changeRequests.takeBack]: {
    // The former state, for the audit log.
    calls: ['GetChange', 'CancelChange'],
    commands: ['find subscriptions', ...stored],
  },
  [changeRequests.migrateDry]: startsMigration,
  [changeRequests.migrate]: startsMigration,
};

describe('one request', () => {
  let costs: Map<string, RequestCost>;

  beforeAll(async () => {
    const measured = await measureRequestCosts();
    costs = new Map(measured.map((cost) => [cost.route, cost]));
  });

  test('of any route costs one gRPC call, except those that combine several resources', () => {
    const isFirst = (route: string) => route === strangersBatches.unknown;
    const changes: readonly string[] = Object.values(changeRequests);
    const several = [...costs.values()]
      .filter(({ route }) => !changes.includes(route))
      .map(({ route, calls }) => ({ route, calls: isFirst(route) ? calls : withoutNames(calls) }))
      .map(({ route, calls }) => ({ route, calls: withoutFormerState(route, calls) }))
      .filter(({ route, calls }) => calls.length !== 1 && !route.startsWith('GET /exports/'));
    const batches = batchSizes.length + Object.keys(strangersBatches).length;
    expect(costs.size).toBe(routes.length + batches + changes.length);
    expect(several).toEqual([
      { route: strangersBatches.unknown, calls: ['IdentifyCustomers', 'IngestEvents'] },
      // Obligations of the customer and the seller are read before the deletion.
      {
        route: 'DELETE /customers/:id',
        calls: ['DeleteCustomer', 'GetObligations', 'ListSubscriptions', 'ListSubscriptions'],
      },
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
        calls: ['CreateSubscription', 'GetCustomers', 'GetProducts'],
      },
      {
        route: 'POST /subscriptions/:id/changes',
        calls: ['CreateChange', 'GetCustomers', 'GetInvoice', 'GetProducts'],
      },
      // The next invoice, computed without a write.
      {
        route: 'POST /previews',
        calls: ['GetCustomers', 'GetInvoice', 'GetProducts', 'PreviewChange', 'QuoteInvoice'],
      },
      // Both prices, and their products.
      {
        route: 'POST /price-migrations',
        calls: ['CreatePriceMigration', 'GetPrice', 'GetPrice', 'GetProducts', 'GetProducts'],
      },
      { route: 'POST /invoices', calls: ['CreateOneOffInvoice', 'GetCustomers'] },
      { route: 'GET /invoices/:id/pdf', calls: ['GetCustomer', 'GetInvoice'] },
      // A deleted customer gets no balance.
      { route: 'POST /credit-notes', calls: ['CreateCreditNote', 'GetCustomers'] },
      { route: 'GET /credit-notes/:id/pdf', calls: ['GetCreditNote', 'GetCustomer', 'GetInvoice'] },
      { route: 'GET /credit-notes/:id/e-invoice', calls: ['GetCreditNote', 'GetInvoice'] },
      { route: 'POST /refunds/:id/settle', calls: ['GetCustomers', 'SettleRefund'] },
      // The customer's existence and currency.
      { route: 'POST /balance-entries', calls: ['CreateBalanceEntry', 'GetCustomers'] },
      // The event log of each service that has one.
      {
        route: 'GET /webhook-endpoints/:id/gaps',
        calls: ['ListWebhookGaps', ...Array.from({ length: 6 }, () => 'ReadEventLog')],
      },
      // The present address of the customer.
      { route: 'POST /emails/:id/resend', calls: ['GetCustomer', 'ResendEmail'] },
      {
        route: 'POST /invoices/:id/send',
        calls: ['GetBranding', 'GetCustomer', 'GetInvoice', 'SendInvoiceEmail'],
      },
      {
        route: 'POST /email-templates/preview',
        calls: ['GetBranding', 'GetCustomer', 'PreviewEmail'],
      },
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
    expect(withoutNames(cost?.calls)).toEqual(['IngestEvents']);
    expect(withoutNames(ofSlotInUse(cost?.commands))).toEqual(['find meters', ...flush]);
  });

  test('with a thousand unknown customers and meters looks up each kind once', () => {
    expect(ofSlotInUse(costs.get(strangersBatches.unknown)?.commands)).toEqual(
      // Each kind of name, and the first events of a meter and of its customers: due for folding.
      [
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
    expect(withoutNames(known?.calls)).toEqual(['IngestEvents']);
    expect(withoutNames(ofSlotInUse(known?.commands))).toEqual(['find meters', ...flush]);
  });

  test.each([
    ['GET /customers/:id', ['find customers']],
    ['GET /products/:id', ['find products']],
    ['GET /discounts/:id', ['find discounts', 'find redemptionSlots']],
    ['GET /subscriptions/:id', ['find subscriptions']],
    ['GET /invoices/:id', ['find invoices']],
    ['GET /webhook-endpoints/:id', ['find webhookEndpoints']],
    ['GET /sandboxes/clock', ['find environments']],
    // The number of all, and that of the deleted ones.
    ['GET /customers', ['aggregate customers', 'aggregate customers', 'find customers']],
    ['GET /products', ['aggregate products', 'find products']],
    // The list shows two discounts, each with the number of its redemptions.
    [
      'GET /discounts',
      ['aggregate discounts', 'find discounts', 'find redemptionSlots', 'find redemptionSlots'],
    ],
    ['POST /discounts', ['insert discounts']],
    ['POST /discounts/validate', ['find discounts', 'find redemptionSlots']],
    ['GET /subscriptions', ['aggregate subscriptions', 'find subscriptions']],
    ['GET /subscriptions/:id/changes', ['aggregate changes', 'find changes', 'find subscriptions']],
    ['GET /subscriptions/:id/changes/:changeId', ['find subscriptions']],
    ['GET /price-migrations', ['aggregate priceMigrations', 'find priceMigrations']],
    ['GET /price-migrations/:id', ['find priceMigrations']],
    [
      'GET /price-migrations/:id/subscriptions',
      ['aggregate priceMigrationRows', 'find priceMigrationRows', 'find priceMigrations'],
    ],
    [
      'POST /price-migrations/:id/cancel',
      ['find priceMigrations', 'insert keyClaims', 'update priceMigrations'],
    ],
    ['GET /invoices', ['aggregate invoices', 'find invoices']],
    ['GET /balances', ['aggregate balances', 'find balances']],
    ['GET /balance-entries', ['aggregate balanceEntries', 'find balanceEntries']],
    ['GET /balance-entries/:id', ['find balanceEntries']],
    ['GET /credit-notes', ['aggregate creditNotes', 'find creditNotes', 'find invoices']],
    ['GET /credit-notes/:id', ['find creditNotes', 'find invoices']],
    ['GET /refunds', ['aggregate refunds', 'find invoices', 'find refunds']],
    ['GET /refunds/:id', ['find invoices', 'find refunds']],
    ['GET /disputes', ['aggregate disputes', 'find disputes']],
    ['GET /seller', ['find billingSettings']],
    ['GET /portal/settings', ['find portalSettings']],
    ['GET /tax-rates', ['find billingSettings']],
    ['GET /webhook-endpoints', ['aggregate webhookEndpoints', 'find webhookEndpoints']],
    ['GET /webhook-events', ['find feed', 'find feed', 'find feed', 'find messages']],
    ['GET /webhook-events/:id', ['find feed', 'find messages']],
    ['GET /emails', ['aggregate emails', 'find emails']],
    ['GET /emails/:id', ['find emails']],
    ['GET /emails/:id/attachments/:filename', ['find emails']],
    ['GET /email-settings', ['find emailSettings']],
    ['GET /email-templates', ['find emailTemplates']],
    ['GET /email-templates/:kind/:language', ['find emailTemplates']],
    // Read without a span, as all of the state of the system.
    ['GET /restores', []],
    ['GET /sandboxes/inbox', ['aggregate emails', 'find emails']],
    ['GET /api-keys', ['aggregate apiKeys', 'find apiKeys']],
    ['POST /customers', ['insert customers']],
    ['POST /products', ['insert products']],
    // The former values, for the audit log; then the change itself.
    ['PATCH /customers/:id', ['find customers', 'find customers', 'update customers']],
    ['PATCH /products/:id', ['find products', 'find products', 'update products']],
    // The number of redemptions, which the event and the response show.
    [
      'PATCH /discounts/:id',
      [
        'find discounts',
        'find discounts',
        'find discounts',
        'find redemptionSlots',
        'find redemptionSlots',
        'update discounts',
      ],
    ],
    [
      'PATCH /subscriptions/:id',
      ['find subscriptions', 'find subscriptions', 'update subscriptions'],
    ],
    ['POST /subscriptions/:id/cancel', ['find subscriptions', 'update subscriptions']],
    ['POST /subscriptions/:id/uncancel', ['find subscriptions', 'update subscriptions']],
    // Customer and product; then session, seller, number and invoice.
    [
      'POST /checkout',
      [
        'find billingSettings',
        'find brandings',
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
    [
      'PATCH /checkout-links/:id',
      ['find checkoutLinks', 'find checkoutLinks', 'update checkoutLinks'],
    ],
    ['GET /invoices/:id/pdf', ['find customers', 'find invoices']],
    // The first read is for the audit log.
    ['DELETE /api-keys/:id', ['find apiKeys', 'find apiKeys', 'update apiKeys']],
  ])('of %s costs exactly these database commands: %j', (route, commands) => {
    expect(costs.get(route)?.commands).toEqual(commands);
  });

  test('of POST /api-keys reads the calling key before and after, as it may be revoked in between', () => {
    const commands = ['find apiKeys', 'find environments', 'insert apiKeys'];
    // The second read may be one with that of the new key's command.
    expect([commands, ['find apiKeys', ...commands]]).toContainEqual(
      costs.get('POST /api-keys')?.commands,
    );
  });

  test.each(Object.entries(changeCosts))('%s costs exactly %j', (name, { calls, commands }) => {
    const cost = costs.get(name);
    const written = withoutRemoval(cost?.commands);
    expect({ calls: cost?.calls, commands: written }).toEqual({
      calls: calls.toSorted(),
      commands: commands.toSorted(),
    });
  });
});

/** Without the question for names of customers, which metering repeats after five seconds. */
function withoutNames(names: readonly string[] = []): readonly string[] {
  return names.filter((name) => name !== 'IdentifyCustomers' && name !== 'find customers');
}

/**
 * Without the removal of the order of an invoice from the subscription that has ordered it: the
 * call does not wait for it, and it may share a command with removals of other subscriptions.
 */
function withoutRemoval(commands: readonly string[] = []): readonly string[] {
  const first = commands.indexOf('update subscriptions');
  return commands.filter((name, index) => name !== 'update subscriptions' || index === first);
}

/** Without the read for the audit log: a PATCH and a DELETE record the former values. */
function withoutFormerState(route: string, calls: readonly string[]): readonly string[] {
  const former = calls.findIndex((call) => /^(Get|List)/.test(call));
  const isRead = route.startsWith('PATCH ') || route.startsWith('DELETE ');
  return isRead && former >= 0 ? calls.toSpliced(former, 1) : calls;
}

/**
 * Leaves out what a flush costs once, if it has to take a slot into use first, and what every 64th
 * flush of a series costs, counted from a random number: having its parts folded.
 */
function ofSlotInUse(commands: readonly string[] = []): readonly string[] {
  const isTaken = commands.includes('find usageEpoch');
  const once = ['insert usageSlots', 'find usageEpoch', 'findAndModify usageEpoch'];
  const rare = ['update usageSeries'];
  const others = commands.filter((command) => ![...once, ...rare].includes(command));
  // A parked slot is updated twice.
  const [first, ...again] = others.filter((command) => command === 'update usageSlots');
  const rest = others.filter((command) => command !== 'update usageSlots');
  return [...rest, ...(first === undefined ? [] : [first]), ...(isTaken ? [] : again)].toSorted();
}
