import { type CreationCost, creations, measureCreationCosts } from './creation-costs';
import type { IdleCosts } from './idle-costs';

describe('until all its work is done,', () => {
  let costs: readonly CreationCost[];
  let idle: IdleCosts;

  beforeAll(async () => {
    ({ creations: costs, idle } = await measureCreationCosts());
  }, 900_000);

  const servicesOf = (name: string) => costs.find((cost) => cost.name === name)?.services;

  // Events of several subjects that are logged or accepted within a moment share each command.
  const logCommands = { 'insert eventLog': expect.any(Number) as number };
  const acceptCommands = {
    'find feed': expect.any(Number) as number,
    'find messages': expect.any(Number) as number,
    'find webhookEndpoints': expect.any(Number) as number,
    'insert feed': expect.any(Number) as number,
    'insert messages': expect.any(Number) as number,
    // The mail maker reads the feed in runs, as events arrive.
    'find mailPositions': expect.any(Number) as number,
    'update mailPositions': expect.any(Number) as number,
  };
  // The receipt, made from the event with the customer, the branding and the seller.
  const receiptCommands = {
    'find emailSettings': 1,
    'find emailSuppressions': 1,
    'find emailTemplates': 1,
    'insert emails': 1,
  };

  test('a subscription with an authorized payment costs exactly this', () => {
    const services = servicesOf(creations.subscription);
    // A write that finds the payer changed in between reads it again.
    const { 'find payers': reads = 0, ...commands } = services?.checkout?.commands ?? {};
    expect(reads).toBeLessThanOrEqual(1);
    expect({ ...services, checkout: { ...services?.checkout, commands } }).toEqual({
      catalog: {
        calls: {
          GetProducts: 1,
        },
        commands: {
          'find products': 1,
        },
        published: {},
        written: 0,
      },
      checkout: {
        calls: {
          CreateInvoice: 1,
          GetBranding: 1,
          GetEventLogEntries: 1,
        },
        commands: {
          'find billingSettings': 2,
          'find brandings': 2,
          // The event of the receipt, for its PDF.
          'find eventLog': 1,
          'find invoices': 2,
          ...logCommands,
          // To charge, and for the card that the invoice shows.
          'find paymentMethods': 2,
          'insert invoiceNumbers': 1,
          'insert invoices': 1,
          'insert payers': 1,
          'insert paymentMethods': 1,
          'insert sandboxAuthorizations': 1,
          'insert sandboxCharges': 1,
          'insert sandboxMethods': 1,
          'insert subscriptionMethods': 1,
          'update invoices': 3,
          'update payers': 1,
          'update sandboxAuthorizations': 1,
        },
        published: {
          'checkout.invoice.created': 1,
          'checkout.invoice.paid': 1,
          'checkout.payment_method.added': 1,
        },
        // Each event in the log; nothing else is written for it.
        written: 16,
      },
      customer: {
        calls: {
          FixCurrency: 1,
          GetCustomer: 1,
          GetCustomers: 1,
        },
        commands: {
          'find customers': 3,
          'update customers': 1,
        },
        published: {},
        written: 1,
      },
      notifier: {
        calls: {},
        commands: { ...acceptCommands, ...receiptCommands },
        published: {},
        // Each event in its message and in the feed, the receipt, and positions of the mail maker.
        written: expect.any(Number),
      },
      subscription: {
        calls: {
          ApplyCollectionResult: 1,
          CreateSubscription: 1,
        },
        commands: {
          'find subscriptions': 1,
          'insert eventLog': 2,
          'insert subscriptions': 1,
          'update subscriptions': 3,
        },
        published: {
          'subscription.subscription.created': 1,
          'subscription.subscription.payment_succeeded': 1,
        },
        written: 6,
      },
    });
  });

  test('a checkout session that is paid on its page costs exactly this, and few polls', () => {
    const services = servicesOf(creations.checkout);
    const commands = services?.checkout?.commands ?? {};
    // A call that waits for the payment reads both again every quarter of a second.
    expect(commands['find checkoutSessions']).toBeLessThanOrEqual(14);
    expect(commands['find invoices']).toBeLessThanOrEqual(14);
    expect(services).toEqual({
      catalog: {
        calls: {
          GetMeterPrices: 3,
          GetProducts: 4,
        },
        commands: {
          'find products': 7,
        },
        published: {},
        written: 0,
      },
      checkout: {
        calls: {
          BeginCardEntry: 1,
          CreateSession: 1,
          FindHostedPage: 3,
          // Once for the mail; for pages once in ten seconds.
          GetBranding: expect.any(Number) as number,
          GetEventLogEntries: 1,
          GetSession: 3,
          PaySession: 1,
          SavePaymentMethod: 1,
        },
        commands: {
          'find billingSettings': expect.any(Number) as number,
          'find brandings': expect.any(Number) as number,
          'find checkoutSessions': expect.any(Number) as number,
          'find eventLog': 1,
          'find invoices': expect.any(Number) as number,
          'find payers': 2,
          'find paymentMethods': 3,
          'find refusedAttempts': 1,
          'find sandboxChallenges': 1,
          'find sandboxCharges': 1,
          'find sandboxMethods': 1,
          'insert checkoutSessions': 1,
          ...logCommands,
          'insert invoiceNumbers': 1,
          'insert invoices': 1,
          'insert payers': 1,
          'insert paymentMethods': 1,
          'insert sandboxCharges': 1,
          'insert sandboxMethods': 1,
          'insert subscriptionMethods': 1,
          'update checkoutSessions': 5,
          'update invoices': 4,
          'update payers': 1,
          'update refusedAttempts': 1,
        },
        published: {
          'checkout.checkout.completed': 1,
          'checkout.invoice.created': 1,
          'checkout.invoice.paid': 1,
          'checkout.payment_method.added': 1,
        },
        written: 23,
      },
      customer: {
        calls: { FixCurrency: 1, GetCustomer: 1, GetCustomers: 2 },
        commands: { 'find customers': 4, 'update customers': 1 },
        published: {},
        written: 1,
      },
      notifier: {
        calls: {},
        commands: { ...acceptCommands, ...receiptCommands },
        published: {},
        written: expect.any(Number),
      },
      subscription: {
        calls: { CreateFromCheckout: 1 },
        commands: {
          'insert eventLog': 2,
          'insert subscriptions': 1,
          'update subscriptions': 1,
        },
        published: {
          'subscription.subscription.created': 1,
          'subscription.subscription.payment_succeeded': 1,
        },
        written: 4,
      },
    });
  });

  describe('a system that is idle before,', () => {
    test('writes nothing but heartbeats', () => {
      const writes = Object.values(idle.services)
        .flatMap((commands) => Object.keys(commands))
        .filter((name) => !isRead(name) && name !== 'update replicas' && !isOfNewMonth(name));
      expect(writes).toEqual([]);
    });

    test('reads no more than the intervals of its loops say', () => {
      const tooMany = Object.entries(idle.services).flatMap(([service, commands]) =>
        Object.entries(commands)
          .map(([name, count]) => ({ service, name, count, most: mostIn(idle.ms, service, name) }))
          .filter(({ count, most }) => count > most),
      );
      expect(tooMany).toEqual([]);
    });
  });
});

function isRead(name: string): boolean {
  return /^(find|aggregate|count|distinct|listIndexes|getMore|killCursors) /.test(name);
}

// At the beginning of a month its generation of usage events begins; a week before it is made.
function isOfNewMonth(name: string): boolean {
  return name === 'update usageEpoch' || name.startsWith('createIndexes usageEvents');
}

/** Seconds between two commands of a kind in an idle system; absent: half a minute or more. */
const idleEverySeconds: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  all: {
    // The state of the system is read every second, half of the time with the heartbeats.
    'find system': 2,
    'aggregate replicas': 2,
    'update replicas': 2,
    'find deletedEnvironments': 5,
    // The notifier compares each log with what it has accepted; only an empty log has no position.
    'find eventLog': 5,
    'find eventLogMarks': 5,
  },
  // One look for due work, and one for outboxes.
  catalog: { 'aggregate products': 5 },
  checkout: { 'aggregate invoices': 2.5 },
  customer: { 'aggregate customers': 5, 'find customers': 5 },
  discount: { 'aggregate discounts': 5 },
  identity: { 'aggregate apiKeys': 5, 'aggregate environments': 5 },
  metering: {
    'aggregate meters': 5,
    'find usageSeries': 5,
    // The generations are read every ten seconds.
    'find usageEpoch': 1.6,
    'find usageSlots': 2,
  },
  notifier: {
    'aggregate emails': 5,
    'aggregate webhookEndpoints': 5,
    'find deliveries': 5,
    'find replays': 5,
    'find eventLogCursors': 5,
    // Due ones, and whether there are any when the overlap of a log is read.
    'find awaitedEvents': 2.5,
  },
  subscription: { 'aggregate subscriptions': 2.5 },
};

function mostIn(ms: number, service: string, name: string): number {
  const seconds = idleEverySeconds[service]?.[name] ?? idleEverySeconds.all?.[name] ?? 30;
  // Jitter shortens pauses by up to a fifth.
  return Math.ceil(ms / (seconds * 800)) + 1;
}
