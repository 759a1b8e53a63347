import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const half = { name: 'Half off', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

/** Creates a sandbox at 31 January, with a customer and a product for 29.00 EUR a month. */
async function shop() {
  const api = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const made = async (path: string, body: object) =>
    (await api.expect(201, api.post(path, body))).id as string;
  const customerId = await made('/customers', { email: 'ada@example.com', currency: 'EUR' });
  const productId = await made('/products', product);
  let bought = 0;
  const order = (changes: object) => {
    bought += 1;
    const authorizedTransactionId = `txn_4242424242424242_${String(bought)}`;
    return { customerId, productId, authorizedTransactionId, ...changes };
  };
  const subscribe = (changes: object) => api.post('/subscriptions', order(changes));
  const billed = (changes: object) => api.subscribe(order(changes));
  const discounted = (body: object) => made('/discounts', { ...half, ...body });
  return { api, subscribe, billed, discounted, customerId, productId };
}

/** Returns the totals of a subscription's invoices, the oldest first. */
async function totals(api: ApiClient, subscriptionId: string): Promise<number[]> {
  const { data } = await api.expect(200, api.get(`/invoices?subscriptionId=${subscriptionId}`));
  return data.map(({ total }: { total: number }) => total).reverse();
}

const redemptions = async (api: ApiClient, discountId: string) =>
  (await api.expect(200, api.get(`/discounts/${discountId}`))).redemptionCount as number;

describe('a subscription with a discount', () => {
  test('shows the discount of each invoice, and its end', async () => {
    const { api, billed, discounted } = await shop();
    const once = await discounted({});
    const months = await discounted({ duration: 'REPEATING', durationInMonths: 2 });
    const forever = await discounted({ duration: 'FOREVER', type: 'FIXED', value: 10_000 });
    const subscriptions = [];
    for (const discountId of [once, months, forever]) {
      subscriptions.push(await billed({ discountId }));
    }
    expect(subscriptions).toMatchObject([
      { discountId: once, discountEndsAt: '2026-02-28T00:00:00.000Z' },
      { discountId: months, discountEndsAt: '2026-03-31T00:00:00.000Z' },
      { discountId: forever, discountEndsAt: null },
    ]);
    const [first] = subscriptions;
    const invoice = await api.expect(200, api.get(`/invoices/${String(first.latestInvoiceId)}`));
    expect(invoice).toMatchObject({
      status: 'PAID',
      subtotal: 2900,
      discountAmount: 1450,
      total: 1450,
      discounts: [{ discountId: once, name: 'Half off', amount: 1450 }],
      lineItems: [{ amount: 2900, discountAmount: 1450 }],
    });
    await api.advanceTo('2026-04-30T00:00:00Z');
    expect(await Promise.all(subscriptions.map(({ id }) => totals(api, id)))).toEqual([
      [1450, 2900, 2900, 2900],
      [1450, 1450, 2900, 2900],
      [0, 0, 0, 0],
    ]);
    expect(await Promise.all([once, months, forever].map((id) => redemptions(api, id)))).toEqual([
      1, 1, 1,
    ]);
  });

  test('gets it on the first invoice after its trial', async () => {
    const { api, subscribe, discounted } = await shop();
    const discountId = await discounted({});
    const trial = await api.expect(201, api.post('/products', { ...product, trialDays: 14 }));
    const { id } = await api.expect(201, subscribe({ discountId, productId: trial.id }));
    expect(await api.expect(200, api.get(`/subscriptions/${String(id)}`))).toMatchObject({
      discountId,
      discountEndsAt: null,
    });
    await api.advanceTo('2026-03-14T00:00:00Z');
    expect(await totals(api, id)).toEqual([1450, 2900]);
  });

  test('uses one redemption per idempotency key, and none where it is refused', async () => {
    const { api, subscribe, discounted } = await shop();
    const discountId = await discounted({ maxRedemptions: 1 });
    const body = { discountId, authorizedTransactionId: 'txn_4242424242424242_same' };
    expect((await subscribe({ ...body, customerId: unknownId })).status).toBe(404);
    const persistent = new PersistentClient(api);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => persistent.answer(() => subscribe(body))),
    );
    expect(new Set(answers.map((answer) => answer.body.id as string)).size).toBe(1);
    expect(await redemptions(api, discountId)).toBe(1);
    expect((await subscribe(body)).status).toBe(201);
    expect((await subscribe({ discountId })).body).toEqual({
      error: { discountId: ['Discount is not valid'] },
    });
  });

  test.each([
    ['unknown', () => unknownId],
    ['malformed', () => 'x'],
    ['empty', () => ''],
    ['inactive', ({ discounted }: Shop) => discounted({ active: false })],
    ['not yet valid', ({ discounted }: Shop) => discounted({ startsAt: '2026-02-01T00:00:00Z' })],
    ['over', ({ discounted }: Shop) => discounted({ endsAt: '2026-01-31T00:00:00Z' })],
    [
      'of another currency',
      ({ discounted }: Shop) => discounted({ type: 'FIXED', value: 5, currency: 'USD' }),
    ],
    [
      'for another product',
      async ({ api, discounted }: Shop) => {
        const other = await api.expect(201, api.post('/products', product));
        return discounted({ productIds: [other.id] });
      },
    ],
  ])('is refused where the discount is %s', async (_name, discountOf) => {
    const all = await shop();
    const discountId = await discountOf(all);
    const answer = await all.subscribe({ discountId });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: { discountId: ['Discount is not valid'] } },
    ]);
    const { total } = await all.api.expect(200, all.api.get('/subscriptions'));
    expect(total).toBe(0);
  });
});

type Shop = Awaited<ReturnType<typeof shop>>;
