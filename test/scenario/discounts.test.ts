import { eventually } from '@billing/chassis/testing';
import { PersistentClient } from '../support/persistent-client';
import { cards, type Scenario, periodsBetween } from './scenario';
import { beginEachOn } from './stage';

const lastDays = [
  '2026-01-31',
  '2026-02-28',
  '2026-03-31',
  '2026-04-30',
  '2026-05-31',
  '2026-06-30',
];
const full = ['Pro: 1 × 2999 = 2999'];

describe('a discounted subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  /**
   * Buys a new product with a new discount and runs it for five months; the first invoices are
   * discounted by the given amount.
   */
  async function expectDiscounted(
    discount: object,
    { off, invoices }: { off: number; invoices: number },
  ): Promise<any> {
    const { id: discountId } = await scenario.discount(discount);
    const subscription = await scenario.subscription({ discountId });
    await scenario.advanceTo('2026-05-31');
    await scenario.expectInvoices(
      subscription,
      periodsBetween(lastDays).map((period, index) =>
        index < invoices
          ? {
              period,
              lines: [`Pro: 1 × 2999 = 2999 − ${String(off)}`],
              discount: off,
              total: 2999 - off,
            }
          : { period, lines: full, total: 2999 },
      ),
    );
    const [first] = await scenario.invoices(subscription);
    expect(first.discounts).toEqual([{ discountId, name: 'Welcome', amount: off }]);
    return subscription;
  }

  test('by 20 % ONCE pays less for the first period alone', async () => {
    const subscription = await expectDiscounted(
      { type: 'PERCENTAGE', value: 20, duration: 'ONCE' },
      // 599.8, half up.
      { off: 600, invoices: 1 },
    );
    expect(await scenario.read(subscription)).toMatchObject({
      discountEndsAt: '2026-02-28T00:00:00.000Z',
    });
    await scenario.expectWebhooks(
      subscription,
      lastDays
        .slice(0, -1)
        .flatMap((day, index) => [
          `${day} ${index === 0 ? 'created' : 'renewed'}`,
          `${day} payment_succeeded INV-00000${String(index + 1)} attempt 1`,
        ]),
    );
  });

  test('REPEATING for three months pays less for the periods that start in them', async () => {
    const subscription = await expectDiscounted(
      { type: 'PERCENTAGE', value: 12.5, duration: 'REPEATING', durationInMonths: 3 },
      // 374.875
      { off: 375, invoices: 3 },
    );
    expect(await scenario.read(subscription)).toMatchObject({
      discountEndsAt: '2026-04-30T00:00:00.000Z',
    });
  });

  test('FOREVER pays less for each period', async () => {
    const subscription = await expectDiscounted(
      { type: 'FIXED', value: 1, currency: 'USD', duration: 'FOREVER' },
      { off: 1, invoices: 5 },
    );
    expect(await scenario.read(subscription)).toMatchObject({ discountEndsAt: null });
  });

  test('by more than the total owes nothing, is not charged and gets no payment webhook', async () => {
    const discount = { type: 'FIXED', value: 5000, duration: 'ONCE' };
    const { id: discountId } = await scenario.discount(discount);
    const subscription = await scenario.subscription({ discountId });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-01-31', '2026-02-28'],
        lines: ['Pro: 1 × 2999 = 2999 − 2999'],
        discount: 2999,
        total: 0,
      },
      { period: ['2026-02-28', '2026-03-31'], lines: full, total: 2999 },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('ONCE after a trial pays less for the first billed period', async () => {
    const discount = { type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await scenario.discount(discount);
    const product = { trialDays: 28, billingInterval: 'WEEKLY', intervalCount: 2 };
    const subscription = await scenario.subscription({ product, discountId });
    expect(subscription).toMatchObject({ discountId, discountEndsAt: null });
    await scenario.advanceTo('2026-03-14');
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-02-28', '2026-03-14'],
        lines: ['Pro: 1 × 2999 = 2999 − 1500'],
        discount: 1500,
        total: 1499,
        reason: 'SUBSCRIPTION_CYCLE',
      },
      { period: ['2026-03-14', '2026-03-28'], lines: full, total: 2999 },
    ]);
  });

  test('uses one redemption, and is refused where none is left', async () => {
    const limited = { type: 'PERCENTAGE', value: 50, duration: 'ONCE', maxRedemptions: 1 };
    const { id: discountId } = await scenario.discount(limited);
    await scenario.subscription({ discountId });
    const { client } = scenario;
    const { id: customerId } = await scenario.customer();
    const { id: productId } = await scenario.product();
    const second = { customerId, productId, discountId };
    expect(await client.expect(400, client.post('/subscriptions', second))).toEqual({
      error: { discountId: ['Discount is not valid'] },
    });
    const kept = await client.expect(200, client.get(`/discounts/${discountId as string}`));
    expect(kept).toMatchObject({ redemptionCount: 1 });
  });
});

describe('a discount added to a running subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const half = { type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
  const changesOf = ({ id }: { id: string }) => `/subscriptions/${id}/changes`;
  const change = (subscription: { id: string }, body: object): Promise<any> =>
    scenario.change(subscription, body);
  const totals = async (subscription: { id: string }) =>
    (await scenario.invoices(subscription)).map(({ total }) => total);
  const two = async (): Promise<any[]> => [
    await scenario.subscription(),
    await scenario.subscription({ authorizedTransactionId: `${cards.good}_2` }),
  ];
  const redemptions = async (id: string) =>
    (await scenario.client.expect(200, scenario.client.get(`/discounts/${id}`))).redemptionCount;

  test('counts from the next period on, and the running one stays as it was billed', async () => {
    const { id: discountId } = await scenario.discount({ ...half, maxRedemptions: 1 });
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const made = await change(subscription, { discountId });
    expect(made).toMatchObject({
      status: 'APPLIED',
      at: 'NOW',
      effectiveAt: '2026-06-16T00:00:00.000Z',
      from: { discountId: null },
      to: { discountId },
      invoiceId: null,
      monthlyAmountBefore: 10000,
      monthlyAmountAfter: 10000,
    });
    expect(await scenario.read(subscription)).toMatchObject({ discountId, discountEndsAt: null });
    expect(await redemptions(discountId)).toBe(1);
    await scenario.advanceTo('2026-08-01');
    expect(await totals(subscription)).toEqual([10000, 5000, 10000]);
    expect((await scenario.invoices(subscription))[1]).toMatchObject({
      discounts: [{ discountId, name: 'Welcome', amount: 5000 }],
    });
  });

  test('takes the place of another, whose redemption stays used, until it is removed', async () => {
    const { id: first } = await scenario.discount({ ...half, value: 20, duration: 'FOREVER' });
    const months = { duration: 'REPEATING', durationInMonths: 3 };
    const { id: second } = await scenario.discount({ ...half, ...months });
    const product = { amount: 10000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, discountId: first });
    await scenario.advanceTo('2026-06-16');
    await change(subscription, { discountId: second });
    // The running period keeps its 20 %.
    const { invoiceId } = await change(subscription, { quantity: 2 });
    const { client } = scenario;
    expect(await client.expect(200, client.get(`/invoices/${invoiceId}`))).toMatchObject({
      total: 4000,
      discounts: [{ discountId: first }],
    });
    await scenario.advanceTo('2026-08-16');
    expect(await scenario.read(subscription)).toMatchObject({
      discountId: second,
      discountEndsAt: '2026-10-01T00:00:00.000Z',
    });
    expect(await change(subscription, { discountId: null })).toMatchObject({
      from: { discountId: second },
      to: { discountId: null },
    });
    await scenario.advanceTo('2026-09-01');
    expect(await totals(subscription)).toEqual([8000, 4000, 10000, 10000, 20000]);
    expect(await Promise.all([first, second].map(redemptions))).toEqual([1, 1]);
    const again = await client.post(changesOf(subscription), { discountId: null });
    expect(again).toMatchObject({ status: 409, body: { error: 'Nothing to change' } });
  });

  test('at the end of a period holds its redemption until then, or until it is canceled', async () => {
    const { client } = scenario;
    const { id: discountId } = await scenario.discount({ ...half, maxRedemptions: 1 });
    const [subscription, other] = await two();
    const atEnd = { discountId, at: 'PERIOD_END' };
    const waiting = await change(subscription, atEnd);
    expect(waiting).toMatchObject({ status: 'PENDING', to: { discountId } });
    expect(await scenario.read(subscription)).toMatchObject({
      discountId: null,
      pendingChange: { id: waiting.id, to: { discountId } },
    });
    const refused = { error: { discountId: ['Discount is not valid'] } };
    expect(await client.expect(400, client.post(changesOf(other), atEnd))).toEqual(refused);
    const path = `${changesOf(subscription)}/${waiting.id}`;
    expect((await client.delete(path)).status).toBe(204);
    await eventually(async () => {
      expect(await redemptions(discountId)).toBe(0);
    });
    await change(other, atEnd);
    await scenario.advanceTo('2026-08-01');
    expect(await totals(subscription)).toEqual([2999, 2999, 2999]);
    expect(await totals(other)).toEqual([2999, 1499, 2999]);
    expect(await redemptions(discountId)).toBe(1);
  });

  test('takes the last redemption in one of 20 changes', async () => {
    const { client } = scenario;
    const { id: discountId } = await scenario.discount({ ...half, maxRedemptions: 1 });
    const subscriptions = await two();
    const persistent = new PersistentClient(client);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const path = changesOf(subscriptions[index % 2]);
        const key = { 'Idempotency-Key': `last-${String(index)}` };
        return persistent.answer(() => client.post(path, { discountId }, key));
      }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.every(({ status }) => [400, 409].includes(status))).toBe(true);
    await eventually(async () => {
      expect(await redemptions(discountId)).toBe(1);
    });
    const read = await Promise.all(subscriptions.map((one) => scenario.read(one)));
    expect(read.filter((one) => one.discountId === discountId)).toHaveLength(1);
  });

  test('is shown by a preview, which is refused once the discount is not valid', async () => {
    const { client } = scenario;
    const { id: productId } = await scenario.product();
    const { id: elsewhere } = await scenario.discount({ ...half, productIds: [productId] });
    const { id: discountId } = await scenario.discount(half);
    const subscription = await scenario.subscription();
    const preview = (body: object) =>
      client.post('/previews', { kind: 'CHANGE', subscriptionId: subscription.id, change: body });
    expect((await preview({ discountId: elsewhere })).body).toEqual({
      error: { discountId: ['Discount is not valid'] },
    });
    const { token: previewToken, ...shown } = await client.expect(200, preview({ discountId }));
    expect(shown).toMatchObject({
      ...{ dueNow: 0, invoice: null },
      nextInvoice: { total: 1499, discounts: [{ discountId, amount: 1500 }] },
    });
    expect(await redemptions(discountId)).toBe(0);
    const active = (is: boolean) =>
      client.request('PATCH', `/discounts/${discountId}`, { body: { active: is } });
    await client.expect(200, active(false));
    const body = { discountId, previewToken };
    expect((await client.post(changesOf(subscription), body)).body).toEqual({
      error: 'Preview is stale: discount',
    });
    await client.expect(200, active(true));
    expect(await change(subscription, body)).toMatchObject({ status: 'APPLIED' });
  });
});
