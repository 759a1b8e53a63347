import { eventually } from '@billing/chassis/testing';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

// Worked examples: a monthly period from 1 June to 1 July 2026, changed on 16 June.
describe('a change that the next invoice bills', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const collect = { collect: 'NEXT_INVOICE' };
  const priced = (amount: number) => scenario.product({ name: `P${String(amount)}`, amount });
  const post = (path: string, body: object, status: number): Promise<any> =>
    scenario.client.expect(status, scenario.client.post(path, body));
  const get = (path: string): Promise<any> =>
    scenario.client.expect(200, scenario.client.get(path));
  const linesOf = ({ lineItems }: any) =>
    lineItems.map(({ kind, amount, discountAmount }: any) => [kind, amount, discountAmount]);
  const [unused, remaining, recurring] = ['UNUSED_TIME', 'REMAINING_TIME', 'RECURRING'];

  async function upgraded(
    terms: object = {},
  ): Promise<{ subscription: any; path: string; change: any }> {
    const subscription = await scenario.subscription({ product: { amount: 10000 }, ...terms });
    await scenario.advanceTo('2026-06-16');
    const path = `/subscriptions/${subscription.id as string}/changes`;
    const wanted = { productId: (await priced(30000)).id, ...collect };
    const preview = { kind: 'CHANGE', subscriptionId: subscription.id, change: wanted };
    const { token, ...shown } = await post('/previews', preview, 200);
    expect(shown).toMatchObject({ invoice: null, dueNow: 0, creditNotes: [] });
    expect(linesOf({ lineItems: shown.linesPutOff })).toMatchObject([
      [unused, expect.anything(), 0],
      [remaining, 15000, expect.anything()],
    ]);
    const change = await scenario.change(subscription, { ...wanted, previewToken: token });
    expect(change).toMatchObject({ status: 'APPLIED', ...collect, invoiceId: null });
    const next = { kind: 'NEXT_INVOICE', subscriptionId: subscription.id };
    const upcoming = await post('/previews', next, 200);
    expect(upcoming.nextInvoice.total).toBe(shown.nextInvoice.total);
    return { subscription, path, change };
  }

  test('20: the renewal bills the new price and the rest of the period before', async () => {
    const { subscription, path, change } = await upgraded();
    expect(await scenario.invoices(subscription)).toHaveLength(1);
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(renewal).toMatchObject({
      ...{ total: 40000, status: 'PAID', billingReason: 'SUBSCRIPTION_CYCLE' },
    });
    expect(linesOf(renewal)).toEqual([
      [recurring, 30000, 0],
      [unused, -5000, 0],
      [remaining, 15000, 0],
    ]);
    expect(renewal.lineItems[2]).toMatchObject({
      ...{ periodStart: '2026-06-16T00:00:00.000Z', periodEnd: '2026-07-01T00:00:00.000Z' },
    });
    expect(await get(`${path}/${change.id as string}`)).toMatchObject({ invoiceId: renewal.id });
    await scenario.advanceTo('2026-08-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({ total: 30000 });
  });

  test('its lines keep their share of a discount, and take no part in that of the renewal', async () => {
    const half = { name: 'Fifth', type: 'PERCENTAGE', value: 20, duration: 'FOREVER' };
    const { id: discountId } = await post('/discounts', half, 201);
    const { subscription } = await upgraded({ discountId });
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(linesOf(renewal)).toEqual([
      [recurring, 30000, 6000],
      [unused, -4000, 0],
      [remaining, 15000, 3000],
    ]);
    expect(renewal).toMatchObject({ discounts: [{ amount: 9000 }], total: 32000 });
  });

  test('its lines keep their share of a discount that the change replaces', async () => {
    const percentOff = (value: number) =>
      post('/discounts', { ...{ name: 'x', type: 'PERCENTAGE', duration: 'FOREVER' }, value }, 201);
    const [before, after] = [(await percentOff(20)).id, (await percentOff(10)).id];
    const subscription = await scenario.subscription({
      ...{ product: { amount: 10000 }, discountId: before },
    });
    await scenario.advanceTo('2026-06-16');
    const wanted = { productId: (await priced(30000)).id, discountId: after, ...collect };
    await scenario.change(subscription, wanted);
    const next = { kind: 'NEXT_INVOICE', subscriptionId: subscription.id };
    const { nextInvoice } = await post('/previews', next, 200);
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(linesOf(renewal)).toEqual([
      [recurring, 30000, 3000],
      [unused, -4000, 0],
      [remaining, 15000, 3000],
    ]);
    expect(renewal).toMatchObject({
      discounts: [
        { discountId: after, amount: 3000 },
        { discountId: before, amount: 3000 },
      ],
      total: 35000,
    });
    expect(nextInvoice.total).toBe(35000);
  });

  test('its lines are taken along by a change that is collected now', async () => {
    const { subscription, path, change } = await upgraded();
    await scenario.advanceTo('2026-06-21');
    const second = await scenario.change(subscription, { productId: (await priced(50000)).id });
    const invoice = await get(`/invoices/${second.invoiceId as string}`);
    expect(invoice).toMatchObject({ total: 16667, status: 'PAID' });
    expect(linesOf(invoice)).toEqual([
      [unused, -5000, 0],
      [remaining, 15000, 0],
      [unused, -10000, 0],
      [remaining, 16667, 0],
    ]);
    await eventually(async () => {
      expect(await get(`${path}/${change.id as string}`)).toMatchObject({ invoiceId: invoice.id });
    });
    await scenario.advanceTo('2026-07-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({ total: 50000 });
  });

  test('its lines wait on after a change that is declined, and none of its invoices bills them', async () => {
    const declines = { authorizedTransactionId: cards.failsTwice };
    const { subscription, path, change } = await upgraded(declines);
    const ofChange = `${path}/${change.id as string}`;
    const larger = (await priced(50000)).id;
    for (let tries = 0; tries < 2; tries += 1) {
      const declined = await scenario.change(subscription, { productId: larger });
      expect(declined).toMatchObject({ status: 'FAILED', failure: { code: 'card_declined' } });
      expect(await get(ofChange)).toMatchObject({ status: 'APPLIED', invoiceId: null });
    }
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(renewal).toMatchObject({ total: 40000, status: 'PAID' });
    expect(await get(ofChange)).toMatchObject({ invoiceId: renewal.id });
  });

  test('its lines are billed by the end, less what the end gives back', async () => {
    const { subscription } = await upgraded();
    await scenario.advanceTo('2026-06-26');
    await post(`/subscriptions/${subscription.id as string}/cancel`, { proration: 'PRORATE' }, 200);
    const last = await eventually(async () => {
      const invoices = await scenario.invoices(subscription);
      expect(invoices).toHaveLength(2);
      return invoices.at(-1);
    });
    expect(last).toMatchObject({ billingReason: 'SUBSCRIPTION_CANCEL', total: 5000 });
    expect(linesOf(last)).toEqual([
      [unused, -5000, 0],
      [remaining, 15000, 0],
      [unused, -5000, 0],
    ]);
    const { customerId } = subscription;
    expect(await get(`/credit-notes?customerId=${customerId as string}`)).toMatchObject({
      total: 0,
    });
  });

  test('its lines are billed by a pause, and a new cycle is refused', async () => {
    const { subscription, path } = await upgraded();
    const yearly = await scenario.product({ name: 'Y', amount: 100000, billingInterval: 'YEARLY' });
    const body = { productId: yearly.id, at: 'NOW', ...collect };
    expect(await post(path, body, 400)).toEqual({
      error: { collect: ['A new cycle is collected now'] },
    });
    const pause = await scenario.change(subscription, { kind: 'PAUSE', at: 'NOW' });
    const invoice = await eventually(() => get(`/invoices/${pause.invoiceId as string}`));
    expect(invoice).toMatchObject({
      ...{ billingReason: 'SUBSCRIPTION_CHANGE', total: 10000 },
      ...{ periodStart: '2026-06-01T00:00:00.000Z', periodEnd: '2026-06-16T00:00:00.000Z' },
    });
    expect(await scenario.read(subscription)).toMatchObject({ phase: 'PAUSED' });
  });
});
