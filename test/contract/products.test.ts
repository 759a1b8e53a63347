import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('a product', () => {
  test('is returned with its price', async () => {
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
      taxCategory: 'standard',
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
    [{ type: 'GRADUATED' }, ['type']],
    [{ type: null }, ['type']],
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

describe('the list of products', () => {
  let listing: ApiClient;
  const ids: string[] = [];

  beforeAll(async () => {
    listing = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    for (const index of [1, 2, 3]) {
      const body = { ...product, active: index !== 2, lookupKey: `key.${String(index)}` };
      ids.unshift((await listing.expect(201, listing.post('/products', body))).id as string);
    }
  });

  test('has the envelope of every list, newest first', async () => {
    const list = await listing.expect(200, listing.get('/products'));
    expect(list).toEqual({ data: expect.any(Array), total: 3, page: 1, perPage: 20 });
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(list.data[0]).toEqual((await listing.get(`/products/${String(ids[0])}`)).body);
  });

  test('is read page by page, and past the end it is empty', async () => {
    for (const [page, shown] of [
      ['1', ids.slice(0, 2)],
      ['2', ids.slice(2)],
      ['3', []],
      ['9007199254740991', []],
    ] as const) {
      const list = await listing.expect(200, listing.get(`/products?page=${page}&perPage=2`));
      expect(list).toMatchObject({ total: 3, page: Number(page), perPage: 2 });
      expect(list.data.map(({ id }: { id: string }) => id)).toEqual(shown);
    }
  });

  test.each([
    ['active=true', 2],
    ['active=false', 1],
    ['lookupKey=key.2', 1],
    ['lookupKey=key', 0],
    ['lookupKey=', 0],
    ['lookupKey=KEY.2', 0],
    ['lookupKey=%00', 0],
    ['active=false&lookupKey=key.2', 1],
    ['active=true&lookupKey=key.2', 0],
    ['nothing=1', 3],
  ])('filtered by %s has %d', async (query, total) => {
    const list = await listing.expect(200, listing.get(`/products?${query}`));
    expect([list.total, list.data.length]).toEqual([total, total]);
  });

  test.each([
    ['active=', 'active'],
    ['active=TRUE', 'active'],
    ['active=1', 'active'],
    ['active=yes', 'active'],
    ['active=true&active=true', 'active'],
    ['lookupKey=a&lookupKey=b', 'lookupKey'],
    ['page=0', 'page'],
    ['page=', 'page'],
    ['page=1.5', 'page'],
    ['perPage=0', 'perPage'],
    ['perPage=101', 'perPage'],
  ])('is refused with %s', async (query, field) => {
    const { error } = await listing.expect(400, listing.get(`/products?${query}`));
    expect(Object.keys(error)).toEqual([field]);
  });

  test('shows no product of another environment', async () => {
    const other = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    const list = await other.expect(200, other.get('/products?lookupKey=key.1'));
    expect(list).toEqual({ data: [], total: 0, page: 1, perPage: 20 });
  });
});

describe('a change of a product', () => {
  const given = {
    ...product,
    type: 'TIERED',
    description: 'For teams',
    active: false,
    metadata: { kept: 1 },
    tiers: [{ upTo: null, unitAmount: '5', flatAmount: '0' }],
  };
  const create = async (changes = {}): Promise<any> =>
    api.expect(201, api.post('/products', { ...given, ...changes }));
  const patch = (id: string, body: unknown) => api.request('PATCH', `/products/${id}`, { body });

  test.each([
    [{}, {}],
    [{ name: 'x' }, { name: 'x' }],
    [{ name: 'x'.repeat(200) }, { name: 'x'.repeat(200) }],
    [{ description: 'x'.repeat(2000) }, { description: 'x'.repeat(2000) }],
    [{ description: null }, { description: null }],
    [{ active: true }, { active: true }],
    [{ metadata: { 'a.b': null } }, { metadata: { 'a.b': null } }],
    [{ metadata: null }, { metadata: {} }],
    [{ lookupKey: null }, { lookupKey: null }],
    [{ taxCategory: 'ebook' }, { taxCategory: 'ebook' }],
  ])('by %j keeps its price', async (changes, after) => {
    const created = await create();
    const changed = await api.expect(200, patch(created.id, changes));
    expect(changed).toEqual({ ...created, ...after, updatedAt: expect.stringMatching(instant) });
    expect((await api.get(`/products/${String(created.id)}`)).body).toEqual(changed);
  });

  test.each([
    [{ amount: 0 }, { amount: 0 }],
    [{ amount: 99_999_999_999 }, { amount: 99_999_999_999 }],
    [{ tiers: null }, { tiers: null }],
    [
      {
        tiers: [
          { upTo: 10, unitAmount: 7 },
          { upTo: null, unitAmount: '6.5' },
        ],
      },
      {
        tiers: [
          { upTo: '10', unitAmount: '7', flatAmount: '0' },
          { upTo: null, unitAmount: '6.5', flatAmount: '0' },
        ],
      },
    ],
  ])('by %j creates a price version', async (changes, after) => {
    const created = await create();
    const changed = await api.expect(200, patch(created.id, changes));
    expect(changed).toEqual({
      ...created,
      ...after,
      priceId: expect.stringMatching(uuid),
      updatedAt: expect.stringMatching(instant),
    });
    expect(changed.priceId).not.toBe(created.priceId);
    expect(await api.expect(200, patch(created.id, changes))).toEqual(changed);
  });

  test.each([
    [{ type: 'FLAT' }, ['type']],
    [{ type: 'TIERED' }, ['type']],
    [{ currency: 'EUR' }, ['currency']],
    [{ billingInterval: 'YEARLY' }, ['billingInterval']],
    [{ intervalCount: 2 }, ['intervalCount']],
    [{ intervalCount: null }, ['intervalCount']],
    [{ trialDays: 7 }, ['trialDays']],
    [{ trialDays: null }, ['trialDays']],
    [{ id: unknownId, priceId: unknownId }, ['id', 'priceId']],
    [
      { organizationId: unknownId, createdAt: null, updatedAt: 1 },
      ['createdAt', 'organizationId', 'updatedAt'],
    ],
    [{ meterPrices: [] }, ['meterPrices']],
    [{ name: null }, ['name']],
    [{ active: null }, ['active']],
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ description: 'x'.repeat(2001) }, ['description']],
    [{ description: 7 }, ['description']],
    [{ active: 'true' }, ['active']],
    [{ metadata: { nested: {} } }, ['metadata']],
    [{ lookupKey: 'Has Space' }, ['lookupKey']],
    [{ lookupKey: '' }, ['lookupKey']],
    [{ amount: null }, ['amount']],
    [{ amount: -1 }, ['amount']],
    [{ amount: 1.5 }, ['amount']],
    [{ amount: '2900' }, ['amount']],
    [{ amount: 100_000_000_000 }, ['amount']],
    [{ tiers: [] }, ['tiers']],
    [{ tiers: [{ upTo: '1', unitAmount: '1' }] }, ['tiers']],
    [{ tiers: 'none' }, ['tiers']],
  ])('by %j is refused and changes nothing', async (changes, fields) => {
    const created = await create();
    const { error } = await api.expect(400, patch(created.id, changes));
    expect(Object.keys(error).sort()).toEqual(fields);
    expect((await api.get(`/products/${String(created.id)}`)).body).toEqual(created);
  });

  test('cannot add tiers to a price without them', async () => {
    const created = await create({ type: 'FLAT', tiers: null });
    const { error } = await api.expect(400, patch(created.id, { tiers: given.tiers }));
    expect(Object.keys(error)).toEqual(['tiers']);
  });

  test('without a difference does not change even the time', async () => {
    const created = await create();
    const { name, description, active, metadata, amount, tiers } = given;
    const same = { name, description, active, metadata, amount, tiers, lookupKey: null };
    expect((await patch(created.id, same)).body).toEqual(created);
  });

  test('to a taken lookup key is 409, and to a freed one succeeds', async () => {
    const lookupKey = `taken.${String(process.pid)}`;
    const holder = await create({ lookupKey });
    const other = await create();
    const answer = await patch(other.id, { lookupKey });
    expect([answer.status, answer.headers.get('error-code')]).toEqual([409, 'lookup_key_taken']);
    expect(answer.body).toEqual({ error: 'Product with this lookupKey already exists' });
    await api.expect(200, patch(holder.id, { lookupKey: null }));
    expect(await api.expect(200, patch(other.id, { lookupKey }))).toMatchObject({ lookupKey });
  });

  test('of an id unknown to this environment is 404', async () => {
    const { id } = await create();
    const other = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    for (const [client, path] of [
      [api, unknownId],
      [api, 'not-a-uuid'],
      [other, String(id)],
      [system.live, String(id)],
    ] as const) {
      const answer = await client.request('PATCH', `/products/${path}`, { body: { name: 'x' } });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Product not found' }]);
      expect(answer.headers.get('error-code')).toBe('product_not_found');
    }
  });
});
