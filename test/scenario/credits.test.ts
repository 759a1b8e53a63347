import { type Scenario, toDay } from './scenario';
import { beginEachOn } from './stage';

interface Event {
  readonly at: string;
  readonly quantity?: number | string;
  readonly properties?: object;
}

describe('a month of usage', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-01', (begun) => {
    scenario = begun;
  });

  async function newMeter(input: object): Promise<string> {
    const { client } = scenario;
    const meter = await client.expect(201, client.post('/meters', input));
    return meter.id as string;
  }

  /** Subscribes to a product with these meter prices from 1 January. */
  async function subscribe(prices: readonly object[]): Promise<any> {
    const { client } = scenario;
    const product = await scenario.product();
    const path = `/products/${String(product.id)}/meter-prices`;
    await client.expect(200, client.request('PATCH', path, { body: { prices } }));
    const { id: customerId } = await scenario.customer();
    const authorizedTransactionId = 'txn_4242424242424242';
    const body = { customerId, productId: product.id, authorizedTransactionId };
    return client.expect(201, client.post('/subscriptions', body));
  }

  async function use(
    { customerId }: { customerId: string },
    meterId: string,
    ...sent: readonly Event[]
  ): Promise<void> {
    const events = sent.map(({ at, ...event }) => ({
      customerId,
      meterId,
      timestamp: `${at}:00:00Z`,
      ...event,
    }));
    const { client } = scenario;
    const answer = await client.expect(201, client.post('/events/ingest', { events }));
    expect(answer).toMatchObject({ accepted: events.length, rejected: [] });
  }

  async function grant({ customerId }: { customerId: string }, input: object): Promise<string> {
    const { client } = scenario;
    const path = `/customers/${customerId}/meter-credits`;
    const { id } = await client.expect(201, client.post(path, input));
    return id as string;
  }

  /** Each grant, the first one first, as `spring: 200 = 120 consumed + 80 EXPIRED`. */
  async function grantsOf({ customerId }: { customerId: string }): Promise<string[]> {
    const grants = await scenario.client.all(`/customers/${customerId}/meter-credits`);
    return grants
      .map(
        ({ name, amount, consumed, remaining, status }) =>
          `${String(name)}: ${String(amount)} = ${String(consumed)} consumed + ${String(remaining)} ${String(status)}`,
      )
      .toSorted();
  }

  /** The lines of usage of the latest invoice, as `Calls 2026-01-01: 9 × 10 = 90`. */
  async function usageLines(subscription: { id: string }): Promise<string[]> {
    const invoice = (await scenario.invoices(subscription)).at(-1);
    return invoice.lineItems
      .slice(1)
      .map(
        ({ description, periodStart, quantity, unitAmount, amount }: any) =>
          `${String(description)} ${toDay(String(periodStart))}: ${String(quantity)} × ${String(unitAmount)} = ${String(amount)}`,
      );
  }

  /** The only meter's state, as `60 used, 40 of 100 left, balance 40, 0 beyond, entitled`. */
  async function stateOf({ customerId }: { customerId: string }): Promise<string> {
    const { client } = scenario;
    const [state] = await client.expect(200, client.get(`/customers/${customerId}/state`));
    const { usage, creditsRemaining, creditsGranted, balance, overage, entitled } = state;
    return `${String(usage)} used, ${String(creditsRemaining)} of ${String(creditsGranted)} left, balance ${String(balance)}, ${String(overage)} beyond, ${entitled === true ? 'entitled' : 'not entitled'}`;
  }

  test('that a subscription billed before it ended burns no credits a second time', async () => {
    const meterId = await newMeter({ name: 'Calls' });
    const prices = [{ meterId, unitAmount: '2', includedUnits: '20' }];
    const subscription = await subscribe(prices);
    await grant(subscription, { meterId, amount: 100, name: 'paid' });
    await scenario.advanceTo('2026-01-15');
    await use(subscription, meterId, { at: '2026-01-10T12', quantity: 80 });
    const settled = ['paid: 100 = 60 consumed + 40 ACTIVE'];
    expect(await stateOf(subscription)).toBe(
      '80 used, 40 of 100 left, balance 40, 0 beyond, entitled',
    );
    expect(await grantsOf(subscription)).toEqual(settled);

    await scenario.cancel(subscription, false);
    const afterwards = '80 used, 40 of 100 left, balance 40, 0 beyond, entitled';
    // The last bill is in progress, or complete.
    expect(await stateOf(subscription)).toBe(afterwards);
    await scenario.advanceTo('2026-01-16');
    expect(await stateOf(subscription)).toBe(afterwards);
    expect(await grantsOf(subscription)).toEqual(settled);

    await use(subscription, meterId, { at: '2026-01-15T12', quantity: 50 });
    expect(await stateOf(subscription)).toBe(
      '130 used, 0 of 100 left, balance -10, 10 beyond, not entitled',
    );
  });

  test('without a subscription burns credits permanently, before and between subscriptions, and late events too', async () => {
    const meterId = await newMeter({ name: 'Calls' });
    const { id: customerId } = await scenario.customer();
    await grant({ customerId }, { meterId, amount: 100, name: 'paid', source: 'PAID' });
    await scenario.advanceTo('2026-01-20');
    await use({ customerId }, meterId, { at: '2026-01-10T12', quantity: 60 });
    const left = 'paid: 100 = 60 consumed + 40 ACTIVE';
    expect(await grantsOf({ customerId })).toEqual([left]);
    await scenario.advanceTo('2026-02-10');
    expect(await grantsOf({ customerId })).toEqual([left]);
    await use({ customerId }, meterId, { at: '2026-01-31T12', quantity: 10 });
    expect(await grantsOf({ customerId })).toEqual(['paid: 100 = 70 consumed + 30 ACTIVE']);

    const product = await scenario.product();
    const prices = [{ meterId, unitAmount: '2', includedUnits: '5' }];
    const { client } = scenario;
    const path = `/products/${String(product.id)}/meter-prices`;
    await client.expect(200, client.request('PATCH', path, { body: { prices } }));
    const authorizedTransactionId = 'txn_4242424242424242';
    const body = { customerId, productId: product.id, authorizedTransactionId };
    const subscription = await client.expect(201, client.post('/subscriptions', body));
    await scenario.advanceTo('2026-03-01');
    await use({ customerId }, meterId, { at: '2026-02-20T12', quantity: 40 });
    await scenario.advanceTo('2026-03-11');
    // 5 are included, 30 of 100 were left, 5 are billed.
    expect(await usageLines(subscription)).toEqual(['Calls 2026-02-10: 40 × 2 = 10']);
    const gone = ['paid: 100 = 100 consumed + 0 DEPLETED'];
    expect(await grantsOf({ customerId })).toEqual(gone);
    await scenario.cancel(subscription, false);
    for (const day of ['2026-03-12', '2026-04-02', '2026-06-02']) {
      await scenario.advanceTo(day);
      expect(await grantsOf({ customerId })).toEqual(gone);
      expect(await stateOf({ customerId })).toMatch(/0 of 100 left, balance 0, .* not entitled$/);
    }
  });

  test('beyond its included units burns credits by priority while they are valid, and the rest is billed by the tiers', async () => {
    const meterId = await newMeter({ name: 'Calls' });
    const tiers = [
      { upTo: '100', unitAmount: '1', flatAmount: '50' },
      { upTo: null, unitAmount: '0.25' },
    ];
    const subscription = await subscribe([
      { meterId, type: 'TIERED', tiers, includedUnits: '500' },
    ]);
    const lasting = await grant(subscription, {
      meterId,
      amount: 150,
      name: 'lasting',
      source: 'PAID',
      priority: 20,
    });
    const spring = await grant(subscription, {
      meterId,
      amount: 200,
      name: 'spring',
      priority: 10,
      expiresAt: '2026-01-15T00:00:00Z',
    });
    await scenario.advanceTo('2026-01-25');
    await use(
      subscription,
      meterId,
      // 450 and 50 are included; 70 and 30.5 take of the first by priority; then only the other one
      // is valid: 150 of 360.
      { at: '2026-01-20T12', quantity: 260 },
      { at: '2026-01-05T12', quantity: 450 },
      { at: '2026-01-14T23', quantity: '30.5' },
      { at: '2026-01-15T00', quantity: 100 },
      { at: '2026-01-10T12', quantity: 120 },
    );
    const afterwards = [
      'lasting: 150 = 150 consumed + 0 DEPLETED',
      'spring: 200 = 100.5 consumed + 99.5 EXPIRED',
    ];
    expect(await grantsOf(subscription)).toEqual(afterwards);

    await scenario.advanceTo('2026-02-10');
    // 100 × 1 + 50 and 110 × 0.25 = 27.5.
    expect(await usageLines(subscription)).toEqual(['Calls 2026-01-01: 960.5 × null = 178']);
    const [, renewal] = await scenario.invoices(subscription);
    expect(renewal).toMatchObject({ status: 'PAID', subtotal: 3177, total: 3177 });
    expect(renewal.lineItems[1].details).toEqual({
      includedUnits: '500',
      billedQuantity: '210',
      exactAmount: '177.5',
      creditsUsed: [
        { grantId: spring, quantity: '100.5' },
        { grantId: lasting, quantity: '150' },
      ],
      tiers: [
        { upTo: '100', quantity: '100', unitAmount: '1', flatAmount: '50', amount: '150' },
        { upTo: null, quantity: '110', unitAmount: '0.25', flatAmount: '0', amount: '27.5' },
      ],
    });
    expect(await grantsOf(subscription)).toEqual(afterwards);
  });

  test('that arrives late burns the credits that were valid when it happened', async () => {
    const meterId = await newMeter({ name: 'Calls' });
    const subscription = await subscribe([{ meterId, unitAmount: '2' }]);
    const spring = await grant(subscription, {
      meterId,
      amount: 50,
      name: 'spring',
      expiresAt: '2026-01-15T00:00:00Z',
    });
    await scenario.advanceTo('2026-01-25');
    await use(subscription, meterId, { at: '2026-01-10T12', quantity: 20 });
    await scenario.advanceTo('2026-02-05');
    expect(await usageLines(subscription)).toEqual(['Calls 2026-01-01: 20 × 2 = 0']);
    await use(subscription, meterId, { at: '2026-01-11T12', quantity: 45 });
    await scenario.advanceTo('2026-03-01');
    // 30 of the 45 are still covered.
    expect(await usageLines(subscription)).toEqual(['Calls 2026-01-01: 45 × 2 = 30']);
    const late = (await scenario.invoices(subscription)).at(-1).lineItems[1];
    expect(late.details).toMatchObject({
      billedQuantity: '15',
      creditsUsed: [{ grantId: spring, quantity: '30' }],
    });
    expect(await grantsOf(subscription)).toEqual(['spring: 50 = 50 consumed + 0 DEPLETED']);
  });

  test("is billed by its meter's aggregation: count, maximum, last and number of distinct values", async () => {
    const meters = await Promise.all(
      [
        { name: 'Count', aggregation: 'COUNT' },
        { name: 'Largest', aggregation: 'MAX' },
        { name: 'Last', aggregation: 'LATEST' },
        { name: 'Different', aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' },
      ].map(newMeter),
    );
    const subscription = await subscribe(
      meters.map((meterId, index) => ({
        meterId,
        unitAmount: String(10 * (index + 1)),
        includedUnits: '1',
      })),
    );
    await scenario.advanceTo('2026-01-25');
    const events: Event[] = [
      { at: '2026-01-20T12', quantity: 7, properties: { user: 'ada' } },
      { at: '2026-01-05T12', quantity: 9, properties: { user: 'bob' } },
      { at: '2026-01-21T12', quantity: '4.5', properties: { user: 'ada' } },
      { at: '2026-01-20T13', quantity: 3, properties: { user: 'cyd' } },
      { at: '2026-01-01T00', quantity: 2 },
    ];
    for (const meterId of meters) await use(subscription, meterId, ...events);
    await scenario.advanceTo('2026-02-01');
    expect(await usageLines(subscription)).toEqual([
      'Count 2026-01-01: 5 × 10 = 40',
      'Largest 2026-01-01: 9 × 20 = 160',
      'Last 2026-01-01: 4.5 × 30 = 105',
      'Different 2026-01-01: 3 × 40 = 80',
    ]);
    expect(await scenario.invoices(subscription)).toMatchObject([
      { total: 2999 },
      { status: 'PAID', total: 3384 },
    ]);
    await scenario.advanceTo('2026-03-01');
    // A new month begins without usage.
    expect(await usageLines(subscription)).toEqual([]);
  });

  test('over tiers is bounded by the minimum and the maximum of its price', async () => {
    const meters = await Promise.all(['Low', 'High'].map((name) => newMeter({ name })));
    const tiers = [
      { upTo: '10', unitAmount: '5' },
      { upTo: null, unitAmount: '3' },
    ];
    const bounds = { minimumAmount: 40, maximumAmount: 60 };
    const subscription = await subscribe(
      meters.map((meterId) => ({ meterId, type: 'TIERED', tiers, ...bounds })),
    );
    await scenario.advanceTo('2026-01-25');
    await use(subscription, meters[0] ?? '', { at: '2026-01-05T12', quantity: 2 });
    await use(subscription, meters[1] ?? '', { at: '2026-01-05T12', quantity: 20 });
    await scenario.advanceTo('2026-02-01');
    expect(await usageLines(subscription)).toEqual([
      'Low 2026-01-01: 2 × null = 40',
      'High 2026-01-01: 20 × null = 60',
    ]);
  });
});
