import { eventually } from '@billing/chassis/testing';
import type { Scenario } from './scenario';
import { beginEachOn } from './stage';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

const bothKinds = ['checkout.completed', 'checkout.expired'];
const webhooksWithinMs = 60_000;

describe('the end of a checkout', () => {
  let scenario: Scenario;
  let receiver: WebhookReceiver;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  beforeEach(async () => {
    receiver = await startWebhookReceiver();
    await register({ url: receiver.url, events: bothKinds });
  });

  afterEach(() => receiver.close());

  function register(input: object): Promise<any> {
    const { client } = scenario;
    return client.expect(201, client.post('/webhook-endpoints', input));
  }

  /** Waits for the only webhook. */
  async function onlyWebhook(): Promise<any> {
    const body = await eventually(
      () => {
        const [first] = receiver.received;
        expect(first).toBeDefined();
        return first?.body;
      },
      { timeoutMs: webhooksWithinMs, everyMs: 100 },
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    return body;
  }

  test('of a one-time product is announced to the endpoints that name it', async () => {
    const session = await scenario.session({
      product: { billingInterval: 'ONE_TIME' },
      metadata: { cart: 'c-17' },
    });
    await scenario.payOn(session.checkoutUrl);
    const { invoice, ...shown } = await scenario.readSession(session);

    const body = await onlyWebhook();
    expect(body).toMatchObject({
      type: 'checkout.completed',
      timestamp: '2026-01-31T00:00:00.000Z',
      sequence: 1,
    });
    expect(body.data).toEqual({
      checkoutSessionId: session.sessionId,
      customerId: shown.customerId,
      status: 'COMPLETE',
      session: { ...shown, invoice },
      invoice,
    });
    expect(receiver.received[0]?.headers['billing-event']).toBe('checkout.completed');
    expect(scenario.webhooks()).toEqual([]);
  });

  test('is announced when it expires by the clock of its sandbox', async () => {
    const session = await scenario.session();
    await scenario.advanceTo('2026-02-01');
    const { invoice, status } = await scenario.readSession(session);
    expect({ status, invoiceStatus: invoice.status }).toEqual({
      status: 'EXPIRED',
      invoiceStatus: 'VOID',
    });

    const body = await onlyWebhook();
    expect(body).toMatchObject({
      type: 'checkout.expired',
      timestamp: '2026-02-01T00:00:00.000Z',
      sequence: 1,
      data: {
        checkoutSessionId: session.sessionId,
        status: 'EXPIRED',
        session: { status: 'EXPIRED' },
        invoice,
      },
    });
    expect(scenario.webhooks()).toEqual([]);
  });

  test('is announced alongside the subscription that was bought', async () => {
    const session = await scenario.session();
    await scenario.payOn(session.checkoutUrl);
    const { subscription } = await scenario.readSession(session);

    expect(await onlyWebhook()).toMatchObject({
      type: 'checkout.completed',
      data: { session: { subscriptionId: subscription.id }, invoice: { status: 'PAID' } },
    });
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
    ]);
  });
});
