import type { ApiClient } from './api-client';
import { instant, product, uuid } from './patterns';
import { startTestSystem, type TestSystem } from './test-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await startTestSystem();
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
});

describe('a product', () => {
  test('comes back whole with its price', async () => {
    const created = await api.expect(201, api.post('/products', product));
    expect(created).toEqual({
      ...product,
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      description: null,
      currency: 'EUR',
      intervalCount: 1,
      trialDays: null,
      active: true,
      metadata: {},
      lookupKey: null,
      priceId: expect.stringMatching(uuid),
      tiers: null,
      meterPrices: [],
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await api.expect(200, api.get(`/products/${String(created.id)}`))).toEqual(created);
  });

  test.each([0, 1, 99_999_999_999])('may cost %d', async (amount) => {
    expect((await api.expect(201, api.post('/products', { ...product, amount }))).amount).toBe(
      amount,
    );
  });

  test.each([
    [{ amount: -1 }, ['amount']],
    [{ amount: 1.5 }, ['amount']],
    [{ amount: '2900' }, ['amount']],
    [{ amount: 100_000_000_000 }, ['amount']],
    [{ amount: 2 ** 53 }, ['amount']],
    [{ amount: null }, ['amount']],
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ type: 'PER_UNIT' }, ['type']],
    [{ type: 'flat' }, ['type']],
    [{ currency: 'XAU' }, ['currency']],
    [{ billingInterval: 'HOURLY' }, ['billingInterval']],
    [{ intervalCount: 0 }, ['intervalCount']],
    [{ intervalCount: 37 }, ['intervalCount']],
    [{ billingInterval: 'YEARLY', intervalCount: 6 }, ['intervalCount']],
    [{ trialDays: 731 }, ['trialDays']],
    [{ trialDays: -1 }, ['trialDays']],
    [{ billingInterval: 'ONE_TIME', trialDays: 7 }, ['trialDays']],
    [{ lookupKey: 'Has Space' }, ['lookupKey']],
    [{ active: 'yes' }, ['active']],
    [{ description: 'x'.repeat(2001) }, ['description']],
    [{ name: undefined, amount: undefined }, ['amount', 'name']],
  ])('is refused with %j', async (changes, fields) => {
    expect(await api.refusedFields('/products', { ...product, ...changes })).toEqual(fields);
  });

  test('with a taken lookup key is 409', async () => {
    const lookupKey = `pro.${String(process.pid)}`;
    await api.expect(201, api.post('/products', { ...product, lookupKey }));
    const answer = await api.post('/products', { ...product, lookupKey });
    expect([answer.status, answer.headers.get('error-code')]).toEqual([409, 'lookup_key_taken']);
  });
});
