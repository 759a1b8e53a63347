import type { Scenario } from './scenario';
import { beginEachOn } from './stage';

const lines = ['Pro: 1 × 2999 = 2999'];
const total = 2999;
const declined = '4000000000000002';
const asksOnce = '4000002500003155';
const january = { period: ['2026-01-31', '2026-02-28'], lines, total, reason: 'CHECKOUT' } as const;
const february = { period: ['2026-02-28', '2026-03-31'], lines, total } as const;

describe('a checkout', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  test('that is paid creates the subscription, whose first period it has paid', async () => {
    const session = await scenario.session({ metadata: { plan: 'pro' } });
    expect(session.invoice).toMatchObject({
      status: 'OPEN',
      billingReason: 'CHECKOUT',
      subscriptionId: null,
      periodStart: null,
      hostedUrl: session.checkoutUrl,
    });
    await scenario.payOn(session.checkoutUrl);
    const complete = await scenario.readSession(session);
    expect(complete).toMatchObject({
      status: 'COMPLETE',
      completedAt: '2026-01-31T00:00:00.000Z',
      lastPaymentError: null,
      invoice: { status: 'PAID' },
      subscription: { status: 'ACTIVE', metadata: { plan: 'pro' } },
    });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(complete.subscription, [january, february]);
    await scenario.expectWebhooks(complete.subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('that is declined stays open, and begins the periods when it is paid', async () => {
    const session = await scenario.session();
    await scenario.payOn(session.checkoutUrl, declined);
    expect(await scenario.readSession(session)).toMatchObject({
      status: 'OPEN',
      lastPaymentError: { code: 'card_declined', at: '2026-01-31T00:00:00.000Z' },
      subscriptionId: null,
    });
    await scenario.advanceTo('2026-01-31T12:00:00.000Z');
    await scenario.payOn(session.checkoutUrl);
    const { subscription } = await scenario.readSession(session);
    const noon = '2026-01-31T12:00:00.000Z';
    await scenario.expectInvoices(subscription, [
      {
        ...january,
        period: [noon, '2026-02-28T12:00:00.000Z'],
        payments: ['2026-01-31 FAILED card_declined', `${noon} SUCCEEDED`],
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      `${noon} created`,
      `${noon} payment_succeeded INV-000001 attempt 2`,
    ]);
  });

  test('that asks for 3-D Secure is paid once the payer has authenticated, and renews without them', async () => {
    const session = await scenario.session();
    const challenge = await scenario.payOn(session.checkoutUrl, asksOnce);
    expect(await scenario.readSession(session)).toMatchObject({
      status: 'OPEN',
      invoice: { payments: [{ status: 'REQUIRES_ACTION' }] },
    });
    await scenario.approve(challenge);
    const { status, subscription } = await scenario.readSession(session);
    expect(status).toBe('COMPLETE');
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [january, february]);
  });

  test('of a trial saves the card, charges nothing, and bills at the trial’s end', async () => {
    const session = await scenario.session({ product: { trialDays: 28 } });
    expect(session.invoice).toMatchObject({ status: 'OPEN', total: 0 });
    await scenario.payOn(session.checkoutUrl);
    const { subscription } = await scenario.readSession(session);
    expect(subscription).toMatchObject({ phase: 'TRIAL', trialEnd: '2026-02-28T00:00:00.000Z' });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      { ...january, lines: ['Pro (trial, 28 days): 1 × 0 = 0'], total: 0 },
      { period: ['2026-02-28', '2026-03-28'], lines, total },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('of a trial refuses a card that is declined, and saves one whose payer has authenticated for later charges', async () => {
    const session = await scenario.session({ product: { trialDays: 28 } });
    await scenario.payOn(session.checkoutUrl, declined);
    expect(await scenario.readSession(session)).toMatchObject({
      status: 'OPEN',
      lastPaymentError: {
        code: 'card_declined',
        message: 'Your card was declined.',
        at: '2026-01-31T00:00:00.000Z',
      },
      invoice: { status: 'OPEN', payments: [] },
      subscription: null,
    });
    const challenge = await scenario.payOn(session.checkoutUrl, asksOnce);
    expect(challenge.text).toContain('Confirm your card');
    await scenario.approve(challenge);
    const { status, invoice, subscription } = await scenario.readSession(session);
    expect({ status, payments: invoice.payments }).toEqual({ status: 'COMPLETE', payments: [] });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      { ...january, lines: ['Pro (trial, 28 days): 1 × 0 = 0'], total: 0 },
      { period: ['2026-02-28', '2026-03-28'], lines, total },
    ]);
  });

  test('of a trial saves a card that fails later, because it cannot know', async () => {
    const session = await scenario.session({ product: { trialDays: 28 } });
    await scenario.payOn(session.checkoutUrl, '4000000000000341');
    const { subscription } = await scenario.readSession(session);
    await scenario.advanceTo('2026-02-28');
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
    ]);
  });

  test('with a discount is paid with it, and shares its redemption with the subscription', async () => {
    const half = { type: 'PERCENTAGE', value: 50, duration: 'ONCE', maxRedemptions: 1 };
    const { id: discountId } = await scenario.discount(half);
    const session = await scenario.session({ discountId });
    await scenario.payOn(session.checkoutUrl);
    const { subscription } = await scenario.readSession(session);
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      { ...january, lines: ['Pro: 1 × 2999 = 2999 − 1500'], discount: 1500, total: 1499 },
      february,
    ]);
    const { client } = scenario;
    const kept = await client.expect(200, client.get(`/discounts/${discountId as string}`));
    expect(kept).toMatchObject({ redemptionCount: 1 });
  });

  test('without a payment expires after a day, voids its invoice and frees its redemption', async () => {
    const half = { type: 'PERCENTAGE', value: 50, duration: 'ONCE', maxRedemptions: 1 };
    const { id: discountId } = await scenario.discount(half);
    const session = await scenario.session({ discountId });
    await scenario.advanceTo('2026-01-31T23:59:59.999Z');
    expect(await scenario.readSession(session)).toMatchObject({ status: 'OPEN' });
    await scenario.advanceTo('2026-02-01');
    expect(await scenario.readSession(session)).toMatchObject({
      status: 'EXPIRED',
      invoice: { status: 'VOID' },
      subscriptionId: null,
    });
    const { client } = scenario;
    const kept = await client.expect(200, client.get(`/discounts/${discountId as string}`));
    expect(kept).toMatchObject({ redemptionCount: 0 });
  });

  test('of a ONE_TIME product is paid and creates no subscription', async () => {
    const session = await scenario.session({ product: { billingInterval: 'ONE_TIME' } });
    await scenario.payOn(session.checkoutUrl);
    expect(await scenario.readSession(session)).toMatchObject({
      status: 'COMPLETE',
      subscriptionId: null,
      subscription: null,
      invoice: { status: 'PAID', total, periodStart: null, payments: [{ status: 'SUCCEEDED' }] },
    });
    expect(await scenario.client.all('/subscriptions')).toEqual([]);
  });
});
