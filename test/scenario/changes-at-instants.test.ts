import { eventually } from '@billing/chassis/testing';
import type { Scenario } from './scenario';
import { beginEachOn } from './stage';

// Changes at instants ahead take effect at the first period start at or after them. Monthly periods
// from 1 June 2026.
describe('a change at an instant ahead', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const at = '2026-08-15T00:00:00.000Z';
  const pathOf = (subscription: { id: string }) => `/subscriptions/${subscription.id}/changes`;
  const change = (subscription: { id: string }, body: object): Promise<any> =>
    scenario.change(subscription, body);
  const totals = async (subscription: { id: string }) =>
    (await scenario.invoices(subscription)).map(({ periodStart, total }) => [
      periodStart.slice(0, 10),
      total,
    ]);
  const current = async (subscription: { id: string }, id: string): Promise<any> =>
    scenario.client.expect(200, scenario.client.get(`${pathOf(subscription)}/${id}`));

  test('is billed from the first period start after it, and not before', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { id: productId } = await scenario.product({ name: 'Dear', amount: 30000 });
    await scenario.advanceTo('2026-06-16');
    const body = { productId, at };
    const asked = { kind: 'CHANGE', subscriptionId: subscription.id, change: body };
    const preview = await client.expect(200, client.post('/previews', asked));
    expect(preview).toMatchObject({
      ...{ effectiveAt: '2026-09-01T00:00:00.000Z', invoice: null, dueNow: 0 },
      ...{ monthlyAmountBefore: 10000, monthlyAmountAfter: 30000 },
      nextInvoice: { total: 10000, periodStart: '2026-07-01T00:00:00.000Z' },
    });
    const { token: previewToken } = preview;
    const other = { ...body, at: '2026-08-16T00:00:00.000Z', previewToken };
    expect(await client.expect(400, client.post(pathOf(subscription), other))).toEqual({
      error: { previewToken: ['Preview is for another request'] },
    });
    const made = await change(subscription, { ...body, previewToken });
    expect(made).toMatchObject({
      ...{ status: 'PENDING', at, effectiveAt: '2026-09-01T00:00:00.000Z', invoiceId: null },
      from: { currentPeriodEnd: '2026-09-01T00:00:00.000Z' },
      to: { items: [{ productId }], currentPeriodStart: '2026-09-01T00:00:00.000Z' },
    });
    await scenario.advanceTo('2026-08-02');
    expect(await scenario.read(subscription)).toMatchObject({
      nextInvoiceAt: '2026-09-01T00:00:00.000Z',
      pendingChange: { id: made.id, at },
    });
    const next = { kind: 'NEXT_INVOICE', subscriptionId: subscription.id };
    expect(await client.expect(200, client.post('/previews', next))).toMatchObject({
      nextInvoice: { total: 30000, periodStart: '2026-09-01T00:00:00.000Z' },
    });
    await scenario.advanceTo('2026-10-01');
    expect(await totals(subscription)).toEqual([
      ['2026-06-01', 10000],
      ['2026-07-01', 10000],
      ['2026-08-01', 10000],
      ['2026-09-01', 30000],
      ['2026-10-01', 30000],
    ]);
    expect(await scenario.read(subscription)).toMatchObject({ productId, pendingChange: null });
    await eventually(async () => {
      expect(await current(subscription, made.id)).toMatchObject({
        ...{ status: 'APPLIED', at, effectiveAt: '2026-09-01T00:00:00.000Z' },
      });
    });
  });

  test('is honored as previewed, also once its instant has passed', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { id: productId } = await scenario.product({ name: 'Dear', amount: 30000 });
    await scenario.advanceTo('2026-06-16');
    const body = { productId, at: '2026-06-16T00:05:00.000Z' };
    const asked = { kind: 'CHANGE', subscriptionId: subscription.id, change: body };
    const { token } = await client.expect(200, client.post('/previews', asked));
    await client.advanceTo('2026-06-16T00:06:00.000Z');
    expect(await client.expect(400, client.post(pathOf(subscription), body))).toEqual({
      error: { at: ['Must be ahead, at most five years'] },
    });
    const effectiveAt = '2026-07-01T00:00:00.000Z';
    expect(await change(subscription, { ...body, previewToken: token })).toMatchObject({
      ...{ status: 'PENDING', effectiveAt },
    });
  });

  test('follows a new cycle in between', async () => {
    const subscription = await scenario.subscription({
      product: { type: 'PER_UNIT', amount: 1000 },
    });
    const made = await change(subscription, { quantity: 5, at });
    await scenario.advanceTo('2026-06-11');
    await change(subscription, { quantity: 2, at: 'NOW', proration: 'FULL_AND_RESET' });
    expect(await current(subscription, made.id)).toMatchObject({
      effectiveAt: '2026-09-11T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-09-11');
    expect(await totals(subscription)).toEqual([
      ['2026-06-01', 1000],
      ['2026-06-11', 2000],
      ['2026-07-11', 2000],
      ['2026-08-11', 2000],
      ['2026-09-11', 5000],
    ]);
  });

  test('is taken back before its time', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({
      product: { type: 'PER_UNIT', amount: 1000 },
    });
    const made = await change(subscription, { quantity: 5, at });
    await scenario.advanceTo('2026-07-02');
    const path = `${pathOf(subscription)}/${made.id}`;
    await client.expect(204, client.request('DELETE', path));
    expect(await current(subscription, made.id)).toMatchObject({ status: 'CANCELED', at });
    expect(await scenario.read(subscription)).toMatchObject({ pendingChange: null });
    await scenario.advanceTo('2026-09-01');
    expect((await totals(subscription)).map(([, total]) => total)).toEqual([
      ...[1000, 1000, 1000, 1000],
    ]);
  });

  test.each([
    ['of the past', '2026-05-31T00:00:00.000Z', 'Must be ahead, at most five years'],
    ['more than five years ahead', '2031-06-02T00:00:00.000Z', 'Must be ahead, at most five years'],
    ['that is no time', 'soon', 'Must be AUTO, NOW, PERIOD_END or a datetime'],
  ])('%s is refused', async (_name, instant, problem) => {
    const { client } = scenario;
    const subscription = await scenario.subscription();
    const body = { quantity: 5, at: instant };
    expect(await client.expect(400, client.post(pathOf(subscription), body))).toEqual({
      error: { at: [problem] },
    });
  });

  test('pauses from the first period start after it', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const pause = { kind: 'PAUSE', at, resumeAt: '2026-10-10T00:00:00.000Z' };
    expect(await change(subscription, pause)).toMatchObject({
      ...{ status: 'PENDING', effectiveAt: '2026-09-01T00:00:00.000Z' },
    });
    expect(await scenario.read(subscription)).toMatchObject({
      nextInvoiceAt: '2026-07-01T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-09-02');
    expect(await scenario.read(subscription)).toMatchObject({
      ...{ phase: 'PAUSED', pausedAt: '2026-09-01T00:00:00.000Z' },
    });
    await scenario.advanceTo('2026-10-10');
    expect((await totals(subscription)).map(([start]) => start)).toEqual([
      ...['2026-06-01', '2026-07-01', '2026-08-01', '2026-10-10'],
    ]);
  });

  test('comes from a price migration, whose cancellation takes it back', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 1000 } });
    const { id: toId, priceId: toPriceId } = await scenario.product({ amount: 1500 });
    const migrate = async (body: object) => {
      const wanted = { fromPriceId: subscription.priceId, toPriceId, ...body };
      const { id } = await client.expect(201, client.post('/price-migrations', wanted));
      return eventually(async () => {
        const job = await client.expect(200, client.get(`/price-migrations/${id}`));
        expect(job.status).toBe('COMPLETE');
        return job;
      });
    };
    const past = { fromPriceId: subscription.priceId, toPriceId, at: '2026-05-01T00:00:00.000Z' };
    expect(await client.expect(400, client.post('/price-migrations', past))).toEqual({
      error: { at: ['Must be ahead, at most five years'] },
    });

    const canceled = await migrate({ at });
    expect(canceled).toMatchObject({ at, scheduled: 1, monthlyAmountAfter: 1500 });
    const rows = `/price-migrations/${canceled.id}/subscriptions`;
    expect((await client.expect(200, client.get(rows))).data).toMatchObject([
      { result: 'SCHEDULED', effectiveAt: '2026-09-01T00:00:00.000Z' },
    ]);
    await client.expect(200, client.post(`/price-migrations/${canceled.id}/cancel`));
    await eventually(async () => {
      expect(await scenario.read(subscription)).toMatchObject({ pendingChange: null });
      expect((await client.expect(200, client.get(rows))).data).toMatchObject([
        { result: 'CANCELED' },
      ]);
    });

    const job = await migrate({ at });
    await scenario.advanceTo('2026-09-01');
    expect((await totals(subscription)).map(([, total]) => total)).toEqual([
      ...[1000, 1000, 1000, 1500],
    ]);
    expect(await scenario.read(subscription)).toMatchObject({ productId: toId });
    await eventually(async () => {
      const moved = `/price-migrations/${job.id}/subscriptions`;
      expect((await client.expect(200, client.get(moved))).data).toMatchObject([
        { result: 'APPLIED', effectiveAt: '2026-09-01T00:00:00.000Z' },
      ]);
    });
  });
});
