import { Worker } from 'node:worker_threads';
import { MongoClient } from 'mongodb';
import { sleep, systemClock } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { countPending, environmentOf } from '../invariants/service-logs';
import { type Answer, answerOf, type ApiClient } from '../support/api-client';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// A hundred of each are served without one refusal.
const count = 200;
const product = {
  name: 'Plan',
  type: 'FLAT',
  currency: 'USD',
  amount: 100,
  billingInterval: 'MONTHLY',
};
const card = 'txn_4242424242424242';
// A call whose caller has an answer runs until its deadline of ten seconds at most.
const callsEndMs = 15_000;
const withinMs = 900_000;

let system: OwnTestSystem;
let api: ApiClient;
let productId: string;

beforeAll(async () => {
  // As in production, each service has a share of the processors.
  system = await startTestSystem({ processes: true });
  api = system.sandbox;
  productId = (await api.expect(201, api.post('/products', product))).id;
});

afterAll(async () => {
  await system.stop();
});

/** Runs while two busy loops occupy the machine's processors. */
async function underCpuLoad<T>(run: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: 2 }, () => new Worker('for (;;);', { eval: true }));
  try {
    return await run();
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()));
  }
}

/**
 * Like `api.post`, but accepts 408, which an overloaded machine may answer and no route describes.
 */
async function send(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${system.gatewayUrl}/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${system.sandboxKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answerOf(response);
}

/** Customers with a session that has not expired. Only the database lists the sessions. */
async function customersWithSessions(): Promise<string[]> {
  const { uri, database } = system.databaseOf('checkout');
  const client = await MongoClient.connect(uri);
  try {
    const stored = client.db(database).collection<{ _id: string }>('checkoutSessions').find();
    const answers = [];
    for await (const { _id: id } of stored) answers.push(await api.get(`/checkout/${id}`));
    const others = answers.filter(({ status }) => ![200, 404].includes(status));
    expect(others.map(({ status }) => status)).toEqual([]);
    const found = answers.filter(({ status, body }) => status === 200 && body.status !== 'EXPIRED');
    return found.map(({ body }) => body.customerId as string);
  } finally {
    await client.close();
  }
}

/** Waits until pending work of interrupted requests is recovered or abandoned. */
async function untilSettled(): Promise<void> {
  await sleep(callsEndMs);
  const { addresses, sandboxKey } = system;
  const { tenant } = await environmentOf(addresses, sandboxKey);
  const { environmentId } = tenant;
  await eventually(async () => {
    const counts = await countPending(addresses, { environmentId, until: systemClock.now() });
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
  });
}

const numbers = Array.from({ length: count }, (_, index) => index);

test(
  "under a load far above the machine's capacity, no 5xx response hides a created resource",
  async () => {
    const customers: any[] = [];
    for (const n of numbers) {
      const body = { email: `c${String(n)}@example.com` };
      customers.push(await api.expect(201, api.post('/customers', body)));
    }
    const [payer] = customers;
    await api.expect(
      201,
      api.post('/subscriptions', {
        customerId: payer.id,
        productId,
        authorizedTransactionId: card,
      }),
    );
    const subscribe = (n: number) =>
      send('/subscriptions', { customerId: payer.id, productId, metadata: { n } });
    const buy = (n: number) => send('/checkout', { customerId: customers[n].id, productId });
    const [subscribed, bought] = await underCpuLoad(() =>
      Promise.all([Promise.all(numbers.map(subscribe)), Promise.all(numbers.map(buy))]),
    );
    await untilSettled();
    const subscriptions = await api.all(`/subscriptions?customerId=${payer.id as string}`);
    const stored = new Set(subscriptions.map(({ metadata }) => metadata.n));
    const sold = new Set(await customersWithSessions());
    const failed = (answers: readonly Answer[]) =>
      numbers.filter((n) => (answers[n]?.status ?? 0) >= 500);
    const created = (answers: readonly Answer[]) =>
      answers.filter(({ status }) => status === 201).length;
    process.stderr.write(
      `${String(created(subscribed))} subscriptions and ${String(created(bought))} sessions created\n`,
    );
    expect(failed(subscribed).filter((n) => stored.has(n))).toEqual([]);
    expect(failed(bought).filter((n) => sold.has(customers[n].id))).toEqual([]);
    expect(created(subscribed)).toBeGreaterThanOrEqual(count / 4);
    expect(created(bought)).toBeGreaterThanOrEqual(count / 4);
    const sessions = bought
      .filter(({ status }) => status === 201)
      .map(({ body }) => body.sessionId);
    for (const id of sessions) expect((await api.get(`/checkout/${String(id)}`)).status).toBe(200);
  },
  withinMs,
);
