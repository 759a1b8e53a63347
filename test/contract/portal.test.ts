import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;
let customerId: string;

const hourMs = 3_600_000;
const returnUrl = 'https://shop.example/account?tab=billing';

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
  ({ id: customerId } = await api.expect(201, api.post('/customers', { email: 'a@b.co' })));
});

const create = (body: object, headers: Record<string, string> = {}) =>
  api.post('/portal/sessions', body, headers);

describe('a portal session', () => {
  test('is returned with an address on the host of the pages, valid for an hour', async () => {
    const before = Date.now();
    const { status, body, headers } = await create({ customerId, returnUrl });
    expect([status, Object.keys(body).sort()]).toEqual([201, ['expiresAt', 'sessionId', 'url']]);
    expect(body.sessionId).toMatch(uuid);
    expect(headers.get('location')).toBe(`/v1/portal/sessions/${body.sessionId}`);
    const { origin, pathname } = new URL(body.url as string);
    expect([origin, pathname]).toEqual([
      system.gatewayUrl,
      expect.stringMatching(/^\/portal\/[\w-]{43}$/),
    ]);
    expect(body.expiresAt).toMatch(instant);
    const livesMs = new Date(body.expiresAt as string).getTime() - before;
    expect(livesMs).toBeGreaterThanOrEqual(hourMs);
    expect(livesMs).toBeLessThan(hourMs + 60_000);
  });

  test('lasts an hour of real time in an environment with a manual clock', async () => {
    const sandbox = await system.live.manualSandbox('2031-01-01T00:00:00Z');
    const customer = await sandbox.expect(201, sandbox.post('/customers', { email: 'a@b.co' }));
    const input = { customerId: customer.id };
    const { expiresAt } = await sandbox.expect(201, sandbox.post('/portal/sessions', input));
    const livesMs = new Date(expiresAt as string).getTime() - Date.now();
    expect(livesMs).toBeLessThanOrEqual(hourMs);
    expect(livesMs).toBeGreaterThan(hourMs - 60_000);
  });

  test('is not sent from a live environment without a mail server, nor to an unknown customer', async () => {
    const { live } = system;
    const { id } = await live.expect(201, live.post('/customers', { email: 'a@b.co' }));
    const send = (to: unknown) =>
      live.post('/portal/sessions', { customerId: to, sendEmail: true });
    const [known, unknown] = [await send(id), await send(unknownId)];
    expect([known.status, known.body]).toEqual([409, { error: 'No mail server is configured' }]);
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'Customer not found' }]);
  });

  test('accepts null for no return address', async () => {
    await api.expect(201, create({ customerId, returnUrl: null }));
  });

  test.each([unknownId, 'nonsense', ''])('of an unknown customer %j is 404', async (unknown) => {
    const { status, body, headers } = await create({ customerId: unknown });
    expect([status, body]).toEqual([404, { error: 'Customer not found' }]);
    expect(headers.get('error-code')).toBe('customer_not_found');
  });

  test('of another environment’s customer is 404', async () => {
    const input = { customerId };
    const { error } = await system.live.expect(404, system.live.post('/portal/sessions', input));
    expect(error).toBe('Customer not found');
  });

  test('needs a customer', async () => {
    const { error } = await api.expect(400, create({}));
    expect(error).toEqual({ customerId: ['Required'] });
  });

  test.each([
    'javascript:alert(1)',
    '/account',
    'ftp://shop.example',
    'https://user:secret@shop.example',
    `https://shop.example/${'x'.repeat(2_048)}`,
    7,
  ])('refuses the return address %#', async (address) => {
    const input = { customerId, returnUrl: address };
    expect(await api.refusedFields('/portal/sessions', input)).toEqual(['returnUrl']);
  });

  test('is returned with all its fields under its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'portal' };
    const first = await create({ customerId, returnUrl }, key);
    const again = await create({ customerId, returnUrl }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await create({ customerId }, key)).status).toBe(422);
    const other = await create({ customerId, returnUrl });
    expect(other.body.url).not.toBe(first.body.url);
  });

  test('needs the scope portal:write', async () => {
    const keyWith = async (scope: string) => {
      const made = await api.expect(201, api.post('/api-keys', { name: 'x', scopes: [scope] }));
      return system.client(made.key as string);
    };
    const [allowed, refused] = [await keyWith('portal:write'), await keyWith('customers:write')];
    expect((await allowed.post('/portal/sessions', { customerId })).status).toBe(201);
    expect((await refused.post('/portal/sessions', { customerId })).status).toBe(403);
  });

  test('can only be created: its address supports no other method', async () => {
    const answer = await api.get('/portal/sessions');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
