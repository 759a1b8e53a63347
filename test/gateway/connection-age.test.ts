import type { Answer, ApiClient } from '../support/api-client';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const start = '2026-01-01T00:00:00.000Z';
const dayMs = 24 * 60 * 60 * 1_000;
const connectionAgeMs = 5_000;
// Longer than the maximum age of a connection plus its client's keepalive interval: such a call
// ends on a draining connection.
const longCallMs = 25_000;
const timeoutMs = 10 * 60_000;
const sandboxCount = 2;
const daysFirst = 100;

let system: OwnTestSystem;

beforeAll(async () => {
  system = await startTestSystem({
    processes: true,
    environment: { GRPC_CONNECTION_AGE_MS: String(connectionAgeMs) },
  });
});

afterAll(async () => {
  await system.stop();
});

/** The renewals run one after another, so that an advance takes long and uses little CPU. */
async function aSandboxWithDailyRenewals(): Promise<ApiClient> {
  const sandbox = await system.live.manualSandbox(start);
  const made = async (path: string, body: object): Promise<string> =>
    (await sandbox.expect(201, sandbox.post(path, body))).id;
  const price = { type: 'FLAT', currency: 'USD', amount: 100, billingInterval: 'DAILY' };
  const productId = await made('/products', { name: 'Daily', ...price });
  const customerId = await made('/customers', { email: 'ada@example.com' });
  const authorizedTransactionId = 'txn_4242424242424242';
  await made('/subscriptions', { customerId, productId, authorizedTransactionId });
  return sandbox;
}

/** Sends one request without retries; returns its duration. */
async function advance(sandbox: ApiClient, day: number): Promise<{ answer: Answer; ms: number }> {
  const to = new Date(Date.parse(start) + day * dayMs).toISOString();
  const startedAt = performance.now();
  const answer = await sandbox.post('/sandboxes/clock/advance', { to });
  return { answer, ms: performance.now() - startedAt };
}

test(
  'an advance is answered however often the connections below it are replaced',
  async () => {
    const sandboxes = await Promise.all(
      Array.from({ length: sandboxCount }, aSandboxWithDailyRenewals),
    );
    let day = 0;
    let longest = 0;
    for (let days = daysFirst; longest < longCallMs; days *= 2) {
      day += days;
      const advances = await Promise.all(sandboxes.map((sandbox) => advance(sandbox, day)));
      const others = advances.filter(({ answer }) => answer.status !== 200);
      expect(others.map(({ answer }) => answer)).toEqual([]);
      longest = Math.max(...advances.map(({ ms }) => ms));
    }
    for (const sandbox of sandboxes) {
      const paid = await sandbox.all('/invoices?status=PAID');
      expect(paid).toHaveLength(day + 1);
    }
  },
  timeoutMs,
);
