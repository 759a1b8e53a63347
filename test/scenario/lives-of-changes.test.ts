import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const linesOf = (invoice: any) =>
  invoice.lineItems.map(({ kind, amount, discountAmount }: any) => [kind, amount, discountAmount]);
const [unused, remaining, recurring] = ['UNUSED_TIME', 'REMAINING_TIME', 'RECURRING'];

// A monthly period from 1 June to 1 July 2026 unless said otherwise.
describe('a life with several changes', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const now = (subscription: { id: string }, body: object): Promise<any> =>
    scenario.change(subscription, { at: 'NOW', ...body });
  const newest = async (subscription: { id: string }): Promise<any> =>
    (await scenario.invoices(subscription)).at(-1);

  test('of seats that come three times and go once costs each seat its days', async () => {
    const product = { amount: 3000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product });
    const seats = [
      ['2026-06-11', 2],
      ['2026-06-16', 4],
      ['2026-06-21', 5],
    ] as const;
    for (const [day, quantity] of seats) {
      await scenario.advanceTo(day);
      await now(subscription, { quantity });
    }
    await scenario.advanceTo('2026-06-26');
    expect(await now(subscription, { quantity: 3 })).toMatchObject({ invoiceId: null });
    await scenario.advanceTo('2026-07-01');
    const invoices = await scenario.invoices(subscription);
    // 80 days of a seat at 100 each, and July.
    expect(invoices.map(({ total }) => total)).toEqual([3000, 2000, 3000, 1000, 9000]);
    expect(invoices.at(-1)).toMatchObject({ balanceApplied: 1000, amountPaid: 8000 });
  });

  test('from monthly to yearly and back pays a year in full', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const yearly = await scenario.product({ amount: 100000, billingInterval: 'YEARLY' });
    const monthly = await scenario.product({ amount: 12000 });
    await scenario.advanceTo('2026-06-16');
    await scenario.change(subscription, { productId: yearly.id });
    await scenario.advanceTo('2026-08-28');
    const back = await scenario.change(subscription, { productId: monthly.id });
    expect(back).toMatchObject({ status: 'PENDING', effectiveAt: '2027-06-16T00:00:00.000Z' });
    await scenario.advanceTo('2027-07-16');
    const invoices = await scenario.invoices(subscription);
    expect(invoices.map(({ total }) => total)).toEqual([10000, 95000, 12000, 12000]);
    expect(invoices.map(({ periodStart }) => periodStart.slice(0, 10))).toEqual([
      ...['2026-06-01', '2026-06-16', '2027-06-16', '2027-07-16'],
    ]);
  });

  test('with a smaller plan ahead and more seats now has both at the renewal', async () => {
    const product = { amount: 3000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product });
    const smaller = await scenario.product({ amount: 1200, type: 'PER_UNIT' });
    const waiting = await scenario.change(subscription, { productId: smaller.id });
    expect(waiting).toMatchObject({ status: 'PENDING', at: 'PERIOD_END' });
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { quantity: 3 });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -1500, 0],
      [remaining, 4500, 0],
    ]);
    expect(await scenario.read(subscription)).toMatchObject({ pendingChange: { id: waiting.id } });
    await scenario.advanceTo('2026-07-01');
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 3600, 0]]);
  });

  test('8: a full charge of a year gives nothing of the month back', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const yearly = await scenario.product({ amount: 100000, billingInterval: 'YEARLY' });
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: yearly.id, proration: 'FULL_AND_RESET' });
    expect(linesOf(await newest(subscription))).toEqual([[recurring, 100000, 0]]);
  });

  test('1: half a month of a plan three times as dear', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const dear = await scenario.product({ amount: 30000 });
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { productId: dear.id });
    expect(linesOf(await newest(subscription))).toEqual([
      [unused, -5000, 0],
      [remaining, 15000, 0],
    ]);
    await scenario.advanceTo('2026-07-01');
    expect(await newest(subscription)).toMatchObject({ total: 30000 });
  });

  async function ofItems(amounts: readonly number[], more: object = {}): Promise<any> {
    const { client } = scenario;
    const { id: customerId } = await scenario.customer();
    const products = [];
    for (const amount of amounts) products.push(await scenario.product({ amount }));
    const items = products.map(({ id: productId }) => ({ productId }));
    const body = { customerId, items, authorizedTransactionId: cards.good, ...more };
    return client.subscribe(body);
  }

  test('11: one of two items, discounted by a third each', async () => {
    const third = { type: 'PERCENTAGE', value: 33.33, duration: 'FOREVER' };
    const { id: discountId } = await scenario.discount(third);
    const subscription = await ofItems([3000, 1000], { discountId });
    const [, other] = subscription.items;
    const dearer = await scenario.product({ amount: 6000 });
    await scenario.advanceTo('2026-06-11');
    const items = [{ productId: dearer.id }, { productId: other.productId }];
    await now(subscription, { items });
    const invoice = await newest(subscription);
    expect(linesOf(invoice)).toEqual([
      [unused, -1333, 0],
      [remaining, 4000, 1333],
    ]);
    expect(invoice.total).toBe(1334);
  });

  test('of an add-on that goes without proration and comes back has two charges of it', async () => {
    const subscription = await ofItems([3000]);
    const [base] = subscription.items.map(({ productId }: any) => ({ productId }));
    const addOn = { productId: (await scenario.product({ amount: 1000 })).id };
    await now(subscription, { items: [base, addOn] });
    await scenario.advanceTo('2026-06-11');
    await now(subscription, { items: [base], proration: 'NONE' });
    await scenario.advanceTo('2026-06-16');
    await now(subscription, { items: [base, addOn] });
    expect(linesOf(await newest(subscription))).toEqual([[remaining, 500, 0]]);
    const yearly = await scenario.product({ amount: 30000, billingInterval: 'YEARLY' });
    await scenario.advanceTo('2026-06-21');
    await now(subscription, { items: [{ productId: yearly.id }] });
    // A third of June: of the base, of the add-on in June, and of that from 16 June on.
    const unusedOf = (await newest(subscription)).lineItems.filter(
      ({ kind }: any) => kind === unused,
    );
    expect(unusedOf.map(({ amount }: any) => -amount).toSorted()).toEqual([1000, 333, 333]);
  });

  test.each([
    ['12: three units', { type: 'PER_UNIT', amount: 500 }, 3, '2026-06-25T12:00:00Z', 275, 1500],
    [
      '25: two units of 1.3 each',
      { type: 'TIERED', tiers: [{ upTo: null, unitAmount: '1.3', flatAmount: '0' }] },
      ...[2, '2026-06-16', 1, 3],
    ],
  ] as const)(
    '%s of an add-on cost the rest of the month, rounded once',
    async (_name, price, quantity, day, part, whole) => {
      const subscription = await ofItems([3000]);
      const addOn = await scenario.product(price);
      await scenario.advanceTo(day);
      const [{ productId }] = subscription.items;
      const items = [{ productId }, { productId: addOn.id, quantity }];
      await now(subscription, { items });
      expect(linesOf(await newest(subscription))).toEqual([[remaining, part, 0]]);
      await scenario.advanceTo('2026-07-01');
      expect(linesOf(await newest(subscription))).toEqual([
        [recurring, 3000, 0],
        [recurring, whole, 0],
      ]);
    },
  );
});

describe('a life from 31 January of a leap year', () => {
  let scenario: Scenario;

  beginEachOn('2028-01-31', (begun) => {
    scenario = begun;
  });

  test('changes in the period that begins on 29 February', async () => {
    const subscription = await scenario.subscription({ product: { amount: 2900 } });
    const dear = await scenario.product({ amount: 9900 });
    await scenario.advanceTo('2028-03-15');
    await scenario.change(subscription, { productId: dear.id });
    const changed = (await scenario.invoices(subscription)).at(-1);
    expect(changed).toMatchObject({ periodEnd: '2028-03-31T00:00:00.000Z', total: 3613 });
    expect(linesOf(changed)).toEqual([
      [unused, -1497, 0],
      [remaining, 5110, 0],
    ]);
    await scenario.advanceTo('2028-04-30');
    const starts = (await scenario.invoices(subscription)).map(({ periodStart }) =>
      periodStart.slice(5, 10),
    );
    expect(starts).toEqual(['01-31', '02-29', '03-15', '03-31', '04-30']);
  });
});
