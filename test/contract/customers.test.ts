import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('a customer', () => {
  test('is returned with all its fields, absent values as null', async () => {
    const customer = await api.expect(201, api.post('/customers', { email: ' Ada@example.com ' }));
    expect(customer).toEqual({
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      externalId: null,
      email: 'Ada@example.com',
      name: null,
      phone: null,
      buyerReference: null,
      locale: null,
      address: null,
      currency: 'USD',
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      taxIds: [],
      taxExempt: 'NONE',
      netDays: null,
      metadata: {},
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
  });

  test('keeps every field it is given', async () => {
    const given = {
      email: 'a@example.com',
      externalId: `ext-${String(process.pid)}`,
      name: 'Ada',
      phone: '+44 20',
      address: {
        line1: '1 St',
        line2: null,
        city: 'L',
        state: null,
        postalCode: 'N1',
        country: 'GB',
      },
      currency: 'GBP',
      collectionMethod: 'SEND_INVOICE',
      taxIds: [{ type: 'GB_VAT', value: 'GB980780684' }],
      taxExempt: 'EXEMPT',
      netDays: 14,
      buyerReference: 'PO 7',
      locale: 'de-CH',
      metadata: { 'a.b': 'x', n: 1.5, yes: true, none: null },
    };
    expect(await api.expect(201, api.post('/customers', given))).toMatchObject(given);
    const again = await api.post('/customers', given);
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'Customer with this externalId already exists' },
    ]);
    expect(again.headers.get('error-code')).toBe('external_id_taken');
  });

  test.each([
    [{}, ['email']],
    [{ email: null }, ['email']],
    [{ email: 7 }, ['email']],
    [{ email: 'malformed' }, ['email']],
    [{ email: `${'x'.repeat(250)}@b.co` }, ['email']],
    [{ email: 'a@b.co', currency: 'XXX' }, ['currency']],
    [{ email: 'a@b.co', currency: 'EURO' }, ['currency']],
    [{ email: 'a@b.co', collectionMethod: 'LATER' }, ['collectionMethod']],
    [{ email: 'a@b.co', name: 'x'.repeat(201) }, ['name']],
    [{ email: 'a@b.co', phone: 'x'.repeat(41) }, ['phone']],
    [{ email: 'a@b.co', externalId: 'x'.repeat(256) }, ['externalId']],
    [{ email: 'a@b.co', address: 'here' }, ['address']],
    [{ email: 'a@b.co', address: { country: 'XX' } }, ['address']],
    [{ email: 'a@b.co', taxIds: [{ type: 'EU_VAT', value: 'DE1' }] }, ['taxIds']],
    [{ email: 'a@b.co', taxIds: [{ type: 'VAT', value: 'x' }] }, ['taxIds']],
    [{ email: 'a@b.co', taxExempt: 'ALWAYS' }, ['taxExempt']],
    [{ email: 'a@b.co', netDays: 366 }, ['netDays']],
    [{ email: 'a@b.co', buyerReference: 'x'.repeat(101) }, ['buyerReference']],
    [{ email: 'a@b.co', locale: 'zh-TW' }, ['locale']],
    [{ email: 'a@b.co', metadata: [] }, ['metadata']],
    [{ email: 'a@b.co', metadata: { nested: {} } }, ['metadata']],
    [{ email: 'a@b.co', metadata: { $where: 1 } }, ['metadata']],
    [{ email: 'a@b.co', metadata: { big: 2 ** 53 } }, ['metadata']],
    ['{"email":"a@b.co","metadata":{"__proto__":1}}', ['metadata']],
    [{ email: 'a@b.co', metadata: { long: 'x'.repeat(501) } }, ['metadata']],
  ])('is refused: %j', async (body, fields) => {
    expect(await api.refusedFields('/customers', body)).toEqual(fields);
  });

  test('is refused with exactly these messages for an invalid address', async () => {
    const answer = await api.post('/customers', { email: 'malformed' });
    expect(answer.body).toEqual({ error: { email: ['Invalid email'] } });
    expect(answer.headers.get('error-code')).toBe('invalid_request');
  });
});

describe('the list of customers', () => {
  let listing: ApiClient;
  const ids: string[] = [];

  beforeAll(async () => {
    listing = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    for (const index of [1, 2, 3]) {
      const body = {
        email: `c${String(index % 2)}+x@example.com`,
        externalId: `ext ${String(index)}&`,
      };
      ids.unshift((await listing.expect(201, listing.post('/customers', body))).id as string);
    }
  });

  test('has the envelope of every list, newest first', async () => {
    const list = await listing.expect(200, listing.get('/customers'));
    expect(list).toEqual({ data: expect.any(Array), total: 3, page: 1, perPage: 20 });
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(list.data[0]).toEqual((await listing.get(`/customers/${String(ids[0])}`)).body);
  });

  test('is read page by page, and past the end it is empty', async () => {
    for (const [page, shown] of [
      ['1', ids.slice(0, 2)],
      ['2', ids.slice(2)],
      ['3', []],
      ['9007199254740991', []],
    ] as const) {
      const list = await listing.expect(200, listing.get(`/customers?page=${page}&perPage=2`));
      expect(list).toMatchObject({ total: 3, page: Number(page), perPage: 2 });
      expect(list.data.map(({ id }: { id: string }) => id)).toEqual(shown);
    }
  });

  test.each([
    ['email=c0%2Bx%40example.com', 1],
    ['email=c1%2Bx%40example.com', 2],
    ['email=%20c0%2Bx%40example.com%20', 1],
    ['email=C0%2Bx%40example.com', 0],
    ['email=', 0],
    ['email=c', 0],
    [`externalId=${encodeURIComponent('ext 1&')}`, 1],
    ['externalId=ext', 0],
    ['externalId=', 0],
    [`externalId=${encodeURIComponent('ext 1&')}&email=c1%2Bx%40example.com`, 1],
    [`externalId=${encodeURIComponent('ext 1&')}&email=c0%2Bx%40example.com`, 0],
    [`externalId=${'x'.repeat(2000)}`, 0],
    ['nothing=1', 3],
  ])('filtered by %s has %d', async (query, total) => {
    const list = await listing.expect(200, listing.get(`/customers?${query}`));
    expect([list.total, list.data.length]).toEqual([total, total]);
  });

  test.each([
    ['page=0', 'page'],
    ['page=', 'page'],
    ['page=1.5', 'page'],
    ['page=-1', 'page'],
    ['page=1&page=2', 'page'],
    ['perPage=0', 'perPage'],
    ['perPage=101', 'perPage'],
    ['perPage=all', 'perPage'],
    ['email=a&email=b', 'email'],
    ['externalId=a&externalId=b', 'externalId'],
  ])('is refused with %s', async (query, field) => {
    const { error } = await listing.expect(400, listing.get(`/customers?${query}`));
    expect(Object.keys(error)).toEqual([field]);
  });

  test('shows no customer of another environment', async () => {
    const other = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    const list = await other.expect(200, other.get('/customers?externalId=ext%201%26'));
    expect(list).toEqual({ data: [], total: 0, page: 1, perPage: 20 });
  });
});

describe('a change of a customer', () => {
  const given = {
    email: 'a@example.com',
    name: 'Ada',
    phone: '+44 20',
    address: { line1: '1 St', country: 'GB' },
    currency: 'GBP',
    collectionMethod: 'SEND_INVOICE',
    metadata: { kept: 1 },
  };
  const create = async (): Promise<any> => api.expect(201, api.post('/customers', given));
  const noAddress = {
    line1: null,
    line2: null,
    city: null,
    state: null,
    postalCode: null,
    country: null,
  };

  test.each([
    [{}, {}],
    [{ email: ' b@example.com ' }, { email: 'b@example.com' }],
    [{ name: 'x'.repeat(200) }, { name: 'x'.repeat(200) }],
    [{ name: null }, { name: null }],
    [{ phone: '1'.repeat(40) }, { phone: '1'.repeat(40) }],
    [{ phone: null }, { phone: null }],
    [{ address: { city: 'L' } }, { address: { ...noAddress, city: 'L' } }],
    [{ address: null }, { address: null }],
    [{ currency: 'eur' }, { currency: 'EUR' }],
    [{ collectionMethod: 'CHARGE_AUTOMATICALLY' }, { collectionMethod: 'CHARGE_AUTOMATICALLY' }],
    [{ metadata: { 'a.b': null } }, { metadata: { 'a.b': null } }],
    [{ metadata: null }, { metadata: {} }],
    [
      { email: 'c@example.com', name: null },
      { email: 'c@example.com', name: null },
    ],
  ])('by %j is returned and stored', async (changes, after) => {
    const created = await create();
    const path = `/customers/${String(created.id)}`;
    const changed = await api.expect(200, api.request('PATCH', path, { body: changes }));
    expect(changed).toEqual({ ...created, ...after, updatedAt: expect.stringMatching(instant) });
    expect((await api.get(path)).body).toEqual(changed);
  });

  test.each([
    [{ externalId: 'other' }, ['externalId']],
    [{ externalId: null }, ['externalId']],
    [{ id: unknownId }, ['id']],
    [
      { organizationId: unknownId, createdAt: null, updatedAt: 1 },
      ['createdAt', 'organizationId', 'updatedAt'],
    ],
    [{ email: null }, ['email']],
    [{ currency: null }, ['currency']],
    [{ collectionMethod: null }, ['collectionMethod']],
    [{ email: '' }, ['email']],
    [{ email: 'malformed' }, ['email']],
    [{ email: 7 }, ['email']],
    [{ name: 'x'.repeat(201) }, ['name']],
    [{ name: 7 }, ['name']],
    [{ phone: 'x'.repeat(41) }, ['phone']],
    [{ address: 'here' }, ['address']],
    [{ address: { country: 'XX' } }, ['address']],
    [{ currency: 'XXX' }, ['currency']],
    [{ currency: 840 }, ['currency']],
    [{ collectionMethod: 'LATER' }, ['collectionMethod']],
    [{ metadata: [] }, ['metadata']],
    [{ metadata: { nested: {} } }, ['metadata']],
    [{ metadata: { $set: 1 } }, ['metadata']],
    [{ name: 'fine', email: 'malformed', currency: 'XXX' }, ['currency', 'email']],
    [{ currency: null }, ['currency']],
    [{ collectionMethod: null }, ['collectionMethod']],
  ])('by %j is refused and changes nothing', async (changes, fields) => {
    const created = await create();
    const path = `/customers/${String(created.id)}`;
    const { error } = await api.expect(400, api.request('PATCH', path, { body: changes }));
    expect(Object.keys(error).sort()).toEqual(fields);
    expect((await api.get(path)).body).toEqual(created);
  });

  test('without a difference does not change even the time', async () => {
    const created = await create();
    const path = `/customers/${String(created.id)}`;
    expect((await api.request('PATCH', path, { body: given })).body).toEqual(created);
  });

  test('names the ignored fields', async () => {
    const created = await create();
    const path = `/customers/${String(created.id)}`;
    const answer = await api.request('PATCH', path, { body: { nmae: 'x' } });
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([200, 'nmae']);
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
      const answer = await client.request('PATCH', `/customers/${path}`, { body: { name: 'x' } });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Customer not found' }]);
      expect(answer.headers.get('error-code')).toBe('customer_not_found');
    }
  });
});

test("the first invoice fixes its customer's currency permanently", async () => {
  const make = async (path: string, body: object): Promise<any> =>
    api.expect(201, api.post(path, body));
  const product = (currency: string, more: object = {}) =>
    make('/products', {
      name: currency,
      type: 'FLAT',
      currency,
      amount: 900,
      billingInterval: 'MONTHLY',
      ...more,
    });
  const [euro, dollar] = [await product('EUR'), await product('USD')];
  const { id: customerId } = await make('/customers', { email: 'a@b.co' });
  const path = `/customers/${String(customerId)}`;
  const subscribe = (productId: string) => api.post('/subscriptions', { customerId, productId });

  await api.expect(201, subscribe(euro.id));

  expect(await api.expect(200, api.get(path))).toMatchObject({ currency: 'EUR' });
  await api.expect(201, subscribe(euro.id));
  const problem = ["Currency USD differs from the customer's, EUR"];
  expect(await api.expect(400, subscribe(dollar.id))).toEqual({ error: { productId: problem } });
  const byPrice = { customerId, priceId: dollar.priceId };
  expect(await api.expect(400, api.post('/checkout', byPrice))).toEqual({
    error: { priceId: problem },
  });
  const byProduct = { customerId, productId: dollar.id };
  expect(await api.expect(400, api.post('/checkout', byProduct))).toEqual({
    error: { productId: problem },
  });
  await api.expect(201, api.post('/checkout', { customerId, productId: euro.id }));
  const patched = await api.request('PATCH', path, { body: { currency: 'USD' } });
  expect([patched.status, Object.keys(patched.body.error as object)]).toEqual([400, ['currency']]);
});
