import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

describe('a subscription of several items', () => {
  let scenario: Scenario;
  let base: any;
  let seats: any;
  let meters: readonly string[];

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  beforeEach(async () => {
    const { client } = scenario;
    const meter = async (name: string): Promise<string> =>
      (await client.expect(201, client.post('/meters', { name }))).id;
    meters = [await meter('Calls'), await meter('Mails')];
    const [calls, mails] = meters;
    base = await scenario.product({ name: 'Base', amount: 3000 });
    seats = await scenario.product({ name: 'Seats', type: 'PER_UNIT', amount: 500 });
    await price(seats, [
      { meterId: calls, unitAmount: '9' },
      { meterId: mails, unitAmount: '1' },
    ]);
    await price(base, [{ meterId: calls, unitAmount: '2' }]);
  });

  async function price(product: { id: string }, prices: readonly object[]): Promise<void> {
    const path = `/products/${product.id}/meter-prices`;
    const { client } = scenario;
    await client.expect(200, client.request('PATCH', path, { body: { prices } }));
  }

  async function subscribe(more: object = {}): Promise<any> {
    const { client } = scenario;
    const { id: customerId } = await scenario.customer();
    const items = [{ productId: base.id }, { productId: seats.id, quantity: 3 }];
    const body = { customerId, items, authorizedTransactionId: cards.good, ...more };
    return client.subscribe(body);
  }

  async function use({ customerId }: any, quantities: readonly number[]): Promise<void> {
    const { client } = scenario;
    const timestamp = '2026-02-10T12:00:00Z';
    await scenario.advanceTo('2026-02-11');
    const events = quantities.map((quantity, index) => {
      return { customerId, meterId: meters[index], quantity, timestamp };
    });
    await client.expect(201, client.post('/events/ingest', { events }));
  }

  const linesOf = ({ lineItems }: any): string[] =>
    lineItems.map(
      ({ description, quantity, amount, discountAmount }: any) =>
        `${String(description)} × ${String(quantity)} = ${String(amount)} − ${String(discountAmount)}`,
    );

  test('bills each item and then each meter once, for the first item that prices it', async () => {
    const subscription = await subscribe();
    await use(subscription, [100, 40]);
    await scenario.advanceTo('2026-02-28');
    const [first, second] = await scenario.invoices(subscription);
    expect(linesOf(first)).toEqual(['Base × 1 = 3000 − 0', 'Seats × 3 = 1500 − 0']);
    expect(linesOf(second)).toEqual([
      'Base × 1 = 3000 − 0',
      'Seats × 3 = 1500 − 0',
      'Calls × 100 = 200 − 0',
      'Mails × 40 = 40 − 0',
    ]);
    const { items } = await scenario.read(subscription);
    expect(second.lineItems.map(({ itemId }: any) => itemId)).toEqual(
      [0, 1, 0, 1].map((index) => items[index].id),
    );
  });

  test('is discounted for the products of the discount alone, usage included', async () => {
    const terms = { type: 'PERCENTAGE', value: 50, duration: 'FOREVER' };
    const discount = await scenario.discount({ ...terms, productIds: [seats.id] });
    const subscription = await subscribe({ discountId: discount.id });
    await use(subscription, [100, 40]);
    await scenario.advanceTo('2026-02-28');
    const [, second] = await scenario.invoices(subscription);
    expect(linesOf(second)).toEqual([
      'Base × 1 = 3000 − 0',
      'Seats × 3 = 1500 − 750',
      'Calls × 100 = 200 − 0',
      'Mails × 40 = 40 − 20',
    ]);
  });

  test('changes its main item, and keeps the others and what they have charged', async () => {
    const [plain, add] = [
      await scenario.product({ name: 'Plain', type: 'PER_UNIT', amount: 1000 }),
      await scenario.product({ name: 'Add-on', amount: 600 }),
    ];
    const items = [{ productId: plain.id }, { productId: add.id }];
    const subscription = await subscribe({ items });
    await scenario.advanceTo('2026-02-14');
    await scenario.change(subscription, { quantity: 3, at: 'NOW' });
    const pause = { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' };
    const { creditNoteIds } = await scenario.change(subscription, pause);
    expect(creditNoteIds).toHaveLength(2);
    const [first, second] = await scenario.invoices(subscription);
    expect(linesOf(first)).toEqual(['Plain × 1 = 1000 − 0', 'Add-on × 1 = 600 − 0']);
    expect(linesOf(second)).toEqual([
      'Unused time on Plain × 1 = -500 − 0',
      'Remaining time on Plain × 3 = 1500 − 0',
    ]);
    await scenario.advanceTo('2026-02-20');
    const resumed = await scenario.change(subscription, { kind: 'RESUME' });
    expect(resumed).toMatchObject({ status: 'APPLIED', monthlyAmountAfter: 3600 });
    const [, , third] = await scenario.invoices(subscription);
    expect(linesOf(third)).toEqual(['Plain × 3 = 3000 − 0', 'Add-on × 1 = 600 − 0']);
  });

  test('changes all its items as a list, and costs what the preview shows', async () => {
    const { client } = scenario;
    const product = (name: string, amount: number) =>
      scenario.product({ name, type: 'PER_UNIT', amount });
    const [plain, add] = [await product('Plain', 1000), await product('Add-on', 600)];
    const other = await product('Other', 200);
    const items = [{ productId: plain.id }, { productId: add.id, quantity: 2 }];
    const subscription = await subscribe({ items });
    await scenario.advanceTo('2026-02-14');
    const path = `/subscriptions/${subscription.id as string}/changes`;
    const twice = { items: [{ productId: plain.id }, { productId: plain.id }] };
    expect(await client.expect(400, client.post(path, twice))).toEqual({
      error: { items: ['1.productId: Product is there twice'] },
    });
    const wanted = [{ productId: plain.id, quantity: 4 }, { productId: other.id }];
    const change = { items: wanted, at: 'NOW' };
    const preview = await client.expect(
      200,
      client.post('/previews', { kind: 'CHANGE', subscriptionId: subscription.id, change }),
    );
    const shown = [
      'Unused time on Plain × 1 = -500 − 0',
      'Remaining time on Plain × 4 = 2000 − 0',
      'Unused time on Add-on × 2 = -600 − 0',
      'Remaining time on Other × 1 = 100 − 0',
    ];
    expect(linesOf(preview.invoice)).toEqual(shown);
    expect([preview.dueNow, preview.nextInvoice.total]).toEqual([1000, 4200]);
    const { token: previewToken } = preview;
    const made = await scenario.change(subscription, { ...change, previewToken });
    expect(made).toMatchObject({
      status: 'APPLIED',
      from: { items: [{ productId: plain.id }, { productId: add.id, quantity: 2 }] },
      to: { items: [{ id: subscription.items[0].id, quantity: 4 }, { productId: other.id }] },
      ...{ monthlyAmountBefore: 2200, monthlyAmountAfter: 4200 },
    });
    const [, second] = await scenario.invoices(subscription);
    expect(linesOf(second)).toEqual(shown);
    await client.expect(
      201,
      client.post(path, { items: [{ productId: plain.id }], at: 'PERIOD_END' }),
    );
    await scenario.advanceTo('2026-02-28');
    const [, , third] = await scenario.invoices(subscription);
    expect(linesOf(third)).toEqual(['Plain × 4 = 4000 − 0']);
  });

  test('is bought at a checkout, and renews like any other', async () => {
    const { client } = scenario;
    const { id: customerId } = await scenario.customer();
    const items = [{ productId: base.id }, { productId: seats.id, quantity: 2 }];
    const session = await client.expect(201, client.post('/checkout', { customerId, items }));
    await scenario.payOn(session.checkoutUrl);
    const { subscription } = await scenario.readSession(session);
    expect(subscription.items).toMatchObject([{ quantity: 1 }, { quantity: 2 }]);
    await scenario.advanceTo('2026-02-28');
    const [first, second] = await scenario.invoices(subscription);
    expect([first.total, second.total]).toEqual([4000, 4000]);
  });
});
