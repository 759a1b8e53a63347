import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
  withoutRepeats,
} from '../support/webhook-receiver';

// The last day of each month from the end of the trial on, in 2026 and 2027.
const renewals = [
  '2026-01-31',
  '2026-02-28',
  '2026-03-31',
  '2026-04-30',
  '2026-05-31',
  '2026-06-30',
  '2026-07-31',
  '2026-08-31',
  '2026-09-30',
  '2026-10-31',
  '2026-11-30',
  '2026-12-31',
  '2027-01-31',
  '2027-02-28',
].map((day) => `${day}T00:00:00.000Z`);
const nextRenewal = '2027-03-31T00:00:00.000Z';

describe('fourteen months of a subscription that began with a trial', () => {
  let system: TestSystem;
  let receiver: WebhookReceiver;
  let sandbox: ApiClient;
  let secret: string;
  let subscriptionId: string;

  beforeAll(async () => {
    system = await joinTestSystem();
    receiver = await startWebhookReceiver();
    sandbox = await system.live.manualSandbox('2026-01-17T00:00:00Z');
    const endpoint = await sandbox.expect(
      201,
      sandbox.post('/webhook-endpoints', { url: receiver.url }),
    );
    secret = endpoint.secret;
    const customer = await sandbox.expect(
      201,
      sandbox.post('/customers', { email: 'ada@example.com', name: 'Ada' }),
    );
    const product = await sandbox.expect(
      201,
      sandbox.post('/products', {
        name: 'Pro',
        type: 'FLAT',
        currency: 'usd',
        amount: 2999,
        billingInterval: 'MONTHLY',
        trialDays: 14,
      }),
    );
    const subscription = await sandbox.expect(
      201,
      sandbox.post('/subscriptions', {
        customerId: customer.id,
        productId: product.id,
        authorizedTransactionId: 'txn_4242424242424242',
      }),
    );
    subscriptionId = subscription.id;
    expect(subscription).toMatchObject({
      status: 'ACTIVE',
      phase: 'TRIAL',
      entitled: true,
      trialEnd: renewals[0],
      nextInvoiceAt: renewals[0],
      latestInvoiceId: null,
    });
    const { now } = await sandbox.advanceTo('2027-03-17T00:00:00Z');
    expect(now).toBe('2027-03-17T00:00:00.000Z');
  });

  afterAll(async () => {
    await receiver.close();
  });

  test('is billed for each month from its anchor, to the cent, and paid, with numbers without gaps', async () => {
    const invoices = (await sandbox.all(`/invoices?subscriptionId=${subscriptionId}`)).reverse();
    expect(invoices).toHaveLength(14);
    invoices.forEach((invoice, index) => {
      const periodStart = renewals[index];
      const periodEnd = renewals[index + 1] ?? nextRenewal;
      expect(invoice).toMatchObject({
        number: `INV-${String(index + 1).padStart(6, '0')}`,
        status: 'PAID',
        billingReason: 'SUBSCRIPTION_CYCLE',
        currency: 'USD',
        subtotal: 2999,
        discountAmount: 0,
        tax: 0,
        total: 2999,
        amountPaid: 2999,
        amountDue: 0,
        paidAt: periodStart,
        createdAt: periodStart,
        periodStart,
        periodEnd,
      });
      expect(invoice.lineItems).toMatchObject([
        {
          description: 'Pro',
          quantity: '1',
          unitAmount: '2999',
          amount: 2999,
          periodStart,
          periodEnd,
        },
      ]);
      expect(invoice.payments).toMatchObject([
        {
          amount: 2999,
          currency: 'USD',
          provider: 'sandbox',
          status: 'SUCCEEDED',
          failureCode: null,
        },
      ]);
    });
  });

  test('is in its fourteenth month', async () => {
    const subscription = await sandbox.expect(200, sandbox.get(`/subscriptions/${subscriptionId}`));
    expect(subscription).toMatchObject({
      status: 'ACTIVE',
      phase: 'REGULAR',
      currentPeriodStart: renewals[13],
      currentPeriodEnd: nextRenewal,
      nextInvoiceAt: nextRenewal,
    });
  });

  test('is announced in order at the time of each transition, without gaps but the warning', async () => {
    const received = await eventually(() => {
      const all = withoutRepeats(receiver.received);
      expect(all).toHaveLength(29);
      return all;
    });
    const seen = received.map(({ body }) => [body.sequence, body.type, body.timestamp]);
    expect(seen).toEqual([
      [1, 'subscription.created', '2026-01-17T00:00:00.000Z'],
      ...renewals.flatMap((at, index) => [
        // The warning of the trial's end, which the endpoint does not name, has number 2.
        [3 + 2 * index, 'subscription.renewed', at],
        [4 + 2 * index, 'subscription.payment_succeeded', at],
      ]),
    ]);
  });

  test('carries the subscription and the invoice as they were at that moment', () => {
    expect(receiver.received.length).toBeGreaterThanOrEqual(29);
    receiver.received.forEach(({ body }) => {
      const { data, timestamp, type } = body;
      expect(data.subscriptionId).toBe(subscriptionId);
      expect(data.subscription).toMatchObject({ id: subscriptionId, updatedAt: timestamp });
      if (type === 'subscription.created') expect(data.subscription.phase).toBe('TRIAL');
      if (type === 'subscription.renewed') {
        expect(data.subscription).toMatchObject({
          phase: 'REGULAR',
          currentPeriodStart: timestamp,
        });
      }
      if (type === 'subscription.payment_succeeded') {
        expect(data.invoice).toMatchObject({ status: 'PAID', periodStart: timestamp, total: 2999 });
        expect(data.attempt).toBe(1);
      }
    });
  });

  test('is signed in both schemes', () => {
    expect(receiver.received.length).toBeGreaterThanOrEqual(29);
    const verifier = new Webhook(secret);
    for (const webhook of receiver.received) {
      expect(verifier.verify(webhook.text, headersOf(webhook))).toEqual(webhook.body);
      expect(webhook.headers['webhook-id']).toBe(webhook.body.id);
      expect(webhook.headers['billing-event']).toBe(webhook.body.type);
      expect(webhook.headers['billing-signature']).toBe(billingSignature(webhook, secret));
    }
  });

  test('violates no invariant', async () => {
    await expectInvariants(system, sandbox, { receivers: [receiver] });
  });
});

function headersOf({ headers }: ReceivedWebhook): Record<string, string> {
  return Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(headers[name]),
    ]),
  );
}

function billingSignature({ headers, text }: ReceivedWebhook, secret: string): string {
  const seconds = /^t=(\d+),/.exec(String(headers['billing-signature']))?.[1] ?? '';
  const digest = createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
