import { gzipSync } from 'node:zlib';
import type { ApiClient } from '../support/api-client';
import { product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('fields that callers may not choose', () => {
  const own = {
    id: unknownId,
    organizationId: unknownId,
    environmentId: unknownId,
    createdAt: '2000-01-01T00:00:00.000Z',
    updatedAt: '2000-01-01T00:00:00.000Z',
    version: 99,
    constructor: { prototype: { isAdmin: true } },
  };
  const customer = { email: 'a@example.com' };
  const discount = { name: 'Ten', type: 'PERCENTAGE', value: 10, duration: 'FOREVER' };
  const endpoint = { url: 'https://example.com', active: false };

  test.each<[string, object, Record<string, unknown>]>([
    ['/customers', customer, { balance: -100 }],
    ['/products', product, { priceId: unknownId, archived: true }],
    ['/discounts', discount, { timesRedeemed: -1 }],
    ['/webhook-endpoints', endpoint, { secret: 'whsec_AAAA' }],
    ['/api-keys', { name: 'x' }, { key: 'billing_live_x', prefix: 'x', lastUsedAt: own.createdAt }],
    ['/meters', { name: 'x' }, { total: 5 }],
  ])('of %s are ignored, and named', async (path, body, more) => {
    const wanted = { ...own, ...more };
    const answer = await api.post(path, { ...body, ...wanted });
    expect(answer.status).toBe(201);
    for (const [name, value] of Object.entries(wanted))
      expect(answer.body[name]).not.toEqual(value);
    const ignored = (answer.headers.get('ignored-fields') ?? '').split(', ');
    expect(ignored).toEqual(expect.arrayContaining(Object.keys(wanted)));
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test('of a subscription and an invoice cannot be changed either', async () => {
    const create = (path: string, body: object) => api.expect(201, api.post(path, body));
    const { id: customerId } = await create('/customers', customer);
    const { id: productId } = await create('/products', product);
    const made = await api.subscribe({ customerId, productId, status: 'CANCELED' });
    const path = `/subscriptions/${String(made.id)}`;
    const before = await api.expect(200, api.get(path));
    const wanted = { status: 'CANCELED', currentPeriodEnd: '2099-01-01T00:00:00.000Z', ...own };
    await api.request('PATCH', path, { body: wanted });
    const after = await api.expect(200, api.get(path));
    const { status, currentPeriodEnd, id, organizationId, createdAt } = before;
    expect(after).toMatchObject({ status, currentPeriodEnd, id, organizationId, createdAt });
    const invoice = `/invoices/${String(made.latestInvoiceId)}`;
    const changed = await api.request('PATCH', invoice, { body: { status: 'PAID', total: 0 } });
    const frozen = { status: ['Cannot be changed'], total: ['Cannot be changed'] };
    expect([changed.status, changed.body]).toEqual([400, { error: frozen }]);
    expect(await api.expect(200, api.get(invoice))).toMatchObject({ status: 'OPEN', total: 2900 });
  });
});

describe('bodies that are expensive to parse', () => {
  const send = async (
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string> = {},
  ) => {
    const answer = await fetch(`${system.gatewayUrl}/v1/customers`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${system.sandboxKey}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      body,
    });
    return { status: answer.status, body: await answer.text() };
  };
  const deep = (open: string, close: string, levels: number) =>
    open.repeat(levels) + close.repeat(levels);
  test.each<[string, () => ReturnType<typeof send>, number]>([
    ['lists in lists', () => send(deep('[', ']', 100_000)), 400],
    ['objects in objects', () => send(deep('{"a":', '1}', 20_000).replaceAll('1}', '}')), 400],
    [
      'nested metadata',
      () => send(`{"email":"a@b.co","metadata":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}}`),
      400,
    ],
    [
      'a bomb',
      () => send(gzipSync(Buffer.alloc(50_000_000, 32)), { 'Content-Encoding': 'gzip' }),
      413,
    ],
    ['an unknown coding', () => send('x', { 'Content-Encoding': 'zstd-of-mine' }), 415],
    [
      'thousands of fields',
      () =>
        send(
          JSON.stringify(
            Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`f${String(i)}`, 1])),
          ),
        ),
      400,
    ],
    [
      'a long email',
      () => send(JSON.stringify({ email: `${'a.'.repeat(60_000)}@${'b.'.repeat(60_000)}` })),
      400,
    ],
    [
      'a number of many digits',
      () => send(`{"email":"a@b.co","metadata":{"n":${'9'.repeat(200_000)}}}`),
      400,
    ],
  ])(
    'such as %s are refused quickly, without delaying other callers',
    async (_what, sendIt, status) => {
      const answer = await sendIt();
      expect([answer.status, answer.body.slice(0, 300)]).toEqual([status, expect.any(String)]);
      expect((await api.get('/customers?perPage=1')).status).toBe(200);
    },
  );

  test('and queries of a thousand parameters cost nothing', async () => {
    const query = Array.from({ length: 1_000 }, (_, index) => `p${String(index)}=1`).join('&');
    expect((await api.get(`/customers?${query}`)).status).toBe(200);
  });
});

describe('unknown paths and resources', () => {
  test.each([
    '/v2/customers',
    '/v0/customers',
    '/v1beta/customers',
    '/api/v1/customers',
    '/admin',
    '/metrics',
    '/debug',
    '/.env',
    '/.git/config',
    '/swagger.json',
    '/graphql',
    '/server-status',
  ])('%s', async (path) => {
    const answer = await fetch(`${system.gatewayUrl}${path}`, {
      headers: { Authorization: `Bearer ${system.sandboxKey}` },
    });
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Not found' }]);
  });
});
