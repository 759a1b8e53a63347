import { cards, type Scenario, toDay } from './scenario';
import { beginEachOn } from './stage';

describe('usage', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-01', (begun) => {
    scenario = begun;
  });

  async function newMeter(name: string, aggregation = 'SUM'): Promise<string> {
    const { client } = scenario;
    const meter = await client.expect(201, client.post('/meters', { name, aggregation }));
    return meter.id as string;
  }

  async function price(product: { id: string }, prices: readonly object[]): Promise<void> {
    const path = `/products/${product.id}/meter-prices`;
    const { client } = scenario;
    await client.expect(200, client.request('PATCH', path, { body: { prices } }));
  }

  /** A subscription to a product with meter prices, begun on 1 January. */
  async function subscribe(
    prices: readonly object[],
    {
      product: changes = {},
      ...payment
    }: { product?: object; authorizedTransactionId?: string; discountId?: string } = {},
  ): Promise<any> {
    const { client } = scenario;
    const product = await scenario.product(changes);
    await price(product, prices);
    const { id: customerId } = await scenario.customer();
    const authorizedTransactionId = 'txn_4242424242424242';
    const body = { customerId, productId: product.id, authorizedTransactionId, ...payment };
    return client.expect(201, client.post('/subscriptions', body));
  }

  async function use(
    { customerId }: { customerId: string },
    meterId: string,
    ...events: readonly (readonly [at: string, quantity: number | string])[]
  ): Promise<void> {
    const body = {
      events: events.map(([at, quantity]) => ({
        customerId,
        meterId,
        quantity,
        timestamp: `${at}T12:00:00Z`,
      })),
    };
    const { client } = scenario;
    const answer = await client.expect(201, client.post('/events/ingest', body));
    expect(answer).toMatchObject({ accepted: events.length, rejected: [] });
  }

  /** Each invoice as its reason, total and lines, `Calls 2026-01-01: 300 × 0.5 = 100`. */
  async function invoiced(subscription: { id: string }): Promise<unknown[]> {
    return (await scenario.invoices(subscription)).map((invoice) => [
      String(invoice.billingReason).replace('SUBSCRIPTION_', ''),
      invoice.total,
      ...invoice.lineItems.map(
        ({ description, periodStart, quantity, unitAmount, amount }: any) =>
          `${String(description)} ${toDay(String(periodStart))}: ${String(quantity)} × ${String(unitAmount)} = ${String(amount)}`,
      ),
    ]);
  }

  const created = ['CREATE', 2999, 'Pro 2026-01-01: 1 × 2999 = 2999'];

  test('is shown by previews as the next invoice, and the invoice of an end, will bill it', async () => {
    const { client } = scenario;
    const meterId = await newMeter('Calls');
    const prices = [{ meterId, type: 'PER_UNIT', unitAmount: '2', includedUnits: '100' }];
    const subscription = await subscribe(prices, { product: { type: 'PER_UNIT', amount: 500 } });
    await scenario.advanceTo('2026-01-20');
    await use(subscription, meterId, ['2026-01-10', 150]);
    const asked = (kind: string, more: object = {}): Promise<any> =>
      client.expect(
        200,
        client.post('/previews', { kind, subscriptionId: subscription.id, ...more }),
      );
    const amountsOf = ({ lineItems }: any) =>
      lineItems.map(({ kind, quantity, amount }: any) => [kind, quantity, amount]);
    const ofUsage = ['USAGE', '150', 100];
    const { nextInvoice } = await asked('NEXT_INVOICE');
    expect(nextInvoice).toMatchObject({ total: 600, estimated: true });
    const changed = await asked('CHANGE', { change: { quantity: 3, at: 'PERIOD_END' } });
    expect(amountsOf(changed.nextInvoice)).toEqual([['RECURRING', '3', 1500], ofUsage]);
    const { usageInvoice: shown } = await asked('CANCEL');
    expect(shown).toMatchObject({ total: 100, estimated: true });

    await scenario.advanceTo('2026-02-01');
    const [, renewal] = await scenario.invoices(subscription);
    expect(amountsOf(nextInvoice)).toEqual(amountsOf(renewal));
    await scenario.advanceTo('2026-02-10');
    await use(subscription, meterId, ['2026-02-01', 130], ['2026-01-11', 5]);
    const { usageInvoice, token } = await asked('CANCEL');
    const path = `/subscriptions/${subscription.id as string}/cancel`;
    await client.expect(200, client.post(path, { previewToken: token }));
    await scenario.advanceTo('2026-02-11');
    const final = (await scenario.invoices(subscription)).at(-1);
    expect(final).toMatchObject({ billingReason: 'SUBSCRIPTION_CANCEL', total: 70 });
    expect(amountsOf(usageInvoice)).toEqual(amountsOf(final));
  });

  test('of an end takes a discount once, although later usage makes a second invoice', async () => {
    const meterId = await newMeter('Calls');
    const prices = [{ meterId, type: 'PER_UNIT', unitAmount: '1' }];
    const once = { type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await scenario.discount(once);
    const subscription = await subscribe(prices, { product: { amount: 0 }, discountId });
    await scenario.advanceTo('2026-01-20');
    await use(subscription, meterId, ['2026-01-10', 100]);
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2026-01-21');
    await use(subscription, meterId, ['2026-01-11', 100]);
    await scenario.advanceTo('2026-03-01');
    const amounts = (await scenario.invoices(subscription))
      .filter(({ billingReason }) => billingReason === 'SUBSCRIPTION_CANCEL')
      .map(({ subtotal, discountAmount }) => [subtotal, discountAmount]);
    expect(amounts).toEqual([
      [100, 50],
      [100, 0],
    ]);
  });

  test('of a month is billed by tiers beyond the included units, and a late event bills the difference on the next invoice', async () => {
    const meterId = await newMeter('Calls');
    const tiers = [
      { upTo: '100', unitAmount: '1', flatAmount: '50' },
      { upTo: null, unitAmount: '0.25' },
    ];
    const subscription = await subscribe([
      { meterId, type: 'TIERED', tiers, includedUnits: '1000' },
    ]);
    await scenario.advanceTo('2026-01-20');
    await use(subscription, meterId, ['2026-01-05', 900], ['2026-01-19', '300.5']);
    await scenario.advanceTo('2026-02-10');
    // 1,200.5 units, 200.5 of them billed: 100 × 1 + 50, then 100.5 × 0.25 = 25.125.
    expect(await invoiced(subscription)).toEqual([
      created,
      ['CYCLE', 3174, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 1200.5 × null = 175'],
    ]);
    await use(subscription, meterId, ['2026-01-31', 100], ['2026-02-02', 7]);
    await scenario.advanceTo('2026-03-01');
    expect((await invoiced(subscription))[2]).toEqual([
      'CYCLE',
      3024,
      'Pro 2026-03-01: 1 × 2999 = 2999',
      'Calls 2026-02-01: 7 × null = 0',
      'Calls 2026-01-01: 100 × null = 25',
    ]);
    const [, { lineItems }] = await scenario.invoices(subscription);
    expect(lineItems[1]).toMatchObject({
      meterId,
      details: {
        includedUnits: '1000',
        billedQuantity: '200.5',
        exactAmount: '175.125',
        creditsUsed: [],
        tiers: [
          { upTo: '100', quantity: '100', unitAmount: '1', flatAmount: '50', amount: '150' },
          { upTo: null, quantity: '100.5', unitAmount: '0.25', flatAmount: '0', amount: '25.125' },
        ],
      },
    });
  });

  test('at the exact instant of an immediate cancellation is billed', async () => {
    const meterId = await newMeter('Calls');
    const subscription = await subscribe([{ meterId, unitAmount: '100' }]);
    const { client } = scenario;
    const events = [{ customerId: subscription.customerId, meterId, quantity: 7 }];
    await client.expect(201, client.post('/events/ingest', { events }));
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2026-03-01');
    // Both have the same time.
    const invoices = await invoiced(subscription);
    expect(invoices).toHaveLength(2);
    const final = ['CANCEL', 700, 'Calls 2026-01-01: 7 × 100 = 700'];
    expect(invoices).toEqual(expect.arrayContaining([created, final]));
  });

  test('so far is billed by a cancellation in the middle of a period, and late usage 36 days after', async () => {
    const meterId = await newMeter('Calls');
    const subscription = await subscribe([{ meterId, unitAmount: '2' }]);
    await scenario.advanceTo('2026-01-15');
    await use(subscription, meterId, ['2026-01-10', 30]);
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2026-01-16');
    const final = ['CANCEL', 60, 'Calls 2026-01-01: 30 × 2 = 60'];
    expect(await invoiced(subscription)).toEqual([created, final]);
    await use(subscription, meterId, ['2026-01-14', 5], ['2026-01-15', 1000]);
    await scenario.advanceTo('2026-03-01');
    expect(await invoiced(subscription)).toEqual([
      created,
      final,
      ['CANCEL', 10, 'Calls 2026-01-01: 5 × 2 = 10'],
    ]);
  });

  test('that arrives after two bills of its period is billed by the next invoice, whether the subscription continues or is canceled', async () => {
    const meterId = await newMeter('Calls');
    const kept = await subscribe([{ meterId, unitAmount: '2' }]);
    const canceled = await subscribe([{ meterId, unitAmount: '0.5' }], {
      authorizedTransactionId: `${cards.good}_2`,
    });
    await scenario.advanceTo('2026-01-20');
    for (const subscription of [kept, canceled]) {
      await use(subscription, meterId, ['2026-01-19', 10]);
    }
    await scenario.advanceTo('2026-03-03');
    await use(kept, meterId, ['2026-01-30', 50], ['2026-03-02', 4]);
    await use(canceled, meterId, ['2026-01-31', 7], ['2026-02-28', 8]);
    await scenario.advanceTo('2026-03-20');
    await scenario.cancel(canceled, false);
    await scenario.advanceTo('2026-05-10');
    expect((await invoiced(kept)).slice(1)).toEqual([
      ['CYCLE', 3019, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 10 × 2 = 20'],
      ['CYCLE', 2999, 'Pro 2026-03-01: 1 × 2999 = 2999'],
      [
        'CYCLE',
        3107,
        'Pro 2026-04-01: 1 × 2999 = 2999',
        'Calls 2026-03-01: 4 × 2 = 8',
        'Calls 2026-01-01: 50 × 2 = 100',
      ],
      ['CYCLE', 2999, 'Pro 2026-05-01: 1 × 2999 = 2999'],
    ]);
    // January's 17 come to 8.5 cents, 9, and 5 are billed already.
    expect((await invoiced(canceled)).slice(1)).toEqual([
      ['CYCLE', 3004, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 10 × 0.5 = 5'],
      ['CYCLE', 2999, 'Pro 2026-03-01: 1 × 2999 = 2999'],
      ['CANCEL', 8, 'Calls 2026-01-01: 7 × 0.5 = 4', 'Calls 2026-02-01: 8 × 0.5 = 4'],
    ]);
  });

  test('of a meter that is deleted in the middle of a period is billed all the same', async () => {
    const { client } = scenario;
    const meterId = await newMeter('Peak', 'MAX');
    const subscription = await subscribe([{ meterId, unitAmount: '10', minimumAmount: 55 }]);
    await scenario.advanceTo('2026-01-15');
    await use(subscription, meterId, ['2026-01-10', 3], ['2026-01-11', 9], ['2026-01-12', 4]);
    await client.expect(204, client.delete(`/meters/${meterId}`));
    await scenario.advanceTo('2026-03-01');
    expect((await invoiced(subscription)).slice(1)).toEqual([
      ['CYCLE', 3089, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Peak 2026-01-01: 9 × 10 = 90'],
      ['CYCLE', 3054, 'Pro 2026-03-01: 1 × 2999 = 2999', 'Peak 2026-02-01: 0 × 10 = 55'],
    ]);
  });

  test('that is corrected after its bill reduces the next invoice', async () => {
    const meterId = await newMeter('Calls');
    const subscription = await subscribe([{ meterId, unitAmount: '400' }]);
    await scenario.advanceTo('2026-01-20');
    await use(subscription, meterId, ['2026-01-10', 10]);
    await scenario.advanceTo('2026-02-02');
    await use(subscription, meterId, ['2026-01-11', -9]);
    await scenario.advanceTo('2026-04-01');
    expect((await invoiced(subscription)).slice(1)).toEqual([
      ['CYCLE', 6999, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 10 × 400 = 4000'],
      ['CYCLE', 0, 'Pro 2026-03-01: 1 × 2999 = 2999', 'Calls 2026-01-01: -9 × 400 = -2999'],
      ['CYCLE', 2398, 'Pro 2026-04-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 0 × null = -601'],
    ]);
  });

  test('that exceeds the maximum invoice amount is billed with the rest after its correction, also after a cancellation', async () => {
    const [calls, texts] = [await newMeter('Calls'), await newMeter('Texts')];
    const prices = [calls, texts].map((meterId) => ({
      meterId,
      type: 'PER_UNIT',
      unitAmount: '100',
    }));
    const both = [
      await subscribe(prices),
      await subscribe(prices, { authorizedTransactionId: `${cards.good}_2` }),
    ];
    const [running, canceled] = both;
    await scenario.advanceTo('2026-01-20');
    for (const subscription of both) {
      await use(subscription, calls, ['2026-01-05', 1_000_000_000]);
      await use(subscription, texts, ['2026-01-06', 10]);
    }
    await scenario.advanceTo('2026-02-05');
    await scenario.cancel(canceled, false);
    for (const subscription of both) {
      expect(await invoiced(subscription)).toEqual([created]);
      await use(subscription, calls, ['2026-01-07', -1_000_000_000]);
      await use(subscription, texts, ['2026-02-02', 1]);
    }
    await scenario.advanceTo('2026-02-07');
    expect(await invoiced(running)).toEqual([
      created,
      ['CYCLE', 3999, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Texts 2026-01-01: 10 × 100 = 1000'],
    ]);
    expect(await invoiced(canceled)).toEqual([
      created,
      ['CANCEL', 1100, 'Texts 2026-02-01: 1 × 100 = 100', 'Texts 2026-01-01: 10 × 100 = 1000'],
    ]);
    await scenario.advanceTo('2026-03-01');
    expect((await invoiced(running))[2]).toEqual([
      'CYCLE',
      3099,
      'Pro 2026-03-01: 1 × 2999 = 2999',
      'Texts 2026-02-01: 1 × 100 = 100',
    ]);
  });

  test('is billed by the rates with which its period began', async () => {
    const meterId = await newMeter('Calls');
    const subscription = await subscribe([{ meterId, unitAmount: '2' }]);
    await price({ id: subscription.productId as string }, [{ meterId, unitAmount: '3' }]);
    await scenario.advanceTo('2026-01-10');
    await use(subscription, meterId, ['2026-01-09', 10]);
    await scenario.advanceTo('2026-02-10');
    await use(subscription, meterId, ['2026-02-09', 10]);
    await scenario.advanceTo('2026-03-01');
    expect((await invoiced(subscription)).slice(1)).toEqual([
      ['CYCLE', 3019, 'Pro 2026-02-01: 1 × 2999 = 2999', 'Calls 2026-01-01: 10 × 2 = 20'],
      ['CYCLE', 3029, 'Pro 2026-03-01: 1 × 2999 = 2999', 'Calls 2026-02-01: 10 × 3 = 30'],
    ]);
  });

  test('of a subscription that a checkout sold is billed from its payment on', async () => {
    const { client } = scenario;
    const meterId = await newMeter('Calls');
    const product = await scenario.product();
    await price(product, [{ meterId, unitAmount: '2' }]);
    const { id: customerId } = await scenario.customer();
    await scenario.advanceTo('2026-01-03');
    // No subscription existed yet.
    await use({ customerId }, meterId, ['2026-01-02', 1000]);
    const order = { customerId, productId: product.id };
    const session = await client.expect(201, client.post('/checkout', order));
    await scenario.payOn(session.checkoutUrl as string);
    const { subscription } = await scenario.readSession(session);
    await scenario.advanceTo('2026-01-20');
    await use({ customerId }, meterId, ['2026-01-03', 20], ['2026-01-19', 10]);
    await scenario.advanceTo('2026-02-10');
    expect(await invoiced(subscription)).toEqual([
      ['CHECKOUT', 2999, 'Pro 2026-01-03: 1 × 2999 = 2999'],
      ['CYCLE', 3059, 'Pro 2026-02-03: 1 × 2999 = 2999', 'Calls 2026-01-03: 30 × 2 = 60'],
    ]);
  });

  test('in a trial is free permanently, and billed from the trial’s end on', async () => {
    const meterId = await newMeter('Calls');
    const prices = [{ meterId, unitAmount: '2', minimumAmount: 500 }];
    const subscription = await subscribe(prices, { product: { trialDays: 14 } });
    await scenario.advanceTo('2026-01-12');
    await use(subscription, meterId, ['2026-01-10', 1000]);
    const { client } = scenario;
    const path = `/customers/${String(subscription.customerId)}/state`;
    expect(await client.expect(200, client.get(path))).toMatchObject([
      { usage: '1000', estimatedAmount: 0, entitled: true },
    ]);
    await scenario.advanceTo('2026-02-01');
    await use(subscription, meterId, ['2026-01-14', 1000], ['2026-01-15', 300]);
    await scenario.advanceTo('2026-03-15');
    expect(await invoiced(subscription)).toEqual([
      ['CYCLE', 2999, 'Pro 2026-01-15: 1 × 2999 = 2999'],
      ['CYCLE', 3599, 'Pro 2026-02-15: 1 × 2999 = 2999', 'Calls 2026-01-15: 300 × 2 = 600'],
      ['CYCLE', 3499, 'Pro 2026-03-15: 1 × 2999 = 2999', 'Calls 2026-02-15: 0 × 2 = 500'],
    ]);
  });

  test('is billed once if the subscription is canceled during its renewal, whether or not the invoice exists already', async () => {
    const meterId = await newMeter('Calls');
    const subscriptions: any[] = [];
    for (let number = 1; number <= 4; number += 1) {
      // A card of every second one fails at the renewal: an invoice that exists already is voided.
      const card = number % 2 === 0 ? cards.good : cards.failsWhenSaved;
      const authorizedTransactionId = `${card}_${String(number)}`;
      subscriptions.push(
        await subscribe([{ meterId, unitAmount: '2' }], { authorizedTransactionId }),
      );
    }
    await scenario.advanceTo('2026-01-25');
    for (const subscription of subscriptions) await use(subscription, meterId, ['2026-01-20', 30]);
    const cancelAll = async () => {
      for (const subscription of subscriptions) await scenario.cancel(subscription, false);
    };
    await Promise.all([scenario.advanceTo('2026-02-01'), cancelAll()]);
    await scenario.advanceTo('2026-03-15');
    for (const subscription of subscriptions) {
      const billed = (await scenario.invoices(subscription))
        .filter(({ status }) => status !== 'VOID')
        .flatMap(({ lineItems }) => lineItems)
        .filter((line: any) => line.meterId === meterId)
        .map(({ quantity, amount }: any) => [quantity, amount]);
      expect(billed).toEqual([['30', 60]]);
    }
  });
});
