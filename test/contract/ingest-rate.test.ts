import { startTestSystem, type OwnTestSystem } from '../support/test-system';

let system: OwnTestSystem;

beforeAll(async () => {
  system = await startTestSystem({
    ownProcess: true,
    rateLimits: {
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '0',
      RATE_LIMIT_INGEST_PER_SECOND: '1',
      RATE_LIMIT_REFUSED_KEYS_PER_SECOND: '0',
    },
  });
});

afterAll(async () => {
  await system.stop();
});

test('batches of usage events have a separate rate limit', async () => {
  const events = [{ customerId: 'unknown', meterId: 'none' }];
  const send = () => system.sandbox.post('/events/ingest', { events });
  const first = await send();
  expect(first.status).toBe(201);
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=2;w=2');
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 100 }, send));
  const seconds = (performance.now() - startedAt) / 1_000;
  const refused = answers.filter(({ status }) => status === 429);
  // A slow machine takes longer, and the bucket refills in that time.
  const refilled = Math.ceil(seconds);
  expect(answers.length - refused.length).toBeLessThanOrEqual(2 + refilled);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: 'Too many requests' });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
});

test('a burst of 0 switches the limit of other requests off', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => system.sandbox.get('/meters')),
  );
  for (const { status, headers } of answers) {
    expect([status, headers.get('ratelimit')]).toEqual([200, null]);
  }
});
