import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

async function create(body: object = {}, client: ApiClient = api): Promise<any> {
  return client.expect(201, client.post('/meters', { name: 'Calls', ...body }));
}

describe('a meter', () => {
  test('is returned with all its fields', async () => {
    const answer = await api.post('/meters', { name: 'Calls' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/meters/${String(answer.body.id)}`);
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      name: 'Calls',
      aggregation: 'SUM',
      uniqueProperty: null,
      unit: null,
      active: true,
      metadata: {},
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
  });

  test.each<[string, unknown, string[]]>([
    ['no name', {}, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name of 121 characters', { name: 'x'.repeat(121) }, ['name']],
    ['an unknown aggregation', { name: 'x', aggregation: 'AVG' }, ['aggregation']],
    ['a unique count of nothing', { name: 'x', aggregation: 'UNIQUE_COUNT' }, ['uniqueProperty']],
    ['a text for active', { name: 'x', active: 'yes' }, ['active']],
    ['nested metadata', { name: 'x', metadata: { a: {} } }, ['metadata']],
  ])('with %s is refused', async (_what, body, fields) => {
    expect(await api.refusedFields('/meters', body)).toEqual(fields);
  });

  test('is updated field by field, and null clears', async () => {
    const { id } = await create({ unit: 'calls', metadata: { a: 1 } });
    const changed = await api.request('PATCH', `/meters/${String(id)}`, {
      body: { name: 'Hits', unit: null, active: false },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: 'Hits', unit: null, active: false });
    expect(changed.body.metadata).toEqual({ a: 1 });
    const stale = await api.request('PATCH', `/meters/${String(id)}`, {
      body: { name: 'Late' },
      headers: { 'If-Match': '"1"' },
    });
    expect([stale.status, stale.body]).toEqual([412, { error: 'Stale version' }]);
  });

  test('keeps its aggregation once an event exists', async () => {
    const { id } = await create();
    const path = `/meters/${String(id)}`;
    const before = await api.request('PATCH', path, { body: { aggregation: 'COUNT' } });
    expect(before.body.aggregation).toBe('COUNT');
    const customer = await api.expect(201, api.post('/customers', { email: 'a@b.co' }));
    const events = [{ customerId: customer.id, meterId: id }];
    await api.expect(201, api.post('/events/ingest', { events }));
    const after = await api.request('PATCH', path, { body: { aggregation: 'SUM' } });
    expect(after.status).toBe(400);
    expect(Object.keys(after.body.error)).toEqual(['aggregation']);
    const same = await api.request('PATCH', path, { body: { aggregation: 'COUNT', name: 'N' } });
    expect([same.status, same.body.name]).toEqual([200, 'N']);
  });

  test('is shown unchanged after its first event, since no webhook announces it', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
    const made = await create({}, sandbox);
    const customer = await sandbox.expect(201, sandbox.post('/customers', { email: 'a@b.co' }));
    await sandbox.advanceTo('2026-02-01T00:00:00.000Z');
    const events = [{ customerId: customer.id, meterId: made.id, eventId: 'first' }];
    await sandbox.expect(201, sandbox.post('/events/ingest', { events }));
    expect(await sandbox.expect(200, sandbox.get('/meters'))).toEqual([made]);
  });

  test('is deleted once, and unknown from then on', async () => {
    const { id } = await create();
    const path = `/meters/${String(id)}`;
    expect((await api.delete(path)).status).toBe(204);
    for (const answer of [
      await api.delete(path),
      await api.request('PATCH', path, { body: { name: 'x' } }),
      await api.delete(`/meters/${unknownId}`),
      await api.delete('/meters/nonsense'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { error: 'Meter not found' }]);
      expect(answer.headers.get('error-code')).toBe('meter_not_found');
    }
  });
});

describe('the list of meters', () => {
  test('is a bare array, newest first, of active meters that match the name and are not deleted', async () => {
    const client = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    expect((await client.get('/meters')).body).toEqual([]);
    const first = await create({ name: 'API (v1).*' }, client);
    const second = await create({ name: 'Storage', active: false }, client);
    const gone = await create({ name: 'Gone' }, client);
    await client.delete(`/meters/${String(gone.id)}`);
    const ids = async (query: string) =>
      (await client.expect(200, client.get(`/meters${query}`))).map(({ id }: any) => id as string);
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('?active=true')).toEqual([first.id]);
    expect(await ids('?active=false')).toEqual([second.id]);
    expect(await ids('?search=api%20(V1)')).toEqual([first.id]);
    expect(await ids('?search=.*')).toEqual([first.id]);
    expect(await ids('?search=s.orage')).toEqual([]);
    expect((await client.get('/meters?active=1')).status).toBe(400);
    expect((await client.get(`/meters?search=${'x'.repeat(101)}`)).status).toBe(400);
  });
});
