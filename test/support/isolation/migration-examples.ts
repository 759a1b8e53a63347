import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../api-client';
import { product } from '../patterns';
import type { RouteExample } from './isolation-examples';

/** Examples of the routes of price migrations, with a dry run of the owner. */
export async function migrationExamples(
  owner: ApiClient,
  fromPriceId: string,
  mark: string,
): Promise<Record<string, RouteExample>> {
  const priced = async (amount: number): Promise<string> =>
    (await owner.expect(201, owner.post('/products', { ...product, amount }))).priceId;
  const [toPriceId, lastPriceId] = [await priced(4000), await priced(5000)];
  const wanted = { fromPriceId, toPriceId, dryRun: true, metadata: { mark } };
  const { id } = await owner.expect(201, owner.post('/price-migrations', wanted));
  const path = `/price-migrations/${String(id)}`;
  await eventually(async () => {
    expect((await owner.expect(200, owner.get(path))).status).toBe('COMPLETE');
  });
  // Then all events of the examples are in the feed.
  await owner.advanceTo((await owner.expect(200, owner.get('/sandboxes/clock'))).now);
  return {
    'GET /price-migrations': { path: '/price-migrations?perPage=100', strangers: [200] },
    // The prices are fields of the job, and unknown to them.
    'POST /price-migrations': {
      path: '/price-migrations',
      body: { fromPriceId: toPriceId, toPriceId: lastPriceId },
      strangers: [400],
    },
    'GET /price-migrations/:id': { path },
    'GET /price-migrations/:id/subscriptions': { path: `${path}/subscriptions` },
    'POST /price-migrations/:id/cancel': { path: `${path}/cancel` },
  };
}
