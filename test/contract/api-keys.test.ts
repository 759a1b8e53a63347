import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

const create = (body: object, maker = api) => maker.expect(201, maker.post('/api-keys', body));
const clientOf = ({ key }: { key: string }) => system.client(key);
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const listed = async (id: string, lister = api) =>
  (await lister.all('/api-keys')).find((one) => one.id === id);

const cachedMs = 5_000;

/** Waits until the key is refused; returns when the last request began that was accepted. */
async function lastAcceptedMs(client: ApiClient): Promise<number> {
  let acceptedMs = 0;
  const answer = await eventually(async () => {
    const askedMs = Date.now();
    const last = await client.get('/customers');
    if (last.status === 200) acceptedMs = askedMs;
    expect(last.status).toBe(401);
    return last;
  });
  expect(answer.body).toEqual({ error: 'Invalid or expired API key' });
  expect(answer.headers.get('error-code')).toBe('invalid_api_key');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  return acceptedMs;
}

describe('an API key', () => {
  test('is shown once with its text, and then without it', async () => {
    const answer = await api.post('/api-keys', { name: ' Backend ' });
    expect(answer.status).toBe(201);
    const { key, ...shown } = answer.body;
    expect(key).toMatch(/^billing_test_[0-9A-Za-z]{49}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(uuid),
      name: 'Backend',
      prefix: 'billing_test_',
      last4: key.slice(-4),
      scopes: [],
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      createdBy: { type: 'KEY', id: expect.stringMatching(uuid) },
      createdAt: expect.stringMatching(instant),
    });
    expect(answer.headers.get('location')).toBe(`/v1/api-keys/${String(shown.id)}`);
    const { body } = await api.get('/api-keys?perPage=100');
    expect(body.data[0]).toEqual(shown);
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test('keeps its scopes and its expiry', async () => {
    const expiresAt = '2036-01-01T01:00:00+01:00';
    const scopes = ['customers:read', 'api-keys:write'];
    expect(await create({ name: 'x'.repeat(120), scopes, expiresAt })).toMatchObject({
      name: 'x'.repeat(120),
      scopes,
      expiresAt: '2036-01-01T00:00:00.000Z',
    });
    expect(await create({ name: 'x', scopes: null, expiresAt: null })).toMatchObject({
      scopes: [],
      expiresAt: null,
    });
  });

  test.each([
    [{}, ['name']],
    [{ name: null }, ['name']],
    [{ name: ' ' }, ['name']],
    [{ name: 7 }, ['name']],
    [{ name: 'x'.repeat(121) }, ['name']],
    [{ name: 'x', scopes: [] }, ['scopes']],
    [{ name: 'x', scopes: 'customers:read' }, ['scopes']],
    [{ name: 'x', scopes: [7] }, ['scopes']],
    [{ name: 'x', scopes: ['customers'] }, ['scopes']],
    [{ name: 'x', scopes: ['customers:all'] }, ['scopes']],
    [{ name: 'x', scopes: ['*'] }, ['scopes']],
    [{ name: 'x', scopes: Array(101).fill('customers:read') }, ['scopes']],
    [{ name: 'x', expiresAt: 'never' }, ['expiresAt']],
    [{ name: 'x', expiresAt: '2036-01-01T00:00:00' }, ['expiresAt']],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
    [{ name: 'x', expiresAt: '9999-12-31T23:59:59-01:00' }, ['expiresAt']],
    [
      { name: '', scopes: ['x'], expiresAt: '2020-01-01T00:00:00Z' },
      ['expiresAt', 'name', 'scopes'],
    ],
  ])('is refused: %j', async (body, fields) => {
    expect(await api.refusedFields('/api-keys', body)).toEqual(fields);
  });

  test('is refused with exactly these messages for missing fields and unknown scopes', async () => {
    expect((await api.post('/api-keys')).body).toEqual({ error: { name: ['Required'] } });
    const { body } = await api.post('/api-keys', { name: 'x', scopes: ['customers:read', 'all'] });
    expect(body).toEqual({ error: { scopes: ['1: Invalid scope'] } });
  });

  test('has no scope that no route requires', async () => {
    const input = { name: 'x', scopes: ['customers:read', 'foo:read'] };
    const { status, body } = await api.post('/api-keys', input);
    expect([status, body]).toEqual([400, { error: { scopes: ['1: Unknown scope'] } }]);
  });

  test('has no text in an idempotent replay', async () => {
    const post = () => api.post('/api-keys', { name: 'Once' }, { 'Idempotency-Key': 'once' });
    const [first, again] = [await post(), await post()];
    expect(first.body.key).toMatch(/^billing_test_/);
    expect(again.body).toEqual({ ...first.body, key: null });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('creates keys only for its own environment', async () => {
    const { key, id } = await create({ name: 'Live' }, system.live);
    expect(key).toMatch(/^billing_live_/);
    expect(await listed(id, system.live)).toBeDefined();
    expect(await listed(id)).toBeUndefined();
  });

  test('shows when it was last used', async () => {
    const made = await create({ name: 'Used' });
    const before = Date.now();
    await clientOf(made).expect(200, clientOf(made).get('/customers'));
    const { lastUsedAt } = await eventually(async () => {
      const shown = await listed(made.id);
      expect(shown.lastUsedAt).toMatch(instant);
      return shown;
    });
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
  });
});

describe('a list of API keys', () => {
  test('is newest first, in pages', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    for (const name of ['one', 'two', 'three']) await create({ name }, sandbox);
    const names = async (query: string) => {
      const { data, ...page } = await sandbox.expect(200, sandbox.get(`/api-keys?${query}`));
      return { names: data.map(({ name }: { name: string }) => name), ...page };
    };
    const page = { total: 4, page: 1, perPage: 3 };
    expect(await names('perPage=3')).toEqual({ names: ['three', 'two', 'one'], ...page });
    expect(await names('perPage=3&page=2')).toEqual({ names: ['First key'], ...page, page: 2 });
    expect(await names('perPage=3&page=9')).toEqual({ names: [], ...page, page: 9 });
  });

  test.each(['page=0', 'page=x', 'page=', 'perPage=0', 'perPage=101', 'perPage=1.5'])(
    'is refused %s',
    async (query) => {
      expect((await api.get(`/api-keys?${query}`)).status).toBe(400);
    },
  );
});

describe('scopes', () => {
  test('limit a key to its routes', async () => {
    const reader = clientOf(await create({ name: 'Reader', scopes: ['customers:read'] }));
    expect((await reader.get('/customers')).status).toBe(200);
    for (const answer of [
      await reader.post('/customers', { email: 'a@b.co' }),
      await reader.get(`/products/${unknownId}`),
      await reader.get('/api-keys'),
      await reader.post('/api-keys', { name: 'x', scopes: ['customers:read'] }),
      await reader.delete(`/api-keys/${unknownId}`),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
      expect(answer.headers.get('error-code')).toBe('insufficient_permissions');
    }
  });

  test('to write do not allow reading', async () => {
    const writer = clientOf(await create({ name: 'Writer', scopes: ['customers:write'] }));
    expect((await writer.post('/customers', { email: 'a@b.co' })).status).toBe(201);
    expect((await writer.get('/customers')).status).toBe(403);
  });

  test.each(['discounts:read', 'discounts:write'])(
    '%s alone allows validating a code',
    async (scope) => {
      const checker = clientOf(await create({ name: 'Shop', scopes: [scope] }));
      const answer = await checker.post('/discounts/validate', { code: 'UNKNOWN' });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Discount not found' }]);
      const other = clientOf(await create({ name: 'Other', scopes: ['customers:write'] }));
      expect((await other.post('/discounts/validate', { code: 'UNKNOWN' })).status).toBe(403);
    },
  );

  test('to read discounts do not allow creating one', async () => {
    const checker = clientOf(await create({ name: 'Shop', scopes: ['discounts:read'] }));
    expect((await checker.post('/discounts', {})).status).toBe(403);
  });

  test('can be granted only by a key that has them', async () => {
    const scopes = ['api-keys:write', 'customers:read'];
    const maker = clientOf(await create({ name: 'Maker', scopes }));
    const made = await create({ name: 'Less', scopes: ['customers:read'] }, maker);
    expect((await clientOf(made).get('/customers')).status).toBe(200);
    for (const more of [
      { scopes: ['customers:write'] },
      { scopes: ['customers:read', 'products:read'] },
      { scopes: null },
      {},
    ]) {
      const answer = await maker.post('/api-keys', { name: 'More', ...more });
      expect([answer.status, answer.body]).toEqual([403, { error: 'Insufficient permissions' }]);
    }
  });
});

describe('an API key is refused', () => {
  test('when one character of it is wrong', async () => {
    const { key } = await create({ name: 'Mistyped' });
    const last = key.endsWith('0') ? '1' : '0';
    const swapped = `${key.slice(0, 14)}${key[15]}${key[14]}${key.slice(16)}`;
    const others = [`${key.slice(0, -1)}${last}`, key.slice(0, -1), `${key}0`, key.toLowerCase()];
    for (const wrong of [...others, ...(swapped === key ? [] : [swapped])]) {
      const answer = await system.client(wrong).get('/customers');
      expect([answer.status, answer.body]).toEqual([401, { error: 'Invalid or expired API key' }]);
    }
    expect((await system.client(key).get('/customers')).status).toBe(200);
  });

  test('from its expiry on, in real time, and stays listed', async () => {
    let [expiresAt, status, made] = ['', 401, { id: '', key: '' }];
    // With more time on a machine so slow that the key expires before its first use.
    for (let ms = 5_000; status !== 200; ms *= 2) {
      expiresAt = inMs(ms);
      const answer = await api.post('/api-keys', { name: 'Brief', expiresAt });
      if (answer.status === 201) {
        made = answer.body;
        ({ status } = await clientOf(made).get('/customers'));
      }
      if (status !== 200) expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    }
    // The gateway caches a key for five seconds, but not beyond its expiry.
    expect(await lastAcceptedMs(clientOf(made))).toBeLessThan(Date.parse(expiresAt));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    expect(await listed(made.id)).toMatchObject({ expiresAt, revokedAt: null });
  });

  test('within five seconds of its revocation, though the gateway had just cached it, and stays listed', async () => {
    const made = await create({ name: 'Revoked' });
    expect((await clientOf(made).get('/customers')).status).toBe(200);
    const start = Date.now();
    const answer = await api.delete(`/api-keys/${String(made.id)}`);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(await lastAcceptedMs(clientOf(made))).toBeLessThan(start + cachedMs);

    const { revokedAt } = await listed(made.id);
    expect(revokedAt).toMatch(instant);
    expect((await api.delete(`/api-keys/${String(made.id)}`)).status).toBe(204);
    expect(await listed(made.id)).toMatchObject({ revokedAt });
  });

  test('when it has revoked itself', async () => {
    const made = await create({ name: 'Leaving', scopes: ['api-keys:write'] });
    const client = clientOf(made);
    expect((await client.delete(`/api-keys/${String(made.id)}`)).status).toBe(204);
    const revokedMs = Date.now();
    expect(await lastAcceptedMs(client)).toBeLessThan(revokedMs + cachedMs);
  });
});

describe('a key created by a key', () => {
  test('names its creator', async () => {
    const parent = await create({ name: 'Parent' });
    const child = await create({ name: 'Child' }, clientOf(parent));
    const createdBy = { type: 'KEY', id: parent.id };
    expect(child).toMatchObject({ createdBy });
    expect(await listed(child.id)).toMatchObject({ createdBy });
  });

  test('expires with its creator, and not later', async () => {
    const expiresAt = inMs(60_000);
    const parent = clientOf(await create({ name: 'Parent', expiresAt }));
    expect(await create({ name: 'Child' }, parent)).toMatchObject({ expiresAt });
    const earlier = inMs(30_000);
    expect(await create({ name: 'Child', expiresAt: earlier }, parent)).toMatchObject({
      expiresAt: earlier,
    });
    const late = await parent.post('/api-keys', { name: 'Late', expiresAt: inMs(120_000) });
    expect([late.status, late.body]).toEqual([
      400,
      { error: { expiresAt: ['Must not be after the key that creates it'] } },
    ]);
  });

  test('is revoked with its creator on request, including its own descendants', async () => {
    const parent = await create({ name: 'Parent' });
    const child = await create({ name: 'Child' }, clientOf(parent));
    const grandchild = await create({ name: 'Grandchild' }, clientOf(child));
    const sibling = await create({ name: 'Sibling' });
    const answer = await api.delete(`/api-keys/${String(parent.id)}?descendants=true`);
    const revokedMs = Date.now();
    expect([answer.status, answer.body]).toEqual([204, '']);
    for (const { id } of [parent, child, grandchild]) {
      expect(await listed(id)).toMatchObject({ revokedAt: expect.stringMatching(instant) });
    }
    expect(await listed(sibling.id)).toMatchObject({ revokedAt: null });
    expect(await lastAcceptedMs(clientOf(grandchild))).toBeLessThan(revokedMs + cachedMs);
  });

  test('stays valid when its creator alone is revoked', async () => {
    const parent = await create({ name: 'Parent' });
    const child = await create({ name: 'Child' }, clientOf(parent));
    expect((await api.delete(`/api-keys/${String(parent.id)}`)).status).toBe(204);
    expect(await listed(child.id)).toMatchObject({ revokedAt: null });
  });

  test('in a sandbox that its creator created is revoked with it, too', async () => {
    const parent = await create({ name: 'Parent' }, system.live);
    const maker = clientOf(parent);
    const { key } = await maker.expect(201, maker.post('/sandboxes', { name: 'Tests' }));
    const sandbox = system.client(key);
    expect((await sandbox.get('/customers')).status).toBe(200);
    const path = `/api-keys/${String(parent.id)}?descendants=true`;
    expect((await system.live.delete(path)).status).toBe(204);
    const revokedMs = Date.now();
    expect(await lastAcceptedMs(sandbox)).toBeLessThan(revokedMs + cachedMs);
  });

  test('cannot be created by a revoked key that a gateway still has cached', async () => {
    const parent = await create({ name: 'Parent' });
    const client = clientOf(parent);
    expect((await client.get('/customers')).status).toBe(200);
    expect((await api.delete(`/api-keys/${String(parent.id)}`)).status).toBe(204);
    const answer = await client.post('/api-keys', { name: 'Too late' });
    expect([answer.status, answer.body]).toEqual([401, { error: 'Invalid or expired API key' }]);
  });
});

describe('revocation', () => {
  test('accepts only true and false for descendants', async () => {
    const answer = await api.delete(`/api-keys/${unknownId}?descendants=maybe`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: { descendants: ['Must be true or false'] } },
    ]);
  });

  test.each([unknownId, 'not-a-uuid', '%20'])('an unknown key %s is 404', async (id) => {
    const answer = await api.delete(`/api-keys/${id}`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'API key not found' }]);
    expect(answer.headers.get('error-code')).toBe('api_key_not_found');
  });

  test('a key of another environment is 404, and the key stays valid', async () => {
    const made = await create({ name: 'Elsewhere' }, system.live);
    const answer = await api.delete(`/api-keys/${String(made.id)}`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'API key not found' }]);
    expect(await listed(made.id, system.live)).toMatchObject({ revokedAt: null });
    expect((await clientOf(made).get('/customers')).status).toBe(200);
  });

  test('accepts no other parameter for a single key', async () => {
    const answer = await api.get(`/api-keys/${unknownId}`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE']);
  });
});
