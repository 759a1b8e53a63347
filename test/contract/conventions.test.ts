import { request as httpRequest } from 'node:http';
import type { ApiClient } from '../support/api-client';
import { unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('without a valid key', () => {
  const bad = 'billing_test_0000000000000000000000000000000000000000000000000';

  test.each([
    ['no header', undefined, '/customers'],
    ['an unknown key', bad, '/customers'],
    ['an unknown key on an unknown route', bad, '/nothing'],
    ['no header on an unknown route', undefined, '/nothing'],
    ['text that is no key', 'x', '/products/1'],
  ])('%s is 401 with exactly this message', async (_case, key, path) => {
    const answer = await system.client(key).post(path);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'Invalid or expired API key' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('error-code')).toBe('invalid_api_key');
  });

  test('another scheme is 401', async () => {
    const answer = await api.request('GET', '/customers/x', {
      headers: { Authorization: 'Basic eDp5' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('routing', () => {
  test('an unknown path is 404', async () => {
    const answer = await api.get('/nothing');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: 'Not found' });
    expect(answer.headers.get('error-code')).toBe('not_found');
  });

  test('a known path with another method is 405 and lists the allowed ones', async () => {
    const answer = await api.delete('/customers');
    expect(answer.status).toBe(405);
    expect(answer.body).toEqual({ error: 'Method not allowed' });
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    expect(answer.headers.get('error-code')).toBe('method_not_allowed');
  });

  test('an undecodable path is 404, and 401 without a key', async () => {
    expect((await api.get('/customers/%zz')).status).toBe(404);
    const answer = await fetch(`${api.gatewayUrl}/v1/customers/%zz`);
    expect([answer.status, await answer.text()]).toEqual([
      401,
      '{"error":"Invalid or expired API key"}',
    ]);
  });

  test.each([
    ['/customers', 'Customer not found'],
    ['/products', 'Product not found'],
    ['/subscriptions', 'Subscription not found'],
    ['/invoices', 'Invoice not found'],
    ['/webhook-endpoints', 'Webhook endpoint not found'],
  ])('an id that %s does not have is 404, malformed or not', async (path, error) => {
    for (const id of [unknownId, 'not-a-uuid', '%20', "'; drop", '../x'.replaceAll('/', '%2f')]) {
      const answer = await api.get(`${path}/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({ error });
      expect(answer.headers.get('error-code')).toBe(
        error.toLowerCase().replace(' not found', '_not_found').replaceAll(' ', '_'),
      );
    }
  });
});

test('an unknown query parameter is named in a header', async () => {
  for (const [path, status] of [
    ['/customers?pge=2', 200],
    ['/customers?pge=2&page=x', 400],
    [`/customers/${unknownId}?pge=2`, 404],
  ] as const) {
    const answer = await api.get(path);
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([status, 'pge']);
  }
});

describe('a body', () => {
  test('with invalid JSON is 400', async () => {
    const answer = await api.post('/customers', '{"email":');
    expect([answer.status, answer.body]).toEqual([400, { error: 'Malformed JSON' }]);
    expect(answer.headers.get('error-code')).toBe('malformed_json');
  });

  test.each(['[]', '"text"', '7', 'null'])('that is not an object is 400: %s', async (body) => {
    const answer = await api.post('/customers', body);
    expect([answer.status, answer.body]).toEqual([400, { error: 'Body must be a JSON object' }]);
  });

  test.each([
    ['nested 60,000 deep', `{"email":"a@b.co","x":${'['.repeat(60_000)}${']'.repeat(60_000)}}`],
    ['with half a character', '{"email":"a@b.co","externalId":"\\ud800"}'],
  ])('%s is 400, with a key and without', async (_case, body) => {
    const variants: Record<string, string>[] = [{}, { 'Idempotency-Key': 'odd' }];
    for (const headers of variants) {
      const answer = await api.post('/customers', body, headers);
      expect([answer.status, answer.body]).toEqual([400, { error: 'Malformed JSON' }]);
    }
  });

  test('of another type is 415', async () => {
    const answer = await api.post('/customers', 'email=a', { 'Content-Type': 'text/plain' });
    expect([answer.status, answer.body]).toEqual([
      415,
      { error: 'Content-Type must be application/json' },
    ]);
    expect(answer.headers.get('error-code')).toBe('unsupported_media_type');
  });

  test.each(['utf-7', 'utf-16', 'ISO-8859-1', 'utf-8x', '""'])(
    'in the charset %s is 415',
    async (charset) => {
      const headers = { 'Content-Type': `application/json; charset=${charset}` };
      for (const path of ['/customers', '/events/ingest']) {
        const answer = await api.post(path, '{}', headers);
        expect([answer.status, answer.body]).toEqual([
          415,
          { error: 'Content-Type must be application/json' },
        ]);
      }
    },
  );

  test.each(['UTF-8', '"utf-8"'])('in the charset %s is read', async (charset) => {
    const headers = { 'Content-Type': `application/json;charset=${charset}` };
    const answer = await api.post('/customers', { email: 'a@b.co', name: 'Ünï' }, headers);
    expect([answer.status, answer.body.name]).toEqual([201, 'Ünï']);
  });

  test('with problems of shape, format and bounds gets all of them reported, and stores nothing', async () => {
    const externalId = 'all-at-once';
    const answer = await api.post('/customers', { email: 'x', name: 1, externalId });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: { name: ['Must be a string'], email: ['Invalid email'] } },
    ]);
    const { body } = await api.get(`/customers?externalId=${externalId}`);
    expect(body.total).toBe(0);
  });

  test.each([
    ['/customers', { email: 'a@b.co' }, ['name', 'phone', 'externalId']],
    ['/meters', {}, ['name', 'unit']],
    ['/checkout-links', { productIds: ['x'] }, ['label']],
    ['/api-keys', {}, ['name']],
    ['/webhook-endpoints', { url: 'https://example.com' }, ['description']],
    ['/subscriptions', { customerId: 'x', productId: 'x' }, ['authorizedTransactionId']],
  ])('of %s with control characters in one-line texts is 400', async (path, rest, fields) => {
    const texts = Object.fromEntries(fields.map((field) => [field, 'a\r\nb\u0000']));
    const answer = await api.post(path, { ...rest, ...texts });
    const refused = Object.fromEntries(
      fields.map((field) => [field, ['Must not contain control characters']]),
    );
    expect([answer.status, answer.body]).toEqual([400, { error: refused }]);
  });

  test('over 256 kB is 413', async () => {
    const answer = await api.post('/customers', { email: 'a@b.co', name: 'x'.repeat(256 * 1024) });
    expect([answer.status, answer.body]).toEqual([413, { error: 'Request body too large' }]);
    expect(answer.headers.get('error-code')).toBe('request_too_large');
  });

  test('that is absent counts as empty', async () => {
    const answer = await api.request('POST', '/customers');
    expect([answer.status, answer.body]).toEqual([400, { error: { email: ['Required'] } }]);
  });

  test.each([
    ['/customers', 5],
    ['/events/ingest', 5],
    ['/events/ingest', true],
  ])('to %s that is the scalar %j is refused', async (path, body) => {
    const answer = await api.post(path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: 'Body must be a JSON object' }]);
  });

  test('with unknown fields is accepted, and the response names them', async () => {
    const answer = await api.post('/customers', { email: 'a@b.co', emial: 'x', nmae: 1 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('ignored-fields')).toBe('emial, nmae');
  });

  test('with a typo together with an invalid field is refused, and the response names the typo', async () => {
    const answer = await api.post('/customers', { email: 'no address', nmae: 'Ada' });
    expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([400, 'nmae']);
  });

  test.each(['', 'text'])(
    'in chunks without a content type counts as absent where none is expected: %j',
    async (body) => {
      const response = await fetch(`${api.gatewayUrl}/v1/customers`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${String(api.key)}` },
        body: new Blob([body]).stream(),
        duplex: 'half',
      });
      expect(response.status).toBe(body === '' ? 400 : 415);
    },
  );
});

describe('a required field that is missing or null', () => {
  test.each([
    ['/customers', ['email']],
    ['/products', ['amount', 'billingInterval', 'currency', 'name', 'type']],
    ['/subscriptions', ['customerId', 'productId']],
    ['/balance-entries', ['amount', 'customerId', 'description']],
    ['/tax-rates', ['country', 'name', 'percent']],
    ['/credit-notes', ['invoiceId', 'reason']],
    ['/webhook-endpoints', ['url']],
    ['/api-keys', ['name']],
    ['/sandboxes/clock/advance', ['to']],
  ])('is Required at %s', async (path, fields) => {
    const expected = Object.fromEntries(fields.map((field) => [field, ['Required']]));
    expect(await api.expect(400, api.post(path))).toEqual({ error: expected });
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    expect(await api.expect(400, api.post(path, nulls))).toEqual({ error: expected });
  });
});

describe('an irreversible action', () => {
  test.each([
    ['/subscriptions/:id/cancel', { at_period_end: true }],
    ['/subscriptions/:id/uncancel', { at_period_end: true }],
    ['/invoices/:id/pay', { at_period_end: true }],
    ['/invoices/:id/void', { at_period_end: true }],
    ['/invoices/:id/payments', { method: 'CASH', at_period_end: true }],
    ['/invoices/:id/mark-uncollectible', { at_period_end: true }],
    ['/invoices/:id/finalize', { at_period_end: true }],
    ['/credit-notes', { invoiceId: unknownId, reason: 'OTHER', at_period_end: true }],
    ['/refunds/:id/settle', { to: 'BALANCE', at_period_end: true }],
    ['/sandboxes/clock/advance', { at_period_end: true, to: '2030-01-01T00:00:00Z' }],
  ])('refuses an unknown field: %s', async (path, body) => {
    const answer = await api.post(path.replace(':id', unknownId), body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: { at_period_end: ['Unknown field'] } });
    expect(answer.headers.get('ignored-fields')).toBeNull();
  });

  test.each([
    ['/subscriptions/:id/cancel', 'atPeriodEnd', undefined],
    ['/subscriptions/:id/uncancel', 'dryRun', undefined],
    ['/invoices/:id/pay', 'authorizedTransactionId', undefined],
    ['/invoices/:id/void', 'dryRun', undefined],
    ['/sandboxes/clock/advance', 'dryRun', { to: '2030-01-01T00:00:00Z' }],
  ])('refuses an unknown query parameter: %s?%s', async (path, name, body) => {
    const answer = await api.post(`${path.replace(':id', unknownId)}?${name}=true`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: { [name]: ['Unknown field'] } });
    expect(answer.headers.get('ignored-fields')).toBeNull();
  });

  test('names an unknown field together with an invalid one', async () => {
    const path = `/subscriptions/${unknownId}/cancel`;
    const body = { at_period_end: true, atPeriodEnd: 'yes' };
    expect(await api.expect(400, api.post(path, body))).toEqual({
      error: { atPeriodEnd: ['Must be true or false'], at_period_end: ['Unknown field'] },
    });
  });
});

describe('null in a PATCH', () => {
  test.each([
    ['/customers', ['email', 'currency', 'collectionMethod']],
    ['/products', ['name', 'active', 'amount']],
    ['/discounts', ['name', 'active']],
    ['/meters', ['name', 'aggregation', 'active']],
    ['/checkout-links', ['label', 'active']],
    ['/webhook-endpoints', ['url', 'events', 'active']],
  ])('of %s is refused for a field that has a default or is required', async (path, fields) => {
    const body = Object.fromEntries(fields.map((field) => [field, null]));
    const answer = await api.request('PATCH', `${path}/${unknownId}`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: Object.fromEntries(fields.map((field) => [field, ['Required']])),
    });
  });
});

describe('every response', () => {
  test('carries a request id and a trace id', async () => {
    const answer = await api.get('/nothing');
    expect(answer.headers.get('x-request-id')).toMatch(uuid);
    expect(answer.headers.get('trace-id')).toMatch(/^[0-9a-f]{32}$/);
  });

  test('echoes a valid request id of the caller', async () => {
    const ids = [
      ['order-7._x', 'order-7._x'],
      ['with space', expect.stringMatching(uuid)],
      ['x'.repeat(129), expect.stringMatching(uuid)],
    ] as const;
    for (const [given, expected] of ids) {
      const answer = await api.request('GET', '/nothing', { headers: { 'X-Request-Id': given } });
      expect(answer.headers.get('x-request-id')).toEqual(expected);
    }
  });

  test("to a creation contains the resource's location", async () => {
    const answer = await api.post('/customers', { email: 'a@b.co' });
    expect(answer.headers.get('location')).toBe(`/v1/customers/${String(answer.body.id)}`);
    expect((await api.get(`/customers/${String(answer.body.id)}`)).body).toEqual(answer.body);
  });
});

describe('probes', () => {
  test.each(['/healthz', '/readyz'])('%s needs no key', async (path) => {
    const response = await fetch(`${system.gatewayUrl}${path}`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });
});

test('a caller that disconnects in the middle of a body affects no other caller', async () => {
  await new Promise<void>((resolve) => {
    const request = httpRequest(`${system.gatewayUrl}/v1/customers`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${system.sandboxKey}`,
        'Content-Type': 'application/json',
        'Content-Length': 1000,
      },
    });
    request.on('error', () => undefined);
    request.on('close', resolve);
    request.write('{"email":', () => request.destroy());
  });
  expect((await api.get('/nothing')).status).toBe(404);
});

describe('a list', () => {
  const paths = [
    '/customers',
    '/products',
    '/subscriptions',
    '/invoices',
    '/discounts',
    '/checkout-links',
  ];
  let idsOf: Record<string, string[]>;

  beforeAll(async () => {
    const made = { '/customers': [] as string[], '/products': [] as string[] };
    for (const name of ['a', 'b', 'c']) {
      const { body: customer } = await api.post('/customers', { email: `${name}@b.co` });
      const price = { type: 'FLAT', currency: 'USD', amount: 100, billingInterval: 'MONTHLY' };
      const { body: product } = await api.post('/products', { name, ...price });
      await api.subscribe({ customerId: customer.id, productId: product.id });
      made['/customers'].push(customer.id);
      made['/products'].push(product.id);
      const terms = { type: 'PERCENTAGE', value: 10, duration: 'ONCE' };
      await api.post('/discounts', { name, ...terms });
      await api.post('/checkout-links', { label: name, productIds: [product.id] });
    }
    const ids = async (path: string) =>
      (await api.get(`${path}?perPage=3`)).body.data.map(({ id }: { id: string }) => id).reverse();
    idsOf = {
      ...made,
      '/subscriptions': await ids('/subscriptions'),
      '/invoices': await ids('/invoices'),
      '/discounts': await ids('/discounts'),
      '/checkout-links': await ids('/checkout-links'),
    };
  });

  test.each(paths)('of %s can be restricted to ids, newest or oldest first', async (path) => {
    const [first = '', second, third = ''] = idsOf[path] ?? [];
    const unknown = '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f';
    const asked = `${path}?ids=${[third, first, unknown, 'malformed'].join()}`;
    const shown = async (query: string) => {
      const { body } = await api.get(query);
      return { total: body.total, ids: body.data.map(({ id }: { id: string }) => id) };
    };
    expect(await shown(asked)).toEqual({ total: 2, ids: [third, first] });
    expect(await shown(`${asked}&order=asc`)).toEqual({ total: 2, ids: [first, third] });
    expect(await shown(`${asked}&order=asc&perPage=1&page=2`)).toEqual({ total: 2, ids: [third] });
    expect(await shown(`${path}?ids=malformed`)).toEqual({ total: 0, ids: [] });
    const { ids } = await shown(`${path}?order=desc&perPage=3`);
    expect(ids).toEqual([third, second, first]);
  });

  test.each(paths)(
    'of %s refuses other orders, and an empty or too long list of ids',
    async (path) => {
      const ids = ['Must be 1 to 100 ids, separated by commas'];
      for (const sent of ['', 'a,,b', Array(101).fill('a').join()]) {
        const { status, body } = await api.get(`${path}?ids=${sent}&order=up`);
        expect([status, body]).toEqual([
          400,
          { error: { order: ['Must be one of asc, desc'], ids } },
        ]);
      }
    },
  );
});
