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

describe('environments', () => {
  test('show nothing of each other', async () => {
    const customer = await api.expect(201, api.post('/customers', { email: 'a@b.co' }));
    const other = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    for (const stranger of [system.live, other]) {
      expect((await stranger.get(`/customers/${String(customer.id)}`)).status).toBe(404);
    }
    expect((await other.get('/invoices')).body.total).toBe(0);
  });

  test('that are live have no provider yet: a charge fails softly', async () => {
    const { live } = system;
    const customer = await live.expect(201, live.post('/customers', { email: 'a@b.co' }));
    const sold = await live.expect(201, live.post('/products', { ...product, currency: 'USD' }));
    const created = await live.expect(
      201,
      live.post('/subscriptions', {
        customerId: customer.id,
        productId: sold.id,
        authorizedTransactionId: 'real',
      }),
    );
    const invoice = await live.expect(
      200,
      live.get(`/invoices/${String(created.latestInvoiceId)}`),
    );
    expect(invoice.payments).toMatchObject([
      { status: 'FAILED', failureCode: 'no_payment_provider' },
    ]);
  });
});

describe('a sandbox', () => {
  test('is made with the live key only', async () => {
    const answer = await api.post('/sandboxes', {});
    expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
  });

  test('shows its clock and its key', async () => {
    const sandbox = await system.live.expect(
      201,
      system.live.post('/sandboxes', {
        name: 'demo',
        clock: 'MANUAL',
        startsAt: '2026-01-17T01:00:00+01:00',
      }),
    );
    expect(sandbox).toEqual({
      id: expect.stringMatching(uuid),
      name: 'demo',
      clock: 'MANUAL',
      now: '2026-01-17T00:00:00.000Z',
      key: expect.stringMatching(/^billing_test_[0-9A-Za-z]{49}$/),
      createdAt: expect.stringMatching(instant),
    });
    const client = system.client(sandbox.key as string);
    expect((await client.get('/sandboxes/clock')).body).toEqual({
      clock: 'MANUAL',
      now: sandbox.now,
    });
    expect(await client.advanceTo('2026-01-18T00:00:00Z')).toEqual({
      now: '2026-01-18T00:00:00.000Z',
      processed: 0,
    });
    const back = await client.post('/sandboxes/clock/advance', { to: '2026-01-17T23:59:59Z' });
    expect([back.status, Object.keys(back.body.error)]).toEqual([400, ['to']]);
    expect(await client.advanceTo('2026-01-18T00:00:00Z')).toMatchObject({ processed: 0 });
  });

  test.each([
    [{ clock: 'FAST' }, ['clock']],
    [{ clock: 'MANUAL', startsAt: 'soon' }, ['startsAt']],
    [{ clock: 'REAL', startsAt: '2026-01-01T00:00:00Z' }, ['startsAt']],
    [{ name: 'x'.repeat(201) }, ['name']],
  ])('is refused: %j', async (body, fields) => {
    const answer = await system.live.post('/sandboxes', body);
    expect([answer.status, Object.keys(answer.body.error)]).toEqual([400, fields]);
  });

  test('with a real clock, and the live environment, cannot be advanced', async () => {
    for (const client of [api, system.live]) {
      const answer = await client.post('/sandboxes/clock/advance', { to: '2030-01-01T00:00:00Z' });
      expect(answer.status).toBe(409);
    }
  });
});
