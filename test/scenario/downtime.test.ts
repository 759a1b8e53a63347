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
  let changing: any;
  let pausing: any;
  let putClockBack: () => void = () => undefined;
  const starts: string[] = [];

  beforeAll(async () => {
    system = await startTestSystem();
    receiver = await startWebhookReceiver();
    ({ sandbox } = system);
    await sandbox.expect(201, sandbox.post('/webhook-endpoints', { url: receiver.url }));
    const productId = await weekly('Weekly', 700);
    const smaller = await weekly('Small', 300);
    subscription = await subscribe(productId);
    changing = await subscribe(productId);
    pausing = await subscribe(productId);
    await change(changing, { productId: smaller });
    const resumeAt = inWeeks(pausing, 3.5);
    await change(pausing, { kind: 'PAUSE', resumeAt });
    // What is older than its retention after the downtime is sent before.
    await eventually(() => {
      expect(withoutRepeats(receiver.received)).toHaveLength(8);
    });
    for (let week = 0; week <= 6; week += 1) starts.push(inWeeks(subscription, week));
    await system.restart(() => {
      putClockBack = putWallClockForward(downtimeMs);
    });
  });

  afterAll(async () => {
    await receiver.close();
    await system.stop();
    putClockBack();
  });

  const create = async (path: string, body: object): Promise<any> =>
    sandbox.expect(201, sandbox.post(path, body));
  const weekly = async (name: string, amount: number): Promise<string> => {
    const price = { type: 'FLAT', currency: 'USD', amount, billingInterval: 'WEEKLY' };
    return (await create('/products', { name, ...price })).id;
  };
  const subscribe = async (productId: string): Promise<any> => {
    const { id: customerId } = await create('/customers', { email: 'ada@example.com' });
    const authorizedTransactionId = `txn_4242424242424242_${String(customerId)}`;
    return sandbox.subscribe({ customerId, productId, authorizedTransactionId });
  };
  const change = async ({ id }: any, body: object): Promise<void> => {
    const made = await create(`/subscriptions/${String(id)}/changes`, body);
    expect(made).toMatchObject({ status: 'PENDING', at: 'PERIOD_END' });
  };
  const inWeeks = ({ startAt }: any, weeks: number): string =>
    new Date(new Date(startAt as string).getTime() + weeks * weekMs).toISOString();

  /** Waits until a subscription has this number of paid invoices; the oldest first. */
  const paidInvoices = ({ id }: any, count: number): Promise<any[]> =>
    eventually(
      async () => {
        const all = await sandbox.all(`/invoices?subscriptionId=${String(id)}`);
        expect(all.filter(({ status }) => status === 'PAID')).toHaveLength(count);
        return all.reverse();
      },
      { everyMs: 100 },
    );

  /** Waits for all webhooks of a subscription: its weeks, and others in between. */
  const webhooksOf = ({ id }: any, count: number): Promise<any[]> =>
    eventually(
      () => {
        const bodies = withoutRepeats(receiver.received).map(({ body }) => body);
        const all = bodies.filter(({ data }) => data.subscriptionId === id);
        expect(all).toHaveLength(count);
        expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
        return all;
      },
      { everyMs: 100 },
    );

  test('bills every missed week separately', async () => {
    const invoices = await paidInvoices(subscription, 6);
    expect(invoices).toMatchObject(
      starts.slice(0, 6).map((periodStart, index) => ({
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
    const bodies = await webhooksOf(subscription, 12);
    const renewed = bodies.filter(({ type }) => type === 'subscription.renewed');
    expect(renewed.map(({ data }) => data.subscription.currentPeriodStart)).toEqual(
      starts.slice(1, 6),
    );
    const paid = bodies.filter(({ type }) => type === 'subscription.payment_succeeded');
    expect(paid.map(({ data }) => data.invoice.periodStart).sort()).toEqual(starts.slice(0, 6));
  });

  test('makes the change that waited before it bills the week after it', async () => {
    const invoices = await paidInvoices(changing, 6);
    const lines = invoices.map(({ lineItems: [line], total, periodStart }) => [
      ...[line.description, total, periodStart],
    ]);
    expect(lines).toEqual([
      ['Weekly', 700, inWeeks(changing, 0)],
      ...[1, 2, 3, 4, 5].map((week) => ['Small', 300, inWeeks(changing, week)]),
    ]);
    const path = `/subscriptions/${String(changing.id)}/changes`;
    expect(await sandbox.expect(200, sandbox.get(path))).toMatchObject({
      total: 1,
      data: [{ status: 'APPLIED', effectiveAt: inWeeks(changing, 1), monthlyAmountAfter: 1300 }],
    });
    const bodies = await webhooksOf(changing, 14);
    const types = bodies.map(({ type }) => String(type).replace('subscription.', ''));
    expect(types.filter((type) => type !== 'payment_succeeded')).toEqual([
      ...['created', 'updated', 'updated'],
      ...Array<string>(5).fill('renewed'),
    ]);
    const [, , applied] = bodies.filter(({ type }) => type !== 'subscription.payment_succeeded');
    expect(applied.data.changes).toHaveProperty('productId');
  });

  test('pauses and resumes at its times', async () => {
    const invoices = await paidInvoices(pausing, 4);
    expect(invoices.map(({ total, periodStart }) => [total, periodStart])).toEqual(
      [0, 3.5, 4.5, 5.5].map((week) => [700, inWeeks(pausing, week)]),
    );
    const path = `/subscriptions/${String(pausing.id)}/changes`;
    expect((await sandbox.expect(200, sandbox.get(path))).data).toMatchObject([
      { kind: 'RESUME', status: 'APPLIED', effectiveAt: inWeeks(pausing, 3.5) },
      { kind: 'PAUSE', status: 'APPLIED', effectiveAt: inWeeks(pausing, 1) },
    ]);
    const bodies = await webhooksOf(pausing, 11);
    const types = bodies.map(({ type }) => String(type).replace('subscription.', ''));
    expect(types.filter((type) => type !== 'payment_succeeded')).toEqual([
      ...['created', 'updated', 'updated', 'updated'],
      ...Array<string>(3).fill('renewed'),
    ]);
  });

  test('violates no invariant', async () => {
    await expectInvariants(system, sandbox, { receivers: [receiver] });
  });
});
