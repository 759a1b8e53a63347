import type { ApiClient } from '../support/api-client';
import { instant, product, unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;
let customerId: string;
let productId: string;
const ids: string[] = [];
const invoices: string[] = [];

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  const body = { email: 'a@example.com', currency: 'EUR' };
  customerId = (await api.expect(201, api.post('/customers', body))).id;
  productId = (await api.expect(201, api.post('/products', product))).id;
  // One paid, one past due, one canceled with its invoice void.
  const cards = ['4242424242424242', '4000000000000002', '4000000000009995'];
  for (const [index, card] of cards.entries()) {
    await api.advanceTo(`2026-01-31T00:00:0${String(index)}.000Z`);
    const created = await subscribe({
      authorizedTransactionId: `txn_${card}`,
      metadata: { card },
    });
    ids.unshift(created.id as string);
    invoices.unshift(created.latestInvoiceId as string);
  }
  await api.expect(200, api.post(`/subscriptions/${String(ids[0])}/cancel`));
  await api.advanceTo('2026-01-31T00:00:03.000Z');
});

function subscribe(parts: object = {}): Promise<any> {
  return api.subscribe({ customerId, productId, ...parts });
}

// Filters refer to resources that exist only once the tests run.
const named = (query: string) =>
  query
    .replace('CUSTOMER', customerId)
    .replace('PRODUCT', productId)
    .replace('CANCELED_ONE', ids[0] ?? '')
    .replace('UNKNOWN', unknownId);

describe.each([
  ['/subscriptions', ids],
  ['/invoices', invoices],
])('the list at %s', (path, expected) => {
  test('has the envelope of every list, newest first', async () => {
    const list = await api.expect(200, api.get(path));
    expect(list).toEqual({ data: expect.any(Array), total: 3, page: 1, perPage: 20 });
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual(expected);
    expect(list.data[0]).toEqual((await api.get(`${path}/${String(expected[0])}`)).body);
  });

  test('is read page by page, and past the end it is empty', async () => {
    const page = (number: string) => api.expect(200, api.get(`${path}?page=${number}&perPage=2`));
    expect((await page('2')).data.map(({ id }: { id: string }) => id)).toEqual(expected.slice(2));
    expect(await page('9007199254740991')).toMatchObject({ data: [], total: 3 });
  });

  test('shows no resource of another environment', async () => {
    const other = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    const list = await other.expect(200, other.get(`${path}?customerId=${customerId}`));
    expect(list).toEqual({ data: [], total: 0, page: 1, perPage: 20 });
  });

  test.each([
    ['page=0', 'page'],
    ['perPage=101', 'perPage'],
    ['status=', 'status'],
    ['status=active', 'status'],
    ['status=NEW', 'status'],
    ['status=ACTIVE&status=CANCELED', 'status'],
    ['customerId=a&customerId=b', 'customerId'],
  ])('is refused with %s', async (query, field) => {
    const { error } = await api.expect(400, api.get(`${path}?${query}`));
    expect(Object.keys(error)).toEqual([field]);
  });
});

test.each<[string, number[]]>([
  ['customerId=CUSTOMER', [0, 1, 2]],
  ['productId=PRODUCT', [0, 1, 2]],
  ['status=ACTIVE', [2]],
  ['status=PAST_DUE', [1]],
  ['status=CANCELED', [0]],
  ['customerId=CUSTOMER&productId=PRODUCT&status=ACTIVE', [2]],
  ['phase=REGULAR', [1, 2]],
  ['phase=TRIAL', []],
  ['phase=ENDED', [0]],
  ['status=ACTIVE&phase=REGULAR', [2]],
  ['renewsBefore=2026-02-28T00:00:00.000Z', []],
  ['renewsBefore=2026-03-01T00:00:00.000Z', [1, 2]],
  ['renewsBefore=2026-03-01T00:00:00.000Z&phase=REGULAR&status=ACTIVE', [2]],
  ['renewsBefore=2026-03-01T00:00:00.000Z&phase=TRIAL', []],
  ['customerId=UNKNOWN&status=ACTIVE', []],
  ['customerId=x', []],
  ['customerId=', []],
  ['productId=x', []],
  ['productId=UNKNOWN', []],
])('subscriptions filtered by %s are those at %j', async (query, found) => {
  const list = await api.expect(200, api.get(`/subscriptions?${named(query)}`));
  expect(list.data.map(({ id }: { id: string }) => ids.indexOf(id))).toEqual(found);
  expect(list.total).toBe(found.length);
});

test.each<[string, number[]]>([
  ['status=DRAFT', []],
  ['status=OPEN', [1]],
  ['status=PAID', [2]],
  ['status=VOID', [0]],
  ['status=UNCOLLECTIBLE', []],
  ['status=VOID&subscriptionId=CANCELED_ONE', [0]],
  ['status=PAID&subscriptionId=CANCELED_ONE', []],
  ['status=OPEN&customerId=CUSTOMER', [1]],
  ['status=OPEN&customerId=x', []],
])('invoices filtered by %s are those at %j', async (query, found) => {
  const list = await api.expect(200, api.get(`/invoices?${named(query)}`));
  expect(list.data.map(({ id }: { id: string }) => invoices.indexOf(id))).toEqual(found);
  expect(list.total).toBe(found.length);
});

describe('a change of a subscription', () => {
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    api.request('PATCH', `/subscriptions/${id}`, { body, headers });

  test.each([
    [{ metadata: { 'a.b': null, n: 1 } }, { metadata: { 'a.b': null, n: 1 } }],
    [{ metadata: {} }, { metadata: {} }],
    [{ metadata: null }, { metadata: {} }],
  ])('by %j is returned and stored', async (changes, after) => {
    const created = await subscribe({ metadata: { kept: 1 } });
    const changed = await api.expect(200, patch(created.id, changes));
    expect(changed).toEqual({ ...created, ...after, updatedAt: expect.stringMatching(instant) });
    expect((await api.get(`/subscriptions/${String(created.id)}`)).body).toEqual(changed);
  });

  test.each([{}, { metadata: { kept: 1 } }])('by %j keeps its version', async (changes) => {
    const created = await subscribe({ metadata: { kept: 1 } });
    const before = await api.get(`/subscriptions/${String(created.id)}`);
    const after = await patch(created.id, changes);
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  test.each([
    'id organizationId customerId productId priceId status phase entitled quantity currency',
    'startAt currentPeriodStart currentPeriodEnd nextInvoiceAt trialStart trialEnd',
    'cancelAtPeriodEnd canceledAt endedAt cancelReason discountId discountEndsAt',
    'latestInvoiceId authorizedTransactionId createdAt updatedAt items price customer',
  ])('of %s is refused under each name', async (names) => {
    const fields = names.split(' ');
    const body = Object.fromEntries(fields.map((field) => [field, null]));
    const { error } = await api.expect(400, patch(ids[2] ?? '', body));
    expect(Object.keys(error).sort()).toEqual(fields.sort());
  });

  test.each([[[]], ['x'], [{ nested: {} }], [{ $set: 1 }]])(
    'to metadata %j is refused',
    async (metadata) => {
      const { error } = await api.expect(400, patch(ids[2] ?? '', { metadata }));
      expect(Object.keys(error)).toEqual(['metadata']);
    },
  );

  test.each([unknownId, 'x'])('of an unknown id (%s) is 404', async (id) => {
    const answer = await patch(id, { metadata: {} });
    expect([answer.status, answer.body]).toEqual([404, { error: 'Subscription not found' }]);
  });

  test.each([
    ['PATCH', '', { metadata: { seen: 'now' } }],
    ['POST', '/cancel', { atPeriodEnd: true }],
    ['POST', '/uncancel', {}],
  ])('by %s %s requires the current version in If-Match', async (method, verb, body) => {
    const { id } = await subscribe();
    const path = `/subscriptions/${String(id)}`;
    const seen = (await api.get(path)).headers.get('etag') ?? '';
    await api.expect(200, patch(id, { metadata: { changed: true } }));
    const current = (await api.get(path)).headers.get('etag') ?? '';
    const call = (tag: string) =>
      api.request(method, `${path}${verb}`, { body, headers: { 'If-Match': tag } });

    const stale = await call(seen);
    expect([stale.status, stale.body]).toEqual([412, { error: 'Stale version' }]);
    expect((await api.get(path)).headers.get('etag')).toBe(current);
    expect((await call(current)).status).toBe(200);
  });
});
