import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { readConfig } from '@billing/gateway/config';
import { start } from '@billing/gateway/service';
import type { ApiClient } from '../support/api-client';
import { cutAfterHeader, CuttingProxy, gatewayHeader } from './cutting-proxy';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// As many of each kind, so that five kinds make 500 requests.
const count = 100;
// Below the gateway's limit of concurrent requests.
const concurrent = 20;
// From before the gateway starts until after it has responded.
const cutAfterMs = [0, 1, 2, 5, 10, 20, 50];
// Long enough for the gateway to have read the request.
const cutOnceReadMs = 100;
// Another gateway learns of a lost call within the pause of the official client, which is a second,
// unless the machine is starved.
const retryAfterMs = 3_000;
const attemptsMax = 5;

let system: OwnTestSystem;
let api: ApiClient;
let second: Awaited<ReturnType<typeof start>>;
let proxy: CuttingProxy;

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  api = system.sandbox;
  second = await startSecondGateway();
  proxy = await CuttingProxy.start([system.gatewayUrl, second.address]);
});

afterAll(async () => {
  await proxy.stop();
  await second.stop();
  await system.stop();
});

/** A second gateway on the same services. */
function startSecondGateway() {
  const addresses = Object.entries(system.addresses).map(([service, address]) => [
    `${service.toUpperCase()}_ADDRESS`,
    address,
  ]);
  return start(
    readConfig({
      HTTP_LISTEN: '127.0.0.1:0',
      HOSTED_PAGE_URL: system.gatewayUrl,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_SECOND: '0',
      ...(Object.fromEntries(addresses) as Record<string, string>),
    }),
  );
}

/** Sends a POST through the proxy to one of the gateways. */
function send(
  path: string,
  body: unknown,
  { gateway, cutAfter }: { gateway: number; cutAfter?: number | undefined },
): Promise<Response> {
  return fetch(`${proxy.url}/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${system.sandboxKey}`,
      'Content-Type': 'application/json',
      [gatewayHeader]: String(gateway),
      ...(cutAfter !== undefined && { [cutAfterHeader]: String(cutAfter) }),
    },
    body: JSON.stringify(body),
  });
}

/** Sends a POST whose connection the proxy cuts. */
async function lose(path: string, body: unknown, cutAfter: number): Promise<void> {
  await expect(send(path, body, { gateway: 0, cutAfter })).rejects.toThrow('fetch failed');
}

/**
 * Sends a POST whose response is lost and retries it without a key: at the same gateway
 * immediately, or after a pause at the other one.
 */
async function postWithRetry(n: number, path: string, body: unknown): Promise<any> {
  await lose(path, body, cutAfterMs[n % cutAfterMs.length] ?? 0);
  const gateway = n % 2;
  for (let attempt = 1; ; attempt += 1) {
    if (gateway > 0 || attempt > 1) await pause(retryAfterMs);
    const answer = await send(path, body, { gateway });
    if (answer.status < 500 || attempt === attemptsMax) {
      expect(answer.status).toBe(201);
      return answer.json();
    }
    await answer.body?.cancel();
  }
}

async function createAll(path: string, bodyOf: (n: number) => unknown): Promise<any[]> {
  const created: any[] = [];
  for (let from = 0; from < count; from += concurrent) {
    const numbers = Array.from({ length: concurrent }, (_, index) => from + index);
    created.push(...(await Promise.all(numbers.map((n) => postWithRetry(n, path, bodyOf(n))))));
  }
  return created;
}

test('a POST without a key whose response was lost is retried and creates nothing twice', async () => {
  // Half of the bodies are equal: each retry stands for one lost call.
  const customers = await createAll('/customers', (n) => ({
    email: n % 2 === 0 ? 'same@example.com' : `c${String(n)}@example.com`,
  }));
  expect((await api.get('/customers')).body.total).toBe(count);
  expect(new Set(customers.map(({ id }) => id as string)).size).toBe(count);

  const products = await createAll('/products', (n) => ({
    name: `Plan ${String(n)}`,
    type: 'FLAT',
    currency: 'USD',
    amount: 100,
    billingInterval: 'MONTHLY',
  }));
  expect((await api.get('/products')).body.total).toBe(count);

  const productId = products[0].id as string;
  await createAll('/subscriptions', (n) => ({ customerId: customers[n].id, productId }));
  expect((await api.get('/subscriptions')).body.total).toBe(count);
  expect((await api.get('/invoices')).body.total).toBe(count);

  const sessions = await createAll('/checkout', (n) => ({
    customerId: customers[n].id,
    productId,
  }));
  expect(new Set(sessions.map(({ sessionId }) => sessionId as string)).size).toBe(count);
  expect((await api.get('/invoices')).body.total).toBe(2 * count);

  const meter = await api.expect(201, api.post('/meters', { name: 'Calls' }));
  const customerId = customers[0].id as string;
  await createAll(`/customers/${customerId}/meter-credits`, (n) => ({
    meterId: meter.id,
    amount: n + 1,
  }));
  expect((await api.get(`/customers/${customerId}/meter-credits`)).body.total).toBe(count);
}, 900_000);

/** Creates a customer whose response is lost; a slow machine needs more time until it is stored. */
async function loseCreatedCustomer(): Promise<{ email: string }> {
  for (let cutAfter = cutOnceReadMs; ; cutAfter *= 4) {
    const body = { email: `replayed-after-${String(cutAfter)}@example.com` };
    await lose('/customers', body, cutAfter);
    const { total } = await api.expect(200, api.get(`/customers?email=${body.email}`));
    if (total === 1) return body;
  }
}

test('a retry gets the response of the completed call, and is marked as a replay', async () => {
  const body = await loseCreatedCustomer();
  const replayed = await api.post('/customers', body);
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(replayed.headers.get('location')).toBe(`/v1/customers/${String(replayed.body.id)}`);
  // The retry was answered: the same request is a new one.
  const another = await api.post('/customers', body);
  expect([another.status, another.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(another.body.id).not.toBe(replayed.body.id);
});

test('equal calls with open connections are two calls', async () => {
  const body = { email: 'twice@example.com' };
  const answers = await Promise.all([api.post('/customers', body), api.post('/customers', body)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[0].body.id).not.toBe(answers[1].body.id);
});

test('a call whose response contains a secret is not cached', async () => {
  const body = { url: 'https://example.com/hook' };
  await lose('/webhook-endpoints', body, cutOnceReadMs);
  const { status, headers, body: endpoint } = await api.post('/webhook-endpoints', body);
  expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(endpoint.secret).toMatch(/^whsec_/);
});

test('a retry gets its portal session, whose sign-in link is not stored', async () => {
  const { id: customerId } = await api.expect(201, api.post('/customers', { email: 'p@x.org' }));
  const client = await new MongoClient(system.databases.uri).connect();
  const lostCalls = client.db(`${system.databases.prefix}_identity`).collection('lostCalls');
  const place = '/v1/portal/sessions/';
  const stored = async () => {
    const answers = (await lostCalls.find().toArray()).map(({ answer }) => answer);
    return answers.find((answer) => String(answer?.headers?.Location).startsWith(place));
  };
  let input = {};
  // A slow machine needs more time until the session is stored.
  for (let cutAfter = cutOnceReadMs; (await stored()) === undefined; cutAfter *= 4) {
    input = { customerId, returnUrl: `https://x.org/${String(cutAfter)}` };
    await lose('/portal/sessions', input, cutAfter);
    await pause(retryAfterMs);
  }
  const answer = await stored();
  expect(answer.body.length()).toBe(0);
  const { status, headers, body } = await api.post('/portal/sessions', input);
  expect([status, headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(answer.headers.Location).toBe(`${place}${String(body.sessionId)}`);
  expect((await fetch(body.url as string)).status).toBe(200);
  await client.close();
});
