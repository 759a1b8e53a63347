import { type Scenario, periodsBetween } from './scenario';
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
    scenario.client.expect(201, scenario.client.post(changesOf(subscription), body));
  const totals = async (subscription: { id: string }) =>
    (await scenario.invoices(subscription)).map(({ total }) => total);
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
});
