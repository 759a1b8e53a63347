import type { ApiClient } from '../support/api-client';
import { product, uuid } from '../support/patterns';
import { PersistentClient } from '../support/persistent-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = system.sandbox;
});

const keyed = (key: string) => ({ 'Idempotency-Key': key });

describe('a POST with an Idempotency-Key', () => {
  test('sent fifty times concurrently creates one resource', async () => {
    const externalId = 'fifty';
    const body = { email: 'a@b.co', externalId };
    const persistent = new PersistentClient(api);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        persistent.answer(() => api.post('/customers', body, keyed('fifty'))),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(1);
    // None where a busy machine answers the first one too late, and it is sent again.
    const first = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    expect(first.length).toBeLessThanOrEqual(1);
    const late = await api.post('/customers', { externalId, email: 'a@b.co' }, keyed('fifty'));
    expect([late.status, late.body]).toEqual([201, answers[0]?.body]);
    expect(late.headers.get('idempotent-replayed')).toBe('true');
    expect(late.headers.get('location')).toBe(answers[0]?.headers.get('location'));
  });

  test('and another body is 422', async () => {
    await api.expect(201, api.post('/products', product, keyed('other')));
    const answer = await api.post('/products', { ...product, amount: 1 }, keyed('other'));
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: 'Idempotency-Key was used with another request' },
    ]);
    expect(answer.headers.get('error-code')).toBe('idempotency_key_reused');
  });

  test('shows a secret once', async () => {
    const first = await api.post(
      '/webhook-endpoints',
      { url: 'https://example.com' },
      keyed('hook'),
    );
    const again = await api.post(
      '/webhook-endpoints',
      { url: 'https://example.com' },
      keyed('hook'),
    );
    expect(first.body.secret).toMatch(/^whsec_/);
    expect(again.body).toEqual({ ...first.body, secret: null });
  });

  test('replays a refusal, too', async () => {
    await api.expect(201, api.post('/customers', { email: 'a@b.co', externalId: 'taken' }));
    const body = { email: 'a@b.co', externalId: 'taken' };
    for (const replayed of [null, 'true']) {
      const answer = await api.post('/customers', body, keyed('refused'));
      expect(answer.status).toBe(409);
      expect(answer.headers.get('idempotent-replayed')).toBe(replayed);
    }
  });

  test('is scoped to one environment', async () => {
    const mine = await api.expect(201, api.post('/customers', { email: 'a@b.co' }, keyed('env')));
    const { live } = system;
    const other = await live.expect(
      201,
      live.post('/customers', { email: 'a@b.co' }, keyed('env')),
    );
    expect(other.id).not.toBe(mine.id);
  });

  test('accepts a key of 255 characters and no longer one', async () => {
    const post = (length: number) =>
      api.post('/customers', { email: 'a@b.co' }, keyed('k'.repeat(length)));
    expect((await post(255)).status).toBe(201);
    expect((await post(256)).status).toBe(400);
  });

  test('creates new resources without one', async () => {
    const ids = [
      await api.expect(201, api.post('/customers', { email: 'a@b.co' })),
      await api.expect(201, api.post('/customers', { email: 'a@b.co' })),
    ].map(({ id }) => id as string);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(uuid);
  });
});

describe('a resource', () => {
  test('that the caller has already is 304', async () => {
    const created = await api.post('/customers', { email: 'a@b.co' });
    const tag = created.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"\d+"$/);
    const path = `/customers/${String(created.body.id)}`;
    for (const seen of [tag, `W/${tag}`, `"0", ${tag}`, '*']) {
      const answer = await api.request('GET', path, { headers: { 'If-None-Match': seen } });
      expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, '', tag]);
    }
    const other = await api.request('GET', path, { headers: { 'If-None-Match': '"0"' } });
    expect([other.status, other.headers.get('etag')]).toEqual([200, tag]);
  });
});
