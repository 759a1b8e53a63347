import { systemClock } from '@billing/chassis/clock';
import { isServing } from '@billing/chassis/peer';
import { eventually } from '@billing/chassis/testing';
import { startTestProxy, type TestProxy } from '@billing/chassis/testing/network';
import { cards } from '../scenario/scenario';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const setupTimeoutMs = 600_000;

describe('a system whose stream is down', () => {
  let proxy: TestProxy;
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  let client: Awaited<ReturnType<OwnTestSystem['live']['manualSandbox']>>;
  let productId: string;
  let customerId: string;
  let subscriptions = 0;

  beforeAll(async () => {
    proxy = await startTestProxy(process.env.NATS_URL ?? '');
    proxy.cut();
    const infrastructure = { mongodbUri: process.env.MONGODB_URI ?? '', natsUrl: proxy.url };
    system = await startTestSystem({ infrastructure });
    receiver = await startWebhookReceiver();
    client = await system.live.manualSandbox('2026-01-31T00:00:00Z');
    await client.post('/webhook-endpoints', { url: receiver.url });
    const product = { name: 'Monthly', type: 'FLAT', currency: 'USD', amount: 700 };
    ({ id: productId } = await created('/products', { ...product, billingInterval: 'MONTHLY' }));
    ({ id: customerId } = await created('/customers', { email: 'a@example.com' }));
  }, setupTimeoutMs);

  afterAll(async () => {
    proxy.restore();
    await system.stop();
    await receiver.close();
    await proxy.close();
  });

  async function created(path: string, body: object): Promise<any> {
    const answer = await client.post(path, body);
    expect(answer.status).toBe(201);
    return answer.body;
  }

  async function expectWebhooksOfNewSubscription(): Promise<void> {
    subscriptions += 1;
    const { id } = await created('/subscriptions', {
      customerId,
      productId,
      authorizedTransactionId: `${cards.good}_${String(subscriptions)}`,
    });
    await eventually(() => {
      expect(typesOf(id)).toEqual(['subscription.created', 'subscription.payment_succeeded']);
    });
  }

  function typesOf(subscriptionId: string): string[] {
    return receiver.received
      .filter(({ body }) => body.data.subscriptionId === subscriptionId)
      .map(({ body }) => body.type as string);
  }

  async function expectReady(): Promise<void> {
    // A busy machine may let a single probe time out.
    await eventually(async () => {
      expect((await fetch(`${system.gatewayUrl}/readyz`)).status).toBe(200);
      const { gateway: _, ...services } = system.addresses;
      for (const [name, address] of Object.entries(services)) {
        const deadline = new Date(systemClock.now().getTime() + 5_000);
        expect([name, await isServing(address, { deadline })]).toEqual([name, true]);
      }
    });
  }

  test('from its start is ready, creates subscriptions, and sends webhooks by the event logs', async () => {
    await expectReady();
    await expectWebhooksOfNewSubscription();
  });

  test('advances clocks', async () => {
    const answer = await client.post('/sandboxes/clock/advance', { to: '2026-03-01T00:00:00Z' });
    expect(answer.status).toBe(200);
  });

  test('while it runs is ready, creates subscriptions, and sends webhooks by the event logs', async () => {
    proxy.restore();
    await expectWebhooksOfNewSubscription();
    proxy.cut();
    await expectWebhooksOfNewSubscription();
    await expectReady();
  });
});
