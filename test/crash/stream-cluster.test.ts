import { eventually } from '@billing/chassis/testing';
import { cards } from '../scenario/scenario';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { type NatsCluster, startNatsCluster, type StreamState } from './nats-cluster';

const setupTimeoutMs = 600_000;
const testTimeoutMs = 600_000;
const patience = { everyMs: 100, everyMsMax: 1_000 };
// Subscriptions that are created while a server is away, and again after it is back.
const batch = 12;
const concurrency = 6;
const types = ['subscription.created', 'subscription.payment_succeeded'];

describe('a system on three NATS servers', () => {
  let cluster: NatsCluster;
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  let client: Awaited<ReturnType<OwnTestSystem['live']['manualSandbox']>>;
  let endpointId: string;
  let productId: string;
  let customerId: string;
  let requested = 0;
  const subscriptionIds: string[] = [];

  beforeAll(async () => {
    const started = await startNatsCluster();
    if (started === undefined) throw new Error('No NATS server program is available');
    cluster = started;
    const infrastructure = { mongodbUri: process.env.MONGODB_URI ?? '', natsUrl: cluster.url };
    system = await startTestSystem({
      infrastructure,
      processes: true,
      stream: { STREAM_REPLICAS: '3', STREAM_MAX_BYTES: '3000000' },
    });
    receiver = await startWebhookReceiver();
    client = await system.live.manualSandbox('2026-01-31T00:00:00Z');
    endpointId = await created('/webhook-endpoints', { url: receiver.url });
    const product = { name: 'Monthly', type: 'FLAT', currency: 'USD', amount: 700 };
    productId = await created('/products', { ...product, billingInterval: 'MONTHLY' });
    customerId = await created('/customers', { email: 'a@example.com' });
  }, setupTimeoutMs);

  afterAll(async () => {
    try {
      await system.stop();
      await receiver.close();
    } finally {
      await cluster.stop();
    }
  }, setupTimeoutMs);

  /** Creates a resource at the first attempt. */
  async function created(path: string, body: object): Promise<string> {
    const { status, body: answer } = await client.post(path, body);
    expect({ path, status }).toEqual({ path, status: 201 });
    return answer.id as string;
  }

  async function subscribe(metadata: Record<string, string> = {}): Promise<void> {
    requested += 1;
    const authorizedTransactionId = `${cards.good}_${String(requested)}`;
    const body = { customerId, productId, authorizedTransactionId, metadata };
    subscriptionIds.push(await created('/subscriptions', body));
  }

  /** Creates subscriptions, some of them concurrently. */
  async function load(count: number, metadata?: Record<string, string>): Promise<void> {
    for (let done = 0; done < count; done += concurrency) {
      await Promise.all(Array.from({ length: concurrency }, () => subscribe(metadata)));
    }
  }

  /** Waits until all three servers have the stream. */
  function wholeStream(): Promise<StreamState> {
    return eventually(async () => {
      const stream = await cluster.stream();
      if (stream === undefined) throw new Error('The stream has no leader');
      expect(stream).toMatchObject({ replicas: 3, currentFollowers: 2 });
      return stream;
    }, patience);
  }

  /** Expects each event of each subscription once, in order. */
  async function expectWebhooks(): Promise<void> {
    await eventually(() => {
      expect(receiver.received.length).toBeGreaterThanOrEqual(2 * subscriptionIds.length);
    }, patience);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    const bySubscription = Map.groupBy(
      receiver.received,
      ({ body }) => body.data.subscriptionId as string,
    );
    expect(new Set(bySubscription.keys())).toEqual(new Set(subscriptionIds));
    for (const webhooks of bySubscription.values()) {
      expect(webhooks.map(({ body }) => body.sequence as number)).toEqual([1, 2]);
      expect(webhooks.map(({ body }) => body.type as string)).toEqual(types);
    }
  }

  test(
    'refuses no request and loses no webhook when servers are killed, the leader twice',
    async () => {
      const follower = (leader: string) => cluster.names.find((name) => name !== leader) ?? '';
      const itself = (leader: string) => leader;
      for (const victimOf of [itself, follower, itself]) {
        const victim = victimOf((await wholeStream()).leader);
        const loading = load(batch);
        cluster.kill(victim);
        await loading;
        await load(batch);
        await cluster.restart(victim);
        await load(batch);
      }
      await expectWebhooks();
      expect((await wholeStream()).first).toBe(1);
    },
    testTimeoutMs,
  );

  test(
    'refuses no request and loses no webhook when the stream overflows before its events are read',
    async () => {
      const before = await wholeStream();
      // A process that stops between a webhook and its outcome may send it again.
      await eventually(async () => {
        const all = await client.all(`/webhook-endpoints/${endpointId}/deliveries`);
        expect(all.filter(({ status }) => status !== 'DELIVERED')).toEqual([]);
      }, patience);
      const { notifier } = system.pids();
      if (notifier === undefined) throw new Error('The notifier does not run');
      const metadata = Object.fromEntries(
        Array.from({ length: 45 }, (_, index) => [`key${String(index)}`, 'x'.repeat(400)]),
      );
      process.kill(notifier, 'SIGSTOP');
      try {
        await load(10 * batch, metadata);
        // Events are published after the answers of their calls.
        await eventually(async () => {
          expect((await wholeStream()).first).toBeGreaterThan(before.last + batch);
        }, patience);
      } finally {
        process.kill(notifier, 'SIGCONT');
      }
      await expectWebhooks();
    },
    testTimeoutMs,
  );
});
