import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem } from '../support/shared-system';

let api: ApiClient;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
});

const create = async (path: string, body: object): Promise<any> =>
  api.expect(201, api.post(path, body));

async function ended(id: string): Promise<any> {
  return eventually(async () => {
    const job = await api.expect(200, api.get(`/price-migrations/${id}`));
    expect(job.status).not.toBe('RUNNING');
    return job;
  });
}

async function subscribed(productId: string, name: string): Promise<any> {
  const customer = { email: `${name}@example.com`, currency: product.currency };
  const { id: customerId } = await create('/customers', customer);
  const authorizedTransactionId = `txn_${name}`;
  return api.subscribe({ customerId, productId, authorizedTransactionId });
}

test('a price migration raises the price at the next period, and a newer change wins', async () => {
  const sold = await create('/products', { ...product, amount: 1000 });
  const first = await subscribed(sold.id, 'first');
  const second = await subscribed(sold.id, 'second');
  const fromPriceId = sold.priceId;
  const risen = await api.expect(
    200,
    api.request('PATCH', `/products/${sold.id}`, { body: { amount: 1500 } }),
  );
  const wanted = { fromPriceId, toPriceId: risen.priceId };

  const dryRun = await ended((await create('/price-migrations', { ...wanted, dryRun: true })).id);
  expect(dryRun).toMatchObject({
    ...{ status: 'COMPLETE', total: 2, processed: 2, scheduled: 2, skipped: 0 },
    ...{ monthlyAmountBefore: 2000, monthlyAmountAfter: 3000, at: 'PERIOD_END' },
  });
  const before = await api.expect(200, api.get(`/subscriptions/${first.id}`));
  expect(before).toMatchObject({ pendingChange: null, updatedAt: first.updatedAt });

  const { id } = await ended((await create('/price-migrations', wanted)).id);
  const path = `/price-migrations/${id}/subscriptions`;
  const { data, total } = await api.expect(200, api.get(`${path}?result=SCHEDULED`));
  expect(total).toBe(2);
  expect(data[0]).toMatchObject({ reason: null, effectiveAt: first.currentPeriodEnd });
  const waiting = await api.expect(200, api.get(`/subscriptions/${first.id}`));
  expect(waiting.pendingChange).toMatchObject({ migrationId: id, status: 'PENDING' });

  // The caller keeps the old price of the second subscription.
  const taken = (await api.expect(200, api.get(`/subscriptions/${second.id}`))).pendingChange.id;
  await api.expect(204, api.request('DELETE', `/subscriptions/${second.id}/changes/${taken}`));
  await api.advanceTo('2026-03-01T00:00:00.000Z');

  const invoiceOf = async (subscriptionId: string) => {
    const query = `/invoices?subscriptionId=${subscriptionId}&perPage=1`;
    return (await api.expect(200, api.get(query))).data[0].total;
  };
  expect([await invoiceOf(first.id), await invoiceOf(second.id)]).toEqual([1500, 1000]);
  const rows = (await api.expect(200, api.get(path))).data;
  expect(rows.map((row: any) => [row.subscriptionId, row.result]).sort()).toEqual(
    [
      [first.id, 'APPLIED'],
      [second.id, 'CANCELED'],
    ].sort(),
  );
});

test.each<[string, (own: any) => object, object]>([
  [
    'an unknown price',
    ({ priceId }) => ({ fromPriceId: 'x', toPriceId: priceId }),
    { fromPriceId: ['Price not found'] },
  ],
  [
    'an unknown new price',
    ({ priceId }) => ({ fromPriceId: priceId, toPriceId: 'x' }),
    { toPriceId: ['Price not found'] },
  ],
  [
    'the same price',
    ({ priceId }) => ({ fromPriceId: priceId, toPriceId: priceId }),
    { toPriceId: ['Same price'] },
  ],
  [
    'an unknown field',
    ({ priceId }) => ({ fromPriceId: priceId, toPriceId: 'x', to: 1 }),
    { to: ['Unknown field'] },
  ],
])('a price migration with %s is refused', async (_name, bodyOf, error) => {
  const own = await create('/products', { ...product, amount: 1000 });
  expect(await api.expect(400, api.post('/price-migrations', bodyOf(own)))).toEqual({ error });
});

test('a canceled price migration takes its changes back', async () => {
  const sold = await create('/products', { ...product, amount: 1000 });
  const subscription = await subscribed(sold.id, 'third');
  const other = await create('/products', { ...product, amount: 3000 });
  const wanted = { fromPriceId: sold.priceId, toPriceId: other.priceId };
  const { id } = await ended((await create('/price-migrations', wanted)).id);
  const canceled = await api.expect(200, api.post(`/price-migrations/${id}/cancel`));
  expect(canceled).toMatchObject({ status: 'CANCELED', scheduled: 1 });
  expect(await api.expect(200, api.post(`/price-migrations/${id}/cancel`))).toEqual(canceled);
  expect(await api.expect(200, api.get(`/subscriptions/${subscription.id}`))).toMatchObject({
    pendingChange: null,
  });
});
