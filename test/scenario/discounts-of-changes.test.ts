import { revenueOf } from './revenue';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const linesOf = (invoice: any) =>
  invoice.lineItems.map(({ kind, amount, discountAmount }: any) => [kind, amount, discountAmount]);
const [unused, remaining, recurring] = ['UNUSED_TIME', 'REMAINING_TIME', 'RECURRING'];

// Monthly periods from 1 June 2026 on. Changes are in the middle of June or of July.
describe('a change of a discounted subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const middleOfJuly = '2026-07-16T12:00:00.000Z';
  const fifth = { type: 'PERCENTAGE', value: 20 };
  const priced = async (amount: number): Promise<string> =>
    (await scenario.product({ name: `P${String(amount)}`, amount })).id;
  const now = (subscription: { id: string }, body: object): Promise<any> =>
    scenario.change(subscription, { at: 'NOW', ...body });
  const newest = async (subscription: { id: string }): Promise<any> =>
    (await scenario.invoices(subscription)).at(-1);
  const discounted = async (product: object, discount: object): Promise<any> => {
    const { id: discountId } = await scenario.discount(discount);
    return scenario.subscription({ product, discountId });
  };

  test('by a percentage ONCE has its share of the running period alone', async () => {
    const subscription = await discounted({ amount: 10000 }, { ...fifth, duration: 'ONCE' });
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: await priced(30000) });
    const changed = await newest(subscription);
    expect(linesOf(changed)).toEqual([
      [unused, -4000, 0],
      [remaining, 15000, 3000],
    ]);
    expect(changed).toMatchObject({ total: 8000, discountAmount: 3000, status: 'PAID' });
    await scenario.advanceTo('2026-07-01');
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 30000, 0]]);
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      '2026-06-16 payment_succeeded INV-000002 attempt 1',
      expect.stringMatching(/^2026-06-16 updated INV-000002 productId /),
      '2026-07-01 renewed',
      '2026-07-01 payment_succeeded INV-000003 attempt 1',
    ]);
    // The report is of prices, before discounts.
    expect(await revenueOf(scenario, 2)).toMatchObject([
      { month: '2026-06', new: 10000, expansion: 20000, mrr: 30000 },
      { month: '2026-07', expansion: 0, contraction: 0, mrr: 30000 },
    ]);
  });

  const charged = [recurring, 30000, 0];
  test.each([
    ['a full charge', 'FULL_AND_RESET', 'MONTHLY', [charged], '2026-07-01'],
    ['a year', 'PRORATE', 'YEARLY', [charged, [unused, -8000, 0]], '2027-06-01'],
  ])('ONCE is not taken again by %s at the start of its period', async (_what, ...terms) => {
    const [proration, billingInterval, lines, next] = terms;
    const subscription = await discounted({ amount: 10000 }, { ...fifth, duration: 'ONCE' });
    const { id: productId } = await scenario.product({ amount: 30000, billingInterval });
    const made = await now(subscription, { productId, proration });
    expect(made).toMatchObject({
      from: { currentPeriodStart: subscription.startAt },
      to: { currentPeriodStart: subscription.startAt },
    });
    const invoices = await scenario.invoices(subscription);
    const [first, second, ...none] = invoices.toSorted((a, b) => (a.number < b.number ? -1 : 1));
    expect([linesOf(first), none]).toEqual([[[recurring, 10000, 2000]], []]);
    expect(linesOf(second)).toEqual(lines);
    await scenario.advanceTo(next);
    expect(linesOf(await newest(subscription))).toEqual([charged]);
  });

  test('REPEATING for two months counts its months on', async () => {
    const discount = { ...fifth, duration: 'REPEATING', durationInMonths: 2 };
    const subscription = await discounted({ amount: 10000 }, discount);
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: await priced(30000) });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -4000, 0],
      [remaining, 15000, 3000],
    ]);
    await scenario.advanceTo(middleOfJuly);
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 30000, 6000]]);
    await now(subscription, { productId: await priced(40000) });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -12000, 0],
      [remaining, 20000, 4000],
    ]);
    await scenario.advanceTo('2026-08-16T12:00:00.000Z');
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 40000, 0]]);
    await now(subscription, { productId: await priced(60000) });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -20000, 0],
      [remaining, 30000, 0],
    ]);
    await scenario.advanceTo('2026-09-01');
    expect((await scenario.invoices(subscription)).map(({ total }) => total)).toEqual([
      ...[8000, 8000, 24000, 4000, 40000, 10000, 60000],
    ]);
    expect(await revenueOf(scenario, 4)).toMatchObject([
      { new: 10000, expansion: 20000, mrr: 30000 },
      { expansion: 10000, mrr: 40000 },
      { expansion: 20000, mrr: 60000 },
      { expansion: 0, contraction: 0, mrr: 60000 },
    ]);
  });

  test('by a fixed amount ONCE gives it for one period in all', async () => {
    const discount = { type: 'FIXED', value: 1000, currency: 'USD', duration: 'ONCE' };
    const subscription = await discounted({ amount: 3000 }, discount);
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: await priced(6000) });
    const changed = await newest(subscription);
    expect(linesOf(changed)).toEqual([
      [unused, -1000, 0],
      [remaining, 3000, 500],
    ]);
    expect(changed).toMatchObject({ total: 1500 });
    await scenario.advanceTo('2026-07-01');
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 6000, 0]]);
  });

  test('that is for one product takes nothing off another, and is there for the way back', async () => {
    const subscription = await limited([10000], { ...fifth, duration: 'FOREVER' });
    const { productId } = subscription;
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: await priced(30000) });
    const changed = await newest(subscription);
    // What was paid comes back, after its discount.
    expect(linesOf(changed)).toEqual([
      [unused, -4000, 0],
      [remaining, 15000, 0],
    ]);
    expect(changed).toMatchObject({ total: 11000, discounts: [] });
    await scenario.advanceTo(middleOfJuly);
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 30000, 0]]);

    const back = await now(subscription, { productId });
    expect(back).toMatchObject({ status: 'APPLIED', invoiceId: null });
    // Half of 30000 less half of 10000, which is discounted again.
    const { client } = scenario;
    const path = `/balances?customerId=${String(subscription.customerId)}`;
    await scenario.advanceTo('2026-07-17');
    expect((await client.expect(200, client.get(path))).data).toMatchObject([{ balance: 11000 }]);
    await scenario.advanceTo('2026-08-01');
    const renewal = await newest(subscription);
    expect(linesOf(renewal)).toEqual([[recurring, 10000, 2000]]);
    expect(renewal).toMatchObject({ total: 8000, balanceApplied: 8000, amountPaid: 0 });
    expect(await revenueOf(scenario, 3)).toMatchObject([
      { new: 10000, expansion: 20000, mrr: 30000 },
      { contraction: 20000, mrr: 10000 },
      { expansion: 0, contraction: 0, mrr: 10000 },
    ]);
  });

  test('that is for one of two items has no part in a change of the other', async () => {
    const discount = { type: 'FIXED', value: 1000, currency: 'USD', duration: 'FOREVER' };
    const subscription = await limited([3000, 1000], discount);
    expect((await newest(subscription)).total).toBe(3000);
    const [main] = subscription.items;
    await scenario.advanceTo('2026-06-16');
    const items = [{ productId: main.productId }, { productId: await priced(5000) }];
    await now(subscription, { items });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -500, 0],
      [remaining, 2500, 0],
    ]);
    await scenario.advanceTo('2026-07-01');
    expect(linesOf(await newest(subscription))).toEqual([
      [recurring, 3000, 1000],
      [recurring, 5000, 0],
    ]);
  });

  /** A subscription with a discount that is for the first of its products alone. */
  async function limited(amounts: readonly number[], discount: object): Promise<any> {
    const { id: customerId } = await scenario.customer();
    const items = [];
    for (const amount of amounts) items.push({ productId: await priced(amount) });
    const productIds = items.slice(0, 1).map(({ productId }) => productId);
    const { id: discountId } = await scenario.discount({ ...discount, productIds });
    const body = { customerId, items, discountId, authorizedTransactionId: cards.good };
    return scenario.client.subscribe(body);
  }
});
