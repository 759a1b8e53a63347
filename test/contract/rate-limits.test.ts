import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from '../support/api-client';
import { OperatorClient } from '../support/operator-client';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

let system: OwnTestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await startTestSystem({
    ownProcess: true,
    rateLimits: {
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '40',
      RATE_LIMIT_REFUSED_KEYS_PER_SECOND: '1',
      RATE_LIMIT_PAGES_PER_SECOND: '1',
      RATE_LIMIT_LINK_ORDERS_PER_MINUTE: '2',
    },
  });
  api = system.sandbox;
});

afterAll(async () => {
  await system.stop();
});

/** Sends requests at once; also returns how many tokens a bucket gained in the meantime. */
async function atOnce<T>(
  count: number,
  send: (index: number) => Promise<T>,
  { tokenMs = 1_000 } = {},
) {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  // A full bucket gains its next token one `tokenMs` after the first request.
  return { answers, refilled: Math.floor((performance.now() - startedAt) / tokenMs) };
}

test('a key has a burst, then gets 429 with Retry-After, and other keys are unaffected', async () => {
  const first = await api.get('/products/x');
  expect(first.status).toBe(404);
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=40;w=40');
  expect(first.headers.get('ratelimit')).toBe('"key";r=39;t=1');

  const { answers, refilled } = await atOnce(100, () => api.get('/products/x'));
  const refused = answers.filter(({ status }) => status !== 404);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeLessThanOrEqual(40 + refilled);
  for (const { status, headers, body } of refused) {
    expect([status, body]).toEqual([429, { error: 'Too many requests' }]);
    expect(headers.get('error-code')).toBe('too_many_requests');
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(headers.get('x-request-id')).not.toBeNull();
  }
  expect((await system.live.get('/products/x')).status).toBe(404);
});

test('an operator has one burst for all environments together', async () => {
  const owner = await OperatorClient.owner(system);
  const { body } = await owner.api('GET', '/environments');
  const [live, sandbox] = body.data.map(({ id }: { id: string }) => owner.in(id));
  const { answers, refilled } = await atOnce<Answer>(100, (index) =>
    (index % 2 === 0 ? live : sandbox).v1('GET', '/products/x'),
  );
  expect(answers.find(({ status }) => status === 404)?.headers.get('ratelimit-policy')).toBe(
    '"key";q=40;w=40',
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeLessThanOrEqual(40 + refilled);
  expect(refused[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
});

test('an address that orders repeatedly at checkout links gets 429, but may open pages', async () => {
  const url = `${system.gatewayUrl}/link/${'x'.repeat(43)}`;
  const order = () =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ email: 'a@b.co' }) });
  const { answers, refilled } = await atOnce(20, order, { tokenMs: 30_000 });
  const limited = answers.filter(({ status }) => status === 429);
  const allowed = answers.length - limited.length;
  expect(allowed).toBeGreaterThanOrEqual(6);
  expect(allowed).toBeLessThanOrEqual(6 + refilled);
  expect(limited[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(limited[0]?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await limited[0]?.text()).toContain('Please wait a moment');
  expect((await fetch(url)).status).toBe(404);
});

test('an address that opens page after page gets 429 as a page', async () => {
  const open = () => fetch(`${system.gatewayUrl}/checkout/${'x'.repeat(43)}`);
  const { answers } = await atOnce(60, open);
  const limited = answers.find(({ status }) => status === 429);
  expect(limited?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(limited?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await limited?.text()).toContain('Please wait a moment');
});

// Last: from then on the address of all tests is refused.
test('an address that keeps sending wrong keys gets 429, independent of its headers', async () => {
  const guess = (headers = {}) =>
    system.client('wrong').request('GET', '/customers/x', { headers });
  const answers = await Promise.all(Array.from({ length: 12 }, () => guess()));
  expect(new Set(answers.map(({ status }) => status))).toContain(401);

  // Each claims another address. Concurrent ones are charged together, once they are refused.
  const limited = await eventually(async () => {
    const claims = Array.from({ length: 20 }, (_, index) => `192.0.2.${String(index)}`);
    const some = await Promise.all(claims.map((claim) => guess({ 'X-Forwarded-For': claim })));
    const found = some.find(({ status }) => status === 429);
    if (found === undefined) throw new Error('No guess is limited');
    return found;
  });
  expect(limited.body).toEqual({ error: 'Too many requests' });
  expect(limited.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(limited.headers.get('ratelimit')).toBeNull();
});
