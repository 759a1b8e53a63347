import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import type { Infrastructure } from '@billing/local/infrastructure';
import { serviceNames } from '@billing/local/services';
import type { Answer, ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { isNightly } from '../support/rounds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { announceInLive, expectNothingWentBack } from './live-events';
import { startOwnServers } from './own-servers';

// Each service is killed once; in the nightly run, each service and server is killed 20 times.
const rounds = isNightly ? 20 : 1;
const subscriptionsMin = 20;
// For a load that hangs.
const loadTimeoutMs = (isNightly ? 90 : 20) * 60_000;
const creators = 2;
const killEveryMs = 3_000;
// Enough load for every kill to interrupt some flow, few enough subscriptions to check each to the
// last period.
const pauseBetweenCreationsMs = isNightly ? 15_000 : 1_500;
const pauseBetweenAdvancesMs = isNightly ? 3_000 : 0;
const dayMs = 24 * 60 * 60 * 1_000;
const settleTimeoutMs = 120_000;

describe('services that are killed under load', () => {
  /** Servers that the nightly run kills, too. */
  let servers: Infrastructure | undefined;
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  let sandbox: ApiClient;
  let customerId: string;
  let productId: string;
  let now = new Date('2026-01-31T00:00:00Z');
  const acknowledged = new Map<string, string>();
  const kills: string[] = [];
  let targets: readonly string[] = [];

  beforeAll(async () => {
    servers = isNightly ? await startOwnServers() : undefined;
    const given = servers && { infrastructure: servers };
    system = await startTestSystem({ processes: true, ...given });
    targets = Object.keys(running());
    receiver = await startWebhookReceiver();
    // The first attempt of about one webhook in eight fails, so that there are second attempts to
    // compare.
    const failed = new Set<string>();
    receiver.respond = ({ body }) => {
      const isUnlucky = failed.size === 0 || /[08]$/.test(body.id);
      if (!isUnlucky || failed.has(body.id)) return 204;
      failed.add(body.id);
      return 500;
    };
    sandbox = await system.live.manualSandbox(now.toISOString());
    const expectStatus = sandbox.expect.bind(sandbox);
    await expectStatus(201, sandbox.post('/webhook-endpoints', { url: receiver.url }));
    customerId = (await expectStatus(201, sandbox.post('/customers', { email: 'a@example.com' })))
      .id;
    const product = {
      name: 'Weekly',
      type: 'FLAT',
      currency: 'USD',
      amount: 700,
      billingInterval: 'WEEKLY',
    };
    productId = (await expectStatus(201, sandbox.post('/products', product))).id;
    await runLoad();
  }, loadTimeoutMs);

  afterAll(async () => {
    const { length } = receiver.received;
    const counts = `${kills.length} kills, ${acknowledged.size} subscriptions, ${length} webhooks`;
    process.stderr.write(`${counts}; killed in turn: ${kills.join(' ')}\n`);
    await receiver.close();
    await system.stop();
    await servers?.stop();
  });

  const running = () => ({ ...system.pids(), ...servers?.pids() });

  async function runLoad(): Promise<void> {
    const ending = new AbortController();
    const work = [
      ...Array.from({ length: creators }, (_, index) => createRepeatedly(index, ending.signal)),
      advanceRepeatedly(ending.signal),
      announceInLive(system, ending.signal),
    ];
    try {
      await Promise.race([killRepeatedly(ending.signal), Promise.all(work)]);
    } finally {
      ending.abort();
    }
    await Promise.all(work);
    await repeated(() => sandbox.advance(now.toISOString()), 200);
  }

  async function createRepeatedly(creator: number, ending: AbortSignal): Promise<void> {
    for (let count = 1; !ending.aborted; count += 1) {
      const authorizedTransactionId = `txn_4242424242424242_${String(creator)}_${String(count)}`;
      const body = { customerId, productId, authorizedTransactionId };
      const { id } = await repeated(() => sandbox.post('/subscriptions', body), 201);
      acknowledged.set(authorizedTransactionId, id as string);
      await sleep(pauseBetweenCreationsMs, ending);
    }
  }

  async function advanceRepeatedly(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      now = new Date(now.getTime() + dayMs);
      const to = now.toISOString();
      await repeated(() => sandbox.advance(to), 200);
      await sleep(pauseBetweenAdvancesMs, ending);
    }
  }

  async function killRepeatedly(ending: AbortSignal): Promise<void> {
    while (kills.length < rounds * targets.length && !ending.aborted) {
      await sleep(killEveryMs, ending);
      const pids = running();
      // Random, but each process once before any a second time.
      const round = Object.keys(pids).filter((name) => kills.lastIndexOf(name) < roundStart());
      const name = round[Math.floor(Math.random() * round.length)];
      const pid = pids[name ?? ''];
      if (name === undefined || pid === undefined) continue;
      process.kill(pid, 'SIGKILL');
      kills.push(name);
    }
    // Without more kills: on a slow machine a service may take longer to start than from one kill
    // to the next.
    while (acknowledged.size < subscriptionsMin && !ending.aborted) {
      await sleep(pauseBetweenCreationsMs, ending);
    }
  }

  const roundStart = () => kills.length - (kills.length % targets.length);

  /** Acts like a careful client: retries the same call until it is answered. */
  async function repeated(call: () => Promise<Answer>, status: number): Promise<any> {
    return eventually(
      async () => {
        const answer = await call();
        if (answer.status !== status) {
          throw new Error(`${String(answer.status)} ${JSON.stringify(answer.body)}`);
        }
        return answer.body;
      },
      { timeoutMs: settleTimeoutMs, everyMs: 200 },
    );
  }

  test('were all killed', () => {
    expect(targets).toEqual(expect.arrayContaining([...serviceNames]));
    const counts = targets.map((name) => kills.filter((one) => one === name).length);
    expect(counts).toEqual(targets.map(() => rounds));
  });

  test('every acknowledged subscription exists once', async () => {
    expect(new Set(acknowledged.values()).size).toBe(acknowledged.size);
    for (const [authorizedTransactionId, id] of acknowledged) {
      const subscription = await repeated(() => sandbox.get(`/subscriptions/${id}`), 200);
      expect(subscription).toMatchObject({ id, authorizedTransactionId, status: 'ACTIVE' });
    }
    const invoices = await sandbox.all('/invoices');
    const billed = new Set(invoices.map(({ subscriptionId }) => subscriptionId as string));
    expect([...billed].sort()).toEqual([...acknowledged.values()].sort());
  });

  test('each period so far has one invoice, paid once, and numbers have no gaps', async () => {
    const all = await sandbox.all('/invoices');
    for (const id of acknowledged.values()) {
      const { startAt, currentPeriodStart, currentPeriodEnd } = await sandbox.expect(
        200,
        sandbox.get(`/subscriptions/${id}`),
      );
      const invoices = (await sandbox.all(`/invoices?subscriptionId=${id}`)).reverse();
      const starts = invoices.map(({ periodStart }) => periodStart as string);
      expect(starts).toEqual(weeksFrom(startAt, currentPeriodStart));
      expect(invoices.at(-1).periodEnd).toBe(currentPeriodEnd);
      expect(new Date(currentPeriodEnd).getTime()).toBeGreaterThan(now.getTime());
      for (const invoice of invoices) {
        expect(invoice).toMatchObject({ status: 'PAID', total: 700, amountPaid: 700 });
        expect(invoice.payments).toMatchObject([{ status: 'SUCCEEDED', amount: 700 }]);
      }
    }
    const numbers = all.map(({ number }) => number as string).sort();
    expect(numbers).toEqual(numbers.map((_, index) => `INV-${String(index + 1).padStart(6, '0')}`));
  });

  test(
    'the webhooks arrived, with the same id and bytes at each attempt',
    async () => {
      const expected = new Map<string, number>();
      for (const id of acknowledged.values()) {
        const { total } = await sandbox.expect(200, sandbox.get(`/invoices?subscriptionId=${id}`));
        // created, payment_succeeded, and for each further period renewed, payment_succeeded.
        expected.set(id, 2 * (total as number));
      }
      await eventually(
        () => {
          const seen = new Map<string, Set<number>>();
          for (const { body } of receiver.received) {
            const { subscriptionId } = body.data;
            seen.set(subscriptionId, (seen.get(subscriptionId) ?? new Set()).add(body.sequence));
          }
          const missing = [...expected].filter(([id, count]) => {
            const sequences = [...(seen.get(id) ?? [])].sort((a, b) => a - b);
            return sequences.length !== count || sequences.at(-1) !== count;
          });
          expect(missing).toEqual([]);
        },
        { timeoutMs: settleTimeoutMs, everyMs: 500 },
      );
      const bytes = new Map<string, string>();
      let repeats = 0;
      for (const { headers, text } of receiver.received) {
        const id = String(headers['webhook-id']);
        const first = bytes.get(id);
        if (first !== undefined) repeats += 1;
        expect(text).toBe(first ?? text);
        bytes.set(id, text);
      }
      expect(repeats).toBeGreaterThan(0);
      const sequences = [...bytes.values()].map((text) => JSON.parse(text));
      const natural = sequences.map(({ sequence, data }) => `${data.subscriptionId}:${sequence}`);
      expect(new Set(natural).size).toBe(natural.length);
    },
    settleTimeoutMs + 30_000,
  );

  test('raise no alarm of a database that went back', () => expectNothingWentBack(system));

  test(
    'every invariant holds',
    async () => {
      await expectInvariants(system, sandbox, {
        receivers: [receiver],
        timeoutMs: settleTimeoutMs,
      });
    },
    settleTimeoutMs + 30_000,
  );
});

function weeksFrom(start: string, last: string): string[] {
  const weeks: string[] = [];
  for (let at = new Date(start); at <= new Date(last); at = new Date(at.getTime() + 7 * dayMs)) {
    weeks.push(at.toISOString());
  }
  return weeks;
}
