import { newId } from '@billing/chassis/ids';
import { insertMissing } from '@billing/chassis/inserts';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { documentsNaming } from './environment-documents';
import { ownerTime, routeExamples } from '../support/isolation/isolation-examples';
import { instant, product, unknownId, uuid } from '../support/patterns';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

let system: OwnTestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
});

describe('environments', () => {
  test('share no resource', async () => {
    const customer = await api.expect(201, api.post('/customers', { email: 'a@b.co' }));
    const other = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    for (const stranger of [system.live, other]) {
      expect((await stranger.get(`/customers/${String(customer.id)}`)).status).toBe(404);
    }
    expect((await other.get('/invoices')).body.total).toBe(0);
  });

  test('that are live have no provider yet: no payment is charged, and the invoice gives the reason', async () => {
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
    await eventually(async () => {
      const list = `/invoices?subscriptionId=${String(created.id)}`;
      const [invoice] = (await live.expect(200, live.get(list))).data;
      expect(invoice).toMatchObject({
        status: 'OPEN',
        payments: [],
        lastPaymentError: { code: 'no_payment_provider' },
      });
    });
  });
});

describe('a sandbox', () => {
  test('can be created with the live key only', async () => {
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

  test('advances by at most five years per request', async () => {
    const client = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    const far = await client.post('/sandboxes/clock/advance', { to: '2031-01-01T00:00:00.001Z' });
    expect([far.status, far.body]).toEqual([
      400,
      { error: { to: ['Must be at most 5 years ahead'] } },
    ]);
    expect(await client.advanceTo('2031-01-01T00:00:00Z')).toEqual({
      now: '2031-01-01T00:00:00.000Z',
      processed: 0,
    });
  });

  test('stops an advance, and answers the same without one', async () => {
    const client = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    const customer = await client.expect(201, client.post('/customers', { email: 'a@b.co' }));
    // So many renewals that the advance is never complete before it is stopped.
    const daily = { ...product, currency: 'USD', billingInterval: 'DAILY' };
    const sold = await client.expect(201, client.post('/products', daily));
    const price = { productId: sold.id, customerId: customer.id, authorizedTransactionId: 'ok' };
    await client.expect(201, client.post('/subscriptions', price));
    const to = '2030-12-31T00:00:00.000Z';
    const running = client.post('/sandboxes/clock/advance', { to });
    await eventually(async () => {
      const { now } = (await client.get('/sandboxes/clock')).body;
      expect(now > '2026-01-01T00:00:00.000Z').toBe(true);
    });
    const stopped = await client.request('DELETE', '/sandboxes/clock/advance');
    expect([stopped.status, stopped.body]).toEqual([
      200,
      { clock: 'MANUAL', now: expect.stringMatching(instant) },
    ]);
    const { status, body } = await running;
    expect([status, body]).toEqual([
      200,
      { now: stopped.body.now, processed: expect.any(Number), stopped: true },
    ]);
    expect(body.now < to).toBe(true);
    const again = await client.request('DELETE', '/sandboxes/clock/advance');
    expect([again.status, again.body]).toEqual([200, stopped.body]);
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

describe('the sandboxes of an organization', () => {
  const create = async (name?: string) =>
    system.live.expect(201, system.live.post('/sandboxes', { name, clock: 'MANUAL' }));

  test('are listed with their last use, newest first, with the live key only', async () => {
    const made = await create('listed');
    const { key: _key, ...shown } = made;
    const first = (await system.live.get('/sandboxes?perPage=1')).body;
    expect(first).toMatchObject({ page: 1, perPage: 1, data: [{ ...shown, lastUsedAt: null }] });
    await system.client(made.key as string).get('/customers');
    await eventually(async () => {
      const { data } = (await system.live.get('/sandboxes?perPage=1')).body;
      expect(data[0].lastUsedAt).toMatch(instant);
    });
    expect((await api.get('/sandboxes')).status).toBe(403);
  });

  test('are renamed', async () => {
    const { id } = await create('before');
    const path = `/sandboxes/${String(id)}`;
    const renamed = await system.live.request('PATCH', path, { body: { name: ' after ' } });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'after']);
    const stale = { body: { name: 'x' }, headers: { 'If-Match': '"99"' } };
    expect((await system.live.request('PATCH', path, stale)).status).toBe(412);
    const long = await system.live.request('PATCH', path, { body: { name: 'x'.repeat(201) } });
    expect([long.status, Object.keys(long.body.error)]).toEqual([400, ['name']]);
    const cleared = await system.live.request('PATCH', path, { body: { name: null } });
    expect(cleared.body.name).toBeNull();
    expect((await api.request('PATCH', path, { body: { name: 'x' } })).status).toBe(403);
  });

  test('are unknown where their id is malformed or of no sandbox', async () => {
    for (const id of [unknownId, 'nonsense']) {
      const answer = await system.live.delete(`/sandboxes/${id}`);
      expect([answer.status, answer.body]).toEqual([404, { error: 'Sandbox not found' }]);
    }
  });

  test('are limited to 1,000 per organization', async () => {
    const { body } = await system.live.post('/customers', { email: 'a@b.co' });
    const { uri, database } = system.databaseOf('identity');
    const mongo = await connectMongo({ uri, database, service: 'test' });
    const slots = mongo.db.collection<{ _id: string }>('sandboxSlots');
    const held = Array.from({ length: 1_000 }, (_, index) => ({
      _id: `${String(body.organizationId)}:${String(index + 1)}`,
      organizationId: body.organizationId,
      environmentId: newId(),
      heldAt: new Date(),
    }));
    await insertMissing(slots, held);
    const refused = await system.live.post('/sandboxes', {});
    await slots.deleteMany({ environmentId: { $in: held.map((slot) => slot.environmentId) } });
    await mongo.close();
    expect([refused.status, refused.body]).toEqual([409, { error: 'Sandbox limit reached' }]);
    expect(refused.headers.get('error-code')).toBe('sandbox_limit_reached');
    expect((await system.live.post('/sandboxes', {})).status).toBe(201);
  });

  test('are deleted with all their data in every service', async () => {
    const made = await system.live.expect(
      201,
      system.live.post('/sandboxes', { clock: 'MANUAL', startsAt: ownerTime }),
    );
    const id = String(made.id);
    const client = system.client(made.key as string);
    await routeExamples(client);
    const before = await documentsNaming(id, system);
    // Guards against an empty, and so meaningless, comparison.
    expect(Object.keys(before).length).toBeGreaterThan(15);

    expect((await api.delete(`/sandboxes/${id}`)).status).toBe(403);
    expect((await client.get('/customers')).status).toBe(200);
    expect((await system.live.delete(`/sandboxes/${id}`)).status).toBe(204);
    const ended = await client.get('/customers');
    expect([ended.status, ended.body]).toEqual([401, { error: 'Invalid or expired API key' }]);
    const again = await system.live.delete(`/sandboxes/${id}`);
    expect([again.status, again.body]).toEqual([404, { error: 'Sandbox not found' }]);
    // A call with a key that a gateway still had cached may have written last; the sweep removes
    // that.
    await eventually(async () => {
      expect(await documentsNaming(id, system)).toEqual({});
    });
    const { data } = (await system.live.get('/sandboxes?perPage=100')).body;
    expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
  });
});
