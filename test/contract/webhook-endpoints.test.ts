import type { ApiClient } from '../support/api-client';
import { instant, unknownId, uuid } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

describe('a webhook endpoint', () => {
  test('shows its secret once, is listed and deleted', async () => {
    const url = 'https://example.com/hook';
    const endpoint = await api.expect(
      201,
      api.post('/webhook-endpoints', { url, description: 'x' }),
    );
    const { secret, ...shown } = endpoint;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(uuid),
      organizationId: expect.stringMatching(uuid),
      url,
      events: [
        'subscription.created',
        'subscription.updated',
        'subscription.canceled',
        'subscription.renewed',
        'subscription.payment_succeeded',
        'subscription.payment_failed',
      ],
      description: 'x',
      active: true,
      headerPrefix: 'Billing',
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await api.expect(200, api.get(`/webhook-endpoints/${String(shown.id)}`))).toEqual(shown);
    expect((await api.all('/webhook-endpoints')).map(({ id }) => id as string)).toContain(shown.id);
    const deleted = await api.delete(`/webhook-endpoints/${String(shown.id)}`);
    expect([deleted.status, deleted.body]).toEqual([204, '']);
    expect((await api.delete(`/webhook-endpoints/${String(shown.id)}`)).status).toBe(404);
  });

  test.each([
    [{}, ['url']],
    [{ url: 'ftp://example.com' }, ['url']],
    [{ url: 'https://user:pass@example.com' }, ['url']],
    [{ url: 'http://10.0.0.1/' }, ['url']],
    [{ url: 'http://169.254.169.254/' }, ['url']],
    [{ url: 'http://[fd00::1]/' }, ['url']],
    [{ url: 'http://[64:ff9b::a00:1]/' }, ['url']],
    [{ url: 'https://example.com', events: ['subscription.exploded'] }, ['events']],
    [{ url: 'https://example.com', events: 'all' }, ['events']],
  ])('is refused: %j', async (body, fields) => {
    expect(await api.refusedFields('/webhook-endpoints', body)).toEqual(fields);
  });

  test.each(['**', '*.created', 'subscription', 'subscription.re*', 'unknown.*'])(
    'with the event "%s" is refused',
    async (name) => {
      const answer = await api.post('/webhook-endpoints', {
        url: 'https://example.com',
        events: ['subscription.*', name],
      });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: { events: ['1: Unknown event'] } },
      ]);
    },
  );

  test.each(['webhook', 'WEBHOOK', '', 'a b', '1a', 'a'.repeat(32)])(
    'with the header prefix "%s" is refused',
    async (headerPrefix) => {
      const answer = await api.post('/webhook-endpoints', {
        url: 'https://example.com',
        headerPrefix,
      });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: { headerPrefix: ['Invalid header prefix'] } },
      ]);
    },
  );

  test('on loopback is refused in the live environment', async () => {
    const answer = await system.live.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
    expect(answer.status).toBe(400);
  });

  test('is limited to ten per environment, even when twenty requests race', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    const persistent = new PersistentClient(sandbox);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const key = { 'Idempotency-Key': `endpoint ${String(index)}` };
        const body = { url: 'https://example.com' };
        return persistent.answer(() => sandbox.post('/webhook-endpoints', body, key));
      }),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
  });
});

describe('a change of a webhook endpoint', () => {
  const kinds = ['subscription.created', 'subscription.updated', 'subscription.canceled'];
  const given = {
    url: 'https://example.com/hook',
    events: ['subscription.renewed'],
    description: 'billing',
    active: false,
  };
  let changing: ApiClient;

  beforeEach(async () => {
    changing = await system.live.manualSandbox('2026-01-31T00:00:00.000Z');
  });

  const create = async () => {
    const { secret: _secret, ...shown } = await changing.expect(
      201,
      changing.post('/webhook-endpoints', given),
    );
    return { shown, path: `/webhook-endpoints/${String(shown.id)}` };
  };

  test.each([
    [{}, {}],
    [{ url: 'http://example.org:8080/x' }, { url: 'http://example.org:8080/x' }],
    [{ url: 'http://127.0.0.1:9/' }, { url: 'http://127.0.0.1:9/' }],
    [{ events: [kinds[0], kinds[0]] }, { events: [kinds[0]] }],
    [{ events: ['*'] }, { events: ['*'] }],
    [{ events: ['checkout.*', kinds[0]] }, { events: ['checkout.*', kinds[0]] }],
    [{ description: 'x'.repeat(200) }, { description: 'x'.repeat(200) }],
    [{ description: null }, { description: null }],
    [{ active: true }, { active: true }],
    [
      { events: kinds, active: true },
      { events: kinds, active: true },
    ],
  ])('by %j is returned without the secret and stored', async (changes, after) => {
    const { shown, path } = await create();
    const changed = await changing.expect(200, changing.request('PATCH', path, { body: changes }));
    expect(changed).toEqual({ ...shown, ...after, updatedAt: expect.stringMatching(instant) });
    expect((await changing.get(path)).body).toEqual(changed);
  });

  test.each([
    [{ secret: 'whsec_x' }, ['secret']],
    [{ secret: null }, ['secret']],
    [{ id: unknownId }, ['id']],
    [
      { organizationId: unknownId, createdAt: null, updatedAt: 1 },
      ['createdAt', 'organizationId', 'updatedAt'],
    ],
    [{ url: null }, ['url']],
    [{ events: null }, ['events']],
    [{ active: null }, ['active']],
    [{ url: '' }, ['url']],
    [{ url: 7 }, ['url']],
    [{ url: 'ftp://example.com' }, ['url']],
    [{ url: 'https://user:pass@example.com' }, ['url']],
    [{ url: 'http://10.0.0.1/' }, ['url']],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, ['url']],
    [{ events: [] }, ['events']],
    [{ events: 'all' }, ['events']],
    [{ events: ['subscription.exploded'] }, ['events']],
    [{ description: 'x'.repeat(201) }, ['description']],
    [{ description: 7 }, ['description']],
    [{ active: 'yes' }, ['active']],
    [{ active: true, url: 'x', events: ['x'] }, ['events', 'url']],
  ])('by %j is refused and changes nothing', async (changes, fields) => {
    const { shown, path } = await create();
    const { error } = await changing.expect(
      400,
      changing.request('PATCH', path, { body: changes }),
    );
    expect(Object.keys(error).sort()).toEqual(fields);
    expect((await changing.get(path)).body).toEqual(shown);
  });

  test('without a difference does not change even the time', async () => {
    const { shown, path } = await create();
    expect((await changing.request('PATCH', path, { body: given })).body).toEqual(shown);
  });

  test('of another version than the one in If-Match is 412', async () => {
    const { path } = await create();
    const etag = (await changing.get(path)).headers.get('etag') ?? '';
    const request = { body: { active: true }, headers: { 'If-Match': etag } };
    const changed = await changing.request('PATCH', path, request);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect((await changing.request('PATCH', path, request)).status).toBe(412);
  });

  test('to loopback is refused in the live environment', async () => {
    const endpoint = await system.live.expect(
      201,
      system.live.post('/webhook-endpoints', { url: 'https://example.com' }),
    );
    const path = `/webhook-endpoints/${String(endpoint.id)}`;
    const body = { url: 'http://127.0.0.1:9/' };
    const { error } = await system.live.expect(400, system.live.request('PATCH', path, { body }));
    expect(Object.keys(error)).toEqual(['url']);
    expect((await system.live.delete(path)).status).toBe(204);
  });

  test('of an id unknown to this environment, or deleted, is 404', async () => {
    const { shown } = await create();
    const deleted = await create();
    await changing.delete(deleted.path);
    for (const [client, id] of [
      [changing, unknownId],
      [changing, 'not-a-uuid'],
      [changing, String(deleted.shown.id)],
      [api, String(shown.id)],
      [system.live, String(shown.id)],
    ] as const) {
      const answer = await client.request('PATCH', `/webhook-endpoints/${id}`, {
        body: { active: true },
        headers: { 'If-Match': '"1"' },
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'Webhook endpoint not found' }]);
      expect(answer.headers.get('error-code')).toBe('webhook_endpoint_not_found');
    }
  });
});
