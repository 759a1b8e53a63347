import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const disputedCard = '4000000000000259';
const counts = ['one', 'two', 'three'];

let system: TestSystem;
let api: ApiClient;
/** Path of each list by that of its route. Every list has at least three entries. */
let paths: Readonly<Record<string, string>>;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
  const priced = { ...product, type: 'PER_UNIT', amount: 1000 };
  const { id: productId } = await create('/products', priced);
  const { id: meterId } = await create('/meters', { name: 'Calls' });
  const { id: endpointId } = await create('/webhook-endpoints', { url: 'https://example.com/' });
  const firsts: { customerId: string; subscriptionId: string }[] = [];
  for (const name of counts) {
    firsts.push(await salesOf(name, productId));
    await create('/webhook-endpoints', { url: `https://example.com/${name}`, active: false });
    await create('/api-keys', { name });
    await create('/products', { ...priced, name });
    const rate = { country: 'EE', category: name, percent: 9, name: 'Reduced' };
    await create('/tax-rates', { ...rate, validFrom: '2026-01-01' });
    await api.expect(202, api.post(`/webhook-endpoints/${endpointId}/test`));
    await system.live.manualSandbox(startsAt);
  }
  const [{ customerId, subscriptionId } = { customerId: '', subscriptionId: '' }] = firsts;
  for (const eventId of counts) {
    await create('/events/ingest', [{ customerId, meterId, eventId }]);
    await create(`/customers/${customerId}/meter-credits`, { meterId, amount: 1 });
  }
  for (const quantity of [2, 3, 4]) {
    await create(`/subscriptions/${subscriptionId}/changes`, { quantity });
  }
  const migrationId = await dryRunsOf(subscriptionId);
  await api.advanceTo('2026-02-01T00:00:00.000Z');
  paths = {
    '/api-keys': '/api-keys',
    '/balances': '/balances',
    '/balance-entries': '/balance-entries',
    '/checkout-links': '/checkout-links',
    '/credit-notes': '/credit-notes',
    '/customers': '/customers',
    '/customers/{id}/meter-credits': `/customers/${customerId}/meter-credits`,
    '/discounts': '/discounts',
    '/disputes': '/disputes',
    '/email-suppressions': '/email-suppressions',
    '/emails': '/emails',
    '/events': '/events',
    '/invoices': '/invoices',
    '/price-migrations': '/price-migrations',
    '/price-migrations/{id}/subscriptions': `/price-migrations/${migrationId}/subscriptions`,
    '/products': '/products',
    '/refunds': '/refunds',
    '/sandboxes': '/sandboxes',
    '/sandboxes/inbox': '/sandboxes/inbox',
    '/subscriptions': '/subscriptions',
    '/subscriptions/{id}/changes': `/subscriptions/${subscriptionId}/changes`,
    '/tax-rates': '/tax-rates',
    '/webhook-endpoints': '/webhook-endpoints',
    '/webhook-endpoints/{id}/deliveries': `/webhook-endpoints/${endpointId}/deliveries`,
  };
});

const create = async (path: string, body: object): Promise<any> =>
  api.expect(201, api.post(path, body));

/** One of everything that a customer buys. */
async function salesOf(
  name: string,
  productId: string,
): Promise<{ customerId: string; subscriptionId: string }> {
  const { id: customerId } = await create('/customers', { email: `${name}@b.co`, currency: 'EUR' });
  const authorizedTransactionId = `txn_${disputedCard}_${name}`;
  const bought = { customerId, productId, authorizedTransactionId };
  const { id: subscriptionId, latestInvoiceId: invoiceId } = await api.subscribe(bought);
  await create('/credit-notes', { invoiceId, reason: 'OTHER', amount: 100, settle: 'REFUND' });
  await create('/balance-entries', { customerId, amount: 100, description: 'Goodwill' });
  const { id: emailId } = await create(`/invoices/${invoiceId}/send`, {});
  await api.expect(200, api.post(`/emails/${emailId}/bounce`, { type: 'HARD' }));
  await create('/discounts', { name, type: 'PERCENTAGE', value: 10, duration: 'ONCE' });
  await create('/checkout-links', { label: name, productIds: [productId] });
  return { customerId, subscriptionId };
}

/** Dry runs of price migrations; returns the last one. */
async function dryRunsOf(subscriptionId: string): Promise<string> {
  const { priceId } = await api.expect(200, api.get(`/subscriptions/${subscriptionId}`));
  const other = await create('/products', { ...product, name: 'New', amount: 2000 });
  const wanted = { fromPriceId: priceId, toPriceId: other.priceId, dryRun: true };
  let last = '';
  for (const _count of counts) {
    const { id } = await create('/price-migrations', wanted);
    await eventually(async () => {
      const job = await api.expect(200, api.get(`/price-migrations/${id}`));
      expect(job.status).toBe('COMPLETE');
    });
    last = id;
  }
  return last;
}

test('every list of the API has an order', async () => {
  const answer = await fetch(`${system.gatewayUrl}/openapi.json`);
  const { paths: documented } = (await answer.json()) as any;
  const lists = Object.entries<any>(documented)
    .filter(([, { get }]) => get?.parameters?.some(({ name }: any) => name === 'page'))
    .map(([path]) => path.replace('/v1', ''));
  // No test restores the shared system; the service's own test reads its list.
  expect(lists.sort()).toEqual([...Object.keys(paths), '/restores'].sort());
});

test('each list is read newest or oldest first', async () => {
  for (const [route, path] of Object.entries(paths)) {
    const client = route === '/sandboxes' ? system.live : api;
    const ids = async (query: string) =>
      (await client.expect(200, client.get(`${path}?${query}`))).data.map(
        (row: any) => row.id ?? JSON.stringify(row),
      );
    const newestFirst = await ids('perPage=100');
    expect([route, newestFirst.length >= 3]).toEqual([route, true]);
    expect([route, await ids('perPage=100&order=asc')]).toEqual([route, newestFirst.toReversed()]);
    expect([route, await ids('order=asc&perPage=1&page=2')]).toEqual([route, [newestFirst.at(-2)]]);
    expect([route, await ids('perPage=100&order=desc')]).toEqual([route, newestFirst]);
    const { status, body } = await client.get(`${path}?order=up`);
    expect([route, status, body]).toEqual([
      route,
      400,
      { error: { order: ['Must be one of asc, desc'] } },
    ]);
  }
});
