import { eventually } from '@billing/chassis/testing';
import { revenueOf } from './revenue';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

// Worked examples of pauses: a monthly period from 1 June to 1 July 2026.
describe('pausing a subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const change = (subscription: { id: string }, body: object): Promise<any> =>
    scenario.change(subscription, body);

  test('23: now with credit, then resumed', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const body = { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' };
    const preview = await client.expect(
      200,
      client.post('/previews', { kind: 'CHANGE', subscriptionId: subscription.id, change: body }),
    );
    expect(preview).toMatchObject({
      ...{ invoice: null, nextInvoice: null, dueNow: 0, monthlyAmountAfter: 0 },
      creditNotes: [{ amount: 5000, settledBy: 'BALANCE' }],
    });
    const pause = await change(subscription, { ...body, previewToken: preview.token });
    expect(pause).toMatchObject({ kind: 'PAUSE', status: 'APPLIED', monthlyAmountAfter: 0 });
    await eventually(async () => {
      const [noteId] = pause.creditNoteIds;
      expect(await client.expect(200, client.get(`/credit-notes/${noteId}`))).toMatchObject({
        toBalance: 5000,
      });
    });
    expect(await scenario.read(subscription)).toMatchObject({
      ...{ phase: 'PAUSED', status: 'ACTIVE', entitled: false, nextInvoiceAt: null },
      pausedAt: '2026-06-16T00:00:00.000Z',
      currentPeriodEnd: '2026-06-16T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-08-10');
    expect(await scenario.invoices(subscription)).toHaveLength(1);
    const resume = await change(subscription, { kind: 'RESUME' });
    expect(resume).toMatchObject({ kind: 'RESUME', status: 'APPLIED', monthlyAmountAfter: 10000 });
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({
      ...{ id: resume.invoiceId, total: 10000, balanceApplied: 5000, status: 'PAID' },
      ...{ amountPaid: 5000, billingReason: 'SUBSCRIPTION_CHANGE' },
    });
    expect(await scenario.read(subscription)).toMatchObject({
      ...{ phase: 'REGULAR', entitled: true, pausedAt: null },
      nextInvoiceAt: '2026-09-10T00:00:00.000Z',
    });
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      expect.stringMatching(/^2026-06-16 updated /),
      '2026-08-10 payment_succeeded INV-000002 attempt 1',
      expect.stringMatching(/^2026-08-10 updated /),
      '2026-08-10 renewed',
    ]);
    const none = { new: 0, expansion: 0, contraction: 0, churned: 0, reactivation: 0 };
    expect(await revenueOf(scenario, 3)).toMatchObject([
      { month: '2026-06', ...none, new: 10000, churned: 10000, mrr: 0 },
      { month: '2026-07', ...none, mrr: 0 },
      { month: '2026-08', ...none, reactivation: 10000, mrr: 10000 },
    ]);
  });

  test('at the period end, until a planned time', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const path = `/subscriptions/${subscription.id}/changes`;
    const pause = await change(subscription, {
      kind: 'PAUSE',
      resumeAt: '2026-08-10T00:00:00.000Z',
    });
    expect(pause).toMatchObject({ status: 'PENDING', at: 'PERIOD_END', proration: 'NONE' });
    expect(await scenario.read(subscription)).toMatchObject({
      nextInvoiceAt: '2026-08-10T00:00:00.000Z',
      pendingChange: { id: pause.id, kind: 'PAUSE' },
    });
    // A smaller plan takes effect at the period end too, and replaces the pause.
    const { id: productId } = await scenario.product({ amount: 4000 });
    const asked = { kind: 'CHANGE', subscriptionId: subscription.id, change: { productId } };
    expect(await client.expect(200, client.post('/previews', asked))).toMatchObject({
      effectiveAt: '2026-07-01T00:00:00.000Z',
      nextInvoice: { total: 4000, periodStart: '2026-07-01T00:00:00.000Z' },
    });
    await scenario.advanceTo('2026-07-05');
    expect(await scenario.read(subscription)).toMatchObject({
      ...{ phase: 'PAUSED', pausedAt: '2026-07-01T00:00:00.000Z' },
    });
    await scenario.advanceTo('2026-08-10');
    const [resumed] = (await client.expect(200, client.get(path))).data;
    expect(resumed).toMatchObject({ kind: 'RESUME', status: 'APPLIED' });
    await scenario.advanceTo('2026-09-10');
    const invoices = await scenario.invoices(subscription);
    expect(invoices.map(({ periodStart, total }) => [periodStart.slice(0, 10), total])).toEqual([
      ['2026-06-01', 10000],
      ['2026-08-10', 10000],
      ['2026-09-10', 10000],
    ]);
  });

  test('ends at once with a cancellation, and a declined card leaves it paused', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({
      product: { amount: 10000 },
      authorizedTransactionId: cards.failsWhenSaved,
    });
    await scenario.advanceTo('2026-06-16');
    await change(subscription, { kind: 'PAUSE', at: 'NOW' });
    expect(await change(subscription, { kind: 'RESUME' })).toMatchObject({
      ...{ status: 'FAILED', failure: { code: 'card_declined' } },
    });
    expect(await scenario.read(subscription)).toMatchObject({ phase: 'PAUSED', status: 'ACTIVE' });
    await scenario.cancel(subscription, true);
    expect(await scenario.read(subscription)).toMatchObject({
      ...{ status: 'CANCELED', endedAt: '2026-06-16T00:00:00.000Z' },
    });
    const path = `/subscriptions/${subscription.id}/changes`;
    expect((await client.post(path, { kind: 'RESUME' })).body).toEqual({
      error: 'Subscription is already canceled',
    });
  });

  test('is refused with fields of other changes, and out of its phase', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const path = `/subscriptions/${subscription.id}/changes`;
    const refused = async (status: number, body: object) =>
      (await client.expect(status, client.post(path, body))).error;
    const not = ['Not with this kind'];
    expect(await refused(400, { kind: 'PAUSE', quantity: 2 })).toEqual({ quantity: not });
    expect(await refused(400, { kind: 'PAUSE', at: 'AUTO' })).toEqual({ at: not });
    expect(await refused(400, { kind: 'RESUME', at: 'NOW' })).toEqual({ at: not });
    const resumeAt = '2026-06-30T00:00:00.000Z';
    expect(await refused(400, { quantity: 2, resumeAt })).toEqual({ resumeAt: not });
    expect(await refused(400, { kind: 'PAUSE', resumeAt })).toEqual({
      resumeAt: ['Must be after the pause begins, at most five years'],
    });
    expect(await refused(409, { kind: 'RESUME' })).toBe('Subscription is not paused');
    await scenario.cancel(subscription, true);
    expect(await refused(409, { kind: 'PAUSE' })).toBe('Subscription is set to cancel');
  });
});
