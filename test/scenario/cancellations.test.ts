import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const lines = ['Pro: 1 × 2999 = 2999'];
const total = 2999;
const january = { period: ['2026-01-31', '2026-02-28'], lines, total } as const;
const february = { period: ['2026-02-28', '2026-03-31'], lines, total } as const;

describe('canceling a subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  test.each([
    ['now', false],
    ['at period end', true],
  ])(
    'that is SCHEDULED %s ends it immediately, and no period ever begins',
    async (_name, atPeriodEnd) => {
      const subscription = await scenario.subscription({ startAt: '2026-03-01T00:00:00Z' });
      await scenario.advanceTo('2026-02-01');
      expect(await scenario.cancel(subscription, atPeriodEnd)).toMatchObject({
        status: 'CANCELED',
      });
      await scenario.advanceTo('2026-05-01');
      await scenario.expectInvoices(subscription, []);
      await scenario.expectWebhooks(subscription, [
        '2026-01-31 created',
        '2026-02-01 canceled REQUESTED',
      ]);
    },
  );

  test('that is ACTIVE and paid ends it immediately and keeps the payment', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    expect(await scenario.cancel(subscription, false)).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      nextInvoiceAt: null,
      canceledAt: '2026-02-10T00:00:00.000Z',
      endedAt: '2026-02-10T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-05-01');
    await scenario.expectInvoices(subscription, [january]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 canceled REQUESTED',
    ]);
  });

  test('that is ACTIVE at period end completes the period and renews no more', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-05-01');
    expect(await scenario.read(subscription)).toMatchObject({
      status: 'CANCELED',
      cancelReason: 'REQUESTED',
      canceledAt: '2026-02-10T00:00:00.000Z',
      endedAt: '2026-02-28T00:00:00.000Z',
    });
    await scenario.expectInvoices(subscription, [january]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-02-10 cancelReason null → REQUESTED',
      '2026-02-28 canceled REQUESTED',
    ]);
  });

  test('at period end and undoing it renews as without a cancellation', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-02-11');
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id as string}/uncancel`;
    expect(await client.expect(200, client.post(path))).toMatchObject({
      cancelAtPeriodEnd: false,
      canceledAt: null,
      cancelReason: null,
    });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [january, february]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-02-10 cancelReason null → REQUESTED',
      '2026-02-11 updated nextInvoiceAt null → 2026-02-28 cancelAtPeriodEnd true → false canceledAt 2026-02-10 → null cancelReason REQUESTED → null',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('with a scheduled cancellation ends it immediately, and a CANCELED one never changes', async () => {
    const subscription = await scenario.subscription();
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-02-10');
    const canceled = await scenario.cancel(subscription, false);
    expect(canceled).toMatchObject({ status: 'CANCELED', endedAt: '2026-02-10T00:00:00.000Z' });
    await scenario.advanceTo('2026-02-12');
    expect(await scenario.cancel(subscription, false)).toEqual(canceled);
    expect(await scenario.cancel(subscription, true)).toEqual(canceled);
    const { client } = scenario;
    await client.expect(409, client.post(`/subscriptions/${subscription.id as string}/uncancel`));
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-01-31 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-01-31 cancelReason null → REQUESTED',
      '2026-02-10 canceled REQUESTED',
    ]);
  });

  test('that is PAST_DUE ends it immediately and voids the unpaid invoice of the period', async () => {
    const authorizedTransactionId = cards.failsWhenSaved;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-01');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE' });
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2026-05-01');
    await scenario.expectInvoices(subscription, [
      january,
      { ...february, status: 'VOID', payments: ['2026-02-28 FAILED card_declined'] },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
      '2026-03-01 canceled REQUESTED',
    ]);
  });
});
