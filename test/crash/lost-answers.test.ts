import { setTimeout as pause } from 'node:timers/promises';
import { Billing } from '@billing/client';
import { eventually } from '@billing/chassis/testing';
import { MongoClient } from 'mongodb';
import type { ApiClient } from '../support/api-client';
import { cutAfterHeader, CuttingProxy, gatewayHeader } from './cutting-proxy';
import { startSecondGateway } from '../gateway/second-gateway';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// As many of each kind, so that five kinds make 500 requests.
const count = 100;
// Below the gateway's limit of concurrent requests.
const concurrent = 20;
// From before the gateway starts until after it has responded.
const cutAfterMs = [0, 1, 2, 5, 10, 20, 50];
// Long enough for the gateway to have read the request.
const cutOnceReadMs = 100;
const cutLaterMs = 300;
// Another gateway learns of a lost call within a second.
const knownAfterMs = 1_000;
// An overloaded machine may need several until the first call has ended.
const maxRetries = 20;
const timeoutMs = 120_000;

let system: OwnTestSystem;
let api: ApiClient;
let second: Awaited<ReturnType<typeof startSecondGateway>>;
let proxy: CuttingProxy;

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  api = system.sandbox;
  second = await startSecondGateway(system);
  proxy = await CuttingProxy.start([system.gatewayUrl, second.address]);
});

afterAll(async () => {
  await proxy.stop();
  await second.stop();
  await system.stop();
});

/** Sends a POST whose connection the proxy cuts. */
async function lose(path: string, body: unknown, cutAfter: number): Promise<void> {
  const headers = { Authorization: `Bearer ${system.sandboxKey}` };
  const sent = fetch(`${proxy.url}/v1${path}`, {
    method: 'POST',
    headers: { ...headers, [gatewayHeader]: '0', [cutAfterHeader]: String(cutAfter) },
    body: JSON.stringify(body),
  });
  await expect(sent).rejects.toThrow('fetch failed');
}

/**
 * The official client, whose first attempt is lost at the first gateway. It retries at the same
 * gateway once that has noticed the loss, or at the other one. The proxy removes its idempotency
 * key.
 */
function clientThatLoses(n: number): Billing {
  let attempts = 0;
  let knownAt = Promise.resolve();
  const send = async (url: string | URL | Request, init: RequestInit = {}) => {
    attempts += 1;
    const headers = new Headers(init.headers);
    headers.set(gatewayHeader, attempts === 1 ? '0' : String(n % 2));
    if (attempts > 1) {
      await knownAt;
      return fetch(url, { ...init, headers });
    }
    headers.set(cutAfterHeader, String(cutAfterMs[n % cutAfterMs.length]));
    const sent = fetch(url, { ...init, headers });
    knownAt = sent.then(unexpected, n % 2 === 0 ? noticed : knownElsewhere);
    return sent;
  };
  const baseUrl = proxy.url;
  return new Billing({ apiKey: system.sandboxKey, baseUrl, maxRetries, timeoutMs, fetch: send });
}

function unexpected(): never {
  throw new Error('The proxy did not cut the connection');
}

/**
 * Resolves when the first gateway has noticed the loss of a call: it has answered a later request.
 * A starved process would read the retry before it.
 */
async function noticed(): Promise<void> {
  await api.expect(200, api.get('/sandboxes/clock'));
}

/** Resolves when the other gateway must know a call that is lost now. */
async function knownElsewhere(): Promise<void> {
  await noticed();
  await pause(knownAfterMs);
}

/** Expects as many resources; an invoice may follow the answer to its purchase. */
async function expectTotal(path: string, total: number): Promise<void> {
  await eventually(async () => {
    expect((await api.get(path)).body.total).toBe(total);
  });
}

async function createAll<T>(
  create: (client: Billing, n: number) => Promise<T>,
): Promise<Awaited<T>[]> {
  const created: Awaited<T>[] = [];
  for (let from = 0; from < count; from += concurrent) {
    const numbers = Array.from({ length: concurrent }, (_, index) => from + index);
    created.push(...(await Promise.all(numbers.map((n) => create(clientThatLoses(n), n)))));
  }
  return created;
}

test('a POST without a key whose response was lost is retried and creates nothing twice', async () => {
  // Half of the bodies are equal: each retry stands for one lost call.
  const customers = await createAll((client, n) =>
    client.customers.create({
      email: n % 2 === 0 ? 'same@example.com' : `c${String(n)}@example.com`,
    }),
  );
  await expectTotal('/customers', count);
  expect(new Set(customers.map(({ id }) => id)).size).toBe(count);
  const customerIdOf = (n: number) => customers[n]?.id ?? '';

  const products = await createAll((client, n) =>
    client.products.create({
      name: `Plan ${String(n)}`,
      type: 'FLAT',
      currency: 'USD',
      amount: 100,
      billingInterval: 'MONTHLY',
    }),
  );
  await expectTotal('/products', count);

  const productId = products[0]?.id ?? '';
  await createAll((client, n) =>
    client.subscriptions.create({ customerId: customerIdOf(n), productId }),
  );
  await expectTotal('/subscriptions', count);
  await expectTotal('/invoices', count);

  const sessions = await createAll((client, n) =>
    client.checkout.create({ customerId: customerIdOf(n), productId }),
  );
  expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(count);
  await expectTotal('/invoices', 2 * count);

  const meter = await api.expect(201, api.post('/meters', { name: 'Calls' }));
  await createAll((client, n) =>
    client.customers.createCreditGrant(customerIdOf(0), {
      meterId: meter.id as string,
      amount: n + 1,
    }),
  );
  const grants = await api.get(`/customers/${customerIdOf(0)}/meter-credits`);
  expect(grants.body.total).toBe(count);
}, 900_000);

/**
 * Creates a customer whose response is lost. A slow machine needs more time until it is stored, but
 * a response that is not read for a second counts as delivered.
 */
async function loseCreatedCustomer(): Promise<{ email: string }> {
  for (let cutAfter = cutOnceReadMs; ; cutAfter += cutLaterMs) {
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
    await pause(knownAfterMs);
  }
  const answer = await stored();
  expect(answer.body.length()).toBe(0);
  const { status, headers, body } = await api.post('/portal/sessions', input);
  expect([status, headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(answer.headers.Location).toBe(`${place}${String(body.sessionId)}`);
  expect((await fetch(body.url as string)).status).toBe(200);
  await client.close();
});
