import { eventually } from '@billing/chassis/testing';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const patience = { everyMs: 100 };
const warnings = [
  ...['subscription.trial_ending', 'subscription.renewal_upcoming'],
  ...['payment_method.expiring', 'invoice.overdue', 'invoice.reminded'],
  'invoice.uncollectible',
];

const expectWarnings = (scenario: Scenario, expected: readonly string[]) =>
  eventually(async () => {
    expect(await scenario.feed(warnings)).toEqual(expected);
  }, patience);

describe('a payer', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-17', (begun) => {
    scenario = begun;
  });

  const expectFeed = (expected: readonly string[]) => expectWarnings(scenario, expected);

  test('is warned of the end of the trial and of each yearly renewal', async () => {
    const product = { billingInterval: 'YEARLY', trialDays: 14 };
    const subscribe = (price: object, name: string) =>
      scenario.subscription({ product: price, authorizedTransactionId: `${cards.good}_${name}` });
    const { id } = await subscribe(product, 'trial');
    await subscribe({ trialDays: 3 }, 'short');
    await subscribe({ billingInterval: 'QUARTERLY' }, 'quarter');
    const undone = await subscribe(product, 'undone');
    await scenario.advanceTo('2026-01-20');
    await scenario.cancel(undone, true);
    await scenario.advanceTo('2026-01-29');
    const path = `/subscriptions/${String(undone.id)}/uncancel`;
    await scenario.client.expect(200, scenario.client.post(path, {}));
    await scenario.advanceTo('2027-02-01');
    await expectFeed([
      '2026-01-28 subscription.trial_ending',
      '2027-01-01 subscription.renewal_upcoming',
      '2027-01-01 subscription.renewal_upcoming',
    ]);
    const feed = '/webhook-events?types=subscription.trial_ending';
    const { data } = await scenario.client.expect(200, scenario.client.get(feed));
    expect(data[0].event).toMatchObject({
      data: {
        subscriptionId: id,
        subscription: { phase: 'TRIAL' },
        upcoming: { at: '2026-01-31T00:00:00.000Z', amount: 2999, currency: 'USD' },
      },
    });
  });

  test('is reminded of a sent invoice after its due date', async () => {
    await scenario.advanceTo('2026-02-01');
    const { id: customerId } = await scenario.customer();
    const lines = [{ description: 'Setup', amount: 5000 }];
    const body = { customerId, collectionMethod: 'SEND_INVOICE', finalize: true, lines };
    await scenario.client.expect(201, scenario.client.post('/invoices', body));
    await scenario.advanceTo('2026-05-01');
    await expectFeed([
      '2026-03-03 invoice.overdue',
      '2026-03-06 invoice.reminded 1',
      '2026-03-10 invoice.reminded 2',
      '2026-03-17 invoice.reminded 3',
    ]);
  });

  test('is reminded at the dates of dunning at which no card can be charged', async () => {
    const authorizedTransactionId = 'txn_4000000000009979';
    await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-01');
    await expectFeed([
      '2026-01-20 invoice.reminded 1',
      '2026-01-24 invoice.reminded 2',
      '2026-01-31 invoice.uncollectible',
    ]);
  });
});

// Cards are checked against the real date.
describe('a payer whose card is valid through 2034', () => {
  let scenario: Scenario;

  beginEachOn('2034-10-31', (begun) => {
    scenario = begun;
  });

  test('is warned of its expiry while a subscription is charged to it', async () => {
    const session = await scenario.session();
    await scenario.payOn(session.checkoutUrl);
    const ended = await scenario.session();
    await scenario.payOn(ended.checkoutUrl);
    const { subscription } = await scenario.readSession(ended);
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2035-01-05');
    await expectWarnings(scenario, ['2034-12-02 payment_method.expiring']);
  });
});
