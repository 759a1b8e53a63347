import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;
let meterId: string;
let otherId: string;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
  meterId = await newMeter();
  otherId = await newMeter();
});

async function newMeter(): Promise<string> {
  return (await api.expect(201, api.post('/meters', { name: 'Calls' }))).id as string;
}

async function newProduct(): Promise<{ id: string; path: string }> {
  const { id } = await api.expect(201, api.post('/products', product));
  return { id, path: `/products/${String(id)}/meter-prices` };
}

function patch(path: string, body: unknown, headers: Record<string, string> = {}) {
  return api.request('PATCH', path, { body, headers });
}

describe('meter prices', () => {
  test('are returned as a bare array with all fields, and are part of their product', async () => {
    const { id, path } = await newProduct();
    const given = { meterId, unitAmount: '0.250', includedUnits: 100, metadata: { 'a.b': 1 } };
    const answer = await patch(path, { prices: [given] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      {
        id: expect.stringMatching(uuid),
        productId: id,
        meterId,
        type: 'PER_UNIT',
        unitAmount: '0.25',
        tiers: null,
        includedUnits: '100',
        packageSize: null,
        minimumAmount: null,
        maximumAmount: null,
        metadata: { 'a.b': 1 },
        createdAt: expect.stringMatching(instant),
      },
    ]);
    const read = await api.get(`/products/${id}`);
    expect(read.body.meterPrices).toEqual(answer.body);
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  test('have four types, and keep their order', async () => {
    const { path } = await newProduct();
    const third = await newMeter();
    const fourth = await newMeter();
    const tiers = [
      { upTo: '100.5', unitAmount: '1', flatAmount: '2.5' },
      { upTo: null, unitAmount: '0.000000000001' },
    ];
    const prices = [
      { meterId: otherId, type: 'TIERED', tiers, minimumAmount: 0, maximumAmount: 99_999_999_999 },
      { meterId, type: 'VOLUME', tiers: [{ upTo: null, unitAmount: 5 }] },
      { meterId: third, type: 'PACKAGE', unitAmount: 5, packageSize: '0.1' },
      { meterId: fourth, type: null, unitAmount: '0', tiers: null, packageSize: null },
    ];
    const set = await api.expect(200, patch(path, { prices }));
    expect(set).toMatchObject([
      {
        ...prices[0],
        unitAmount: null,
        tiers: [tiers[0], { ...tiers[1], flatAmount: '0' }],
      },
      { meterId, tiers: [{ upTo: null, unitAmount: '5', flatAmount: '0' }] },
      { meterId: third, unitAmount: '5', packageSize: '0.1' },
      { meterId: fourth, type: 'PER_UNIT', unitAmount: '0' },
    ]);
  });

  test('are replaced as a set, and cleared by an empty one', async () => {
    const { path } = await newProduct();
    await api.expect(200, patch(path, { prices: [{ meterId, unitAmount: '1' }] }));
    const second = await patch(path, { prices: [{ meterId: otherId, unitAmount: '1' }] });
    expect(second.body).toMatchObject([{ meterId: otherId }]);
    expect(second.body).toHaveLength(1);
    expect(await api.expect(200, patch(path, { prices: [] }))).toEqual([]);
  });

  test('without a difference are not written again', async () => {
    const { path } = await newProduct();
    const first = await patch(path, { prices: [{ meterId, unitAmount: '1' }] });
    const again = await patch(path, { prices: [{ meterId, unitAmount: '1.0' }] });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('stay when other fields of the product change', async () => {
    const { id, path } = await newProduct();
    const set = await api.expect(200, patch(path, { prices: [{ meterId, unitAmount: '1' }] }));
    const changed = await api.expect(200, patch(`/products/${id}`, { amount: 1 }));
    expect(changed.meterPrices).toEqual(set);
  });

  test.each([
    [{}, ['Required']],
    [{ prices: null }, ['Required']],
    [{ prices: [{ unitAmount: '1' }] }, ['0.meterId: Required']],
    [{ prices: [{ meterId: unknownId, unitAmount: '1' }] }, ['0.meterId: Meter not found']],
    [{ prices: [{ meterId: 'x', unitAmount: '1' }] }, ['0.meterId: Meter not found']],
  ])('of %j are refused with %j', async (body, prices) => {
    const { path } = await newProduct();
    const answer = await patch(path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: { prices } }]);
  });

  test.each([
    {},
    { unitAmount: 0.5 },
    { unitAmount: '-1' },
    { unitAmount: '0.0000000000001' },
    { unitAmount: '100000000000' },
    { unitAmount: '1', includedUnits: '-1' },
    { unitAmount: '1', includedUnits: '1000000000000001' },
    { unitAmount: '1', minimumAmount: -1 },
    { unitAmount: '1', minimumAmount: 0.5 },
    { unitAmount: '1', minimumAmount: 2, maximumAmount: 1 },
    { unitAmount: '1', type: 'FLAT' },
    { unitAmount: '1', metadata: { nested: {} } },
    { unitAmount: '1', packageSize: '1' },
    { type: 'PACKAGE', unitAmount: '1' },
    { type: 'PACKAGE', unitAmount: '1', packageSize: 0 },
    { type: 'TIERED' },
    { type: 'TIERED', tiers: [] },
    { type: 'TIERED', unitAmount: '1', tiers: [{ upTo: null, unitAmount: '1' }] },
    { type: 'VOLUME', tiers: [{ upTo: '5', unitAmount: '1' }] },
  ])('are refused under prices with %j', async (price) => {
    const { path } = await newProduct();
    const answer = await patch(path, { prices: [{ meterId, ...price }] });
    expect([answer.status, Object.keys(answer.body.error)]).toEqual([400, ['prices']]);
    for (const message of answer.body.error.prices) expect(message).toMatch(/^0\./);
  });

  test('have one element per meter', async () => {
    const { path } = await newProduct();
    const price = { meterId, unitAmount: '1' };
    const answer = await patch(path, { prices: [price, price] });
    expect(answer.body).toEqual({
      error: { prices: ['1.meterId: The meter already has a price'] },
    });
  });

  test('of a deleted meter are refused', async () => {
    const { path } = await newProduct();
    const deleted = await newMeter();
    await api.expect(204, api.delete(`/meters/${deleted}`));
    const answer = await patch(path, { prices: [{ meterId: deleted, unitAmount: '1' }] });
    expect(answer.body).toEqual({ error: { prices: ['0.meterId: Meter not found'] } });
  });

  test('of an unknown product are 404', async () => {
    const answer = await patch(`/products/${unknownId}/meter-prices`, { prices: [] });
    expect([answer.status, answer.body]).toEqual([404, { error: 'Product not found' }]);
  });

  test('check If-Match against the current version', async () => {
    const { id, path } = await newProduct();
    const seen = (await api.get(`/products/${id}`)).headers.get('etag') ?? '';
    await api.expect(200, patch(path, { prices: [{ meterId, unitAmount: '1' }] }));
    const stale = await patch(path, { prices: [] }, { 'If-Match': seen });
    expect([stale.status, stale.body]).toEqual([412, { error: 'Stale version' }]);
  });

  test('are set once per idempotency key', async () => {
    const { path } = await newProduct();
    const headers = { 'Idempotency-Key': `meter-prices-${path}` };
    const body = { prices: [{ meterId, unitAmount: '1' }] };
    const first = await patch(path, body, headers);
    await api.expect(200, patch(path, { prices: [] }));
    const again = await patch(path, body, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await patch(path, { prices: [] }, headers)).status).toBe(422);
  });

  test('name the unknown fields', async () => {
    const { path } = await newProduct();
    const answer = await patch(path, { prices: [{ meterId, unitAmount: '1', unitPrice: 1 }] });
    expect(answer.headers.get('ignored-fields')).toBe('prices.0.unitPrice');
  });
});
