import type { ApiClient } from './api-client';
import { instant, uuid } from './patterns';
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

  test('on loopback is refused in the live environment', async () => {
    const answer = await system.live.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
    expect(answer.status).toBe(400);
  });

  test('is one of at most ten, also when twenty race', async () => {
    const sandbox = await system.live.manualSandbox('2026-01-01T00:00:00Z');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        sandbox.post('/webhook-endpoints', { url: 'https://example.com' }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
  });
});
