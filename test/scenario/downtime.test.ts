import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { putWallClockForward } from '../support/wall-clock';
import {
  startWebhookReceiver,
  type WebhookReceiver,
  withoutRepeats,
} from '../support/webhook-receiver';

const dayMs = 24 * 60 * 60 * 1_000;
const weekMs = 7 * dayMs;
const downtimeMs = 40 * dayMs;

describe('a system that was down for 40 days', () => {
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  let sandbox: ApiClient;
  let subscription: any;
  let putClockBack: () => void = () => undefined;
  const starts: string[] = [];

  beforeAll(async () => {
    system = await startTestSystem();
    receiver = await startWebhookReceiver();
    ({ sandbox } = system);
    await sandbox.expect(201, sandbox.post('/webhook-endpoints', { url: receiver.url }));
    const { id: customerId } = await sandbox.expect(
      201,
      sandbox.post('/customers', { email: 'ada@example.com' }),
    );
    const product = { name: 'Weekly', type: 'FLAT', currency: 'USD', amount: 700 };
    const { id: productId } = await sandbox.expect(
      201,
      sandbox.post('/products', { ...product, billingInterval: 'WEEKLY' }),
    );
    const authorizedTransactionId = 'txn_4242424242424242';
    const purchase = { customerId, productId, authorizedTransactionId };
    subscription = await sandbox.subscribe(purchase);
    // What is older than its retention after the downtime is sent before.
    await eventually(() => {
      expect(withoutRepeats(receiver.received)).toHaveLength(2);
    });
    const anchor = new Date(subscription.startAt as string).getTime();
    for (let week = 0; week <= 6; week += 1) {
      starts.push(new Date(anchor + week * weekMs).toISOString());
    }
    await system.restart(() => {
      putClockBack = putWallClockForward(downtimeMs);
    });
  });

  afterAll(async () => {
    await receiver.close();
    await system.stop();
    putClockBack();
  });

  test('bills every missed week separately', async () => {
    const invoices = await eventually(
      async () => {
        const all = await sandbox.all(`/invoices?subscriptionId=${subscription.id as string}`);
        expect(all.filter(({ status }) => status === 'PAID')).toHaveLength(6);
        return all.reverse();
      },
      { everyMs: 100 },
    );
    expect(invoices).toMatchObject(
      starts.slice(0, 6).map((periodStart, index) => ({
        number: `INV-00000${String(index + 1)}`,
        periodStart,
        periodEnd: starts[index + 1],
        total: 700,
        lineItems: [{ description: 'Weekly', amount: 700, periodStart }],
        payments: [{ status: 'SUCCEEDED', amount: 700 }],
      })),
    );
    const path = `/subscriptions/${subscription.id as string}`;
    expect(await sandbox.expect(200, sandbox.get(path))).toMatchObject({
      status: 'ACTIVE',
      currentPeriodStart: starts[5],
      currentPeriodEnd: starts[6],
    });
  });

  test('announces each of them, in order and without gaps', async () => {
    const received = await eventually(
      () => {
        const all = withoutRepeats(receiver.received);
        expect(all).toHaveLength(12);
        return all;
      },
      { everyMs: 100 },
    );
    const bodies = received.map(({ body }) => body);
    expect(bodies.map(({ sequence }) => sequence)).toEqual(bodies.map((_, index) => index + 1));
    const renewed = bodies.filter(({ type }) => type === 'subscription.renewed');
    expect(renewed.map(({ data }) => data.subscription.currentPeriodStart)).toEqual(
      starts.slice(1, 6),
    );
    const paid = bodies.filter(({ type }) => type === 'subscription.payment_succeeded');
    expect(paid.map(({ data }) => data.invoice.periodStart).sort()).toEqual(starts.slice(0, 6));
  });

  test('violates no invariant', async () => {
    await expectInvariants(system, sandbox, { receivers: [receiver] });
  });
});
