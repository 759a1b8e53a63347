import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const product = { trialDays: 14 };
const lines = ['Pro: 1 × 2999 = 2999'];

describe('a subscription with a trial', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-17', (begun) => {
    scenario = begun;
  });

  test('is billed from the trial’s end on, with the method that was authorized at its start', async () => {
    const subscription = await scenario.subscription({ product });
    expect(subscription).toMatchObject({
      phase: 'TRIAL',
      entitled: true,
      trialStart: '2026-01-17T00:00:00.000Z',
      trialEnd: '2026-01-31T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      { period: ['2026-01-31', '2026-02-28'], lines, total: 2999, reason: 'SUBSCRIPTION_CYCLE' },
      { period: ['2026-02-28', '2026-03-31'], lines, total: 2999 },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-17 created',
      '2026-01-31 renewed',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('is never billed if it is canceled in the trial', async () => {
    const subscription = await scenario.subscription({ product });
    await scenario.advanceTo('2026-01-20');
    expect(await scenario.cancel(subscription, false)).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      endedAt: '2026-01-20T00:00:00.000Z',
      cancelReason: 'REQUESTED',
    });
    await scenario.advanceTo('2026-03-31');
    await scenario.expectInvoices(subscription, []);
    await scenario.expectWebhooks(subscription, [
      '2026-01-17 created',
      '2026-01-20 canceled REQUESTED',
    ]);
  });

  test('runs to the trial’s end if it is canceled at period end', async () => {
    const subscription = await scenario.subscription({ product });
    await scenario.advanceTo('2026-01-20');
    expect(await scenario.cancel(subscription, true)).toMatchObject({
      status: 'ACTIVE',
      entitled: true,
      cancelAtPeriodEnd: true,
      nextInvoiceAt: null,
    });
    await scenario.advanceTo('2026-03-31');
    await scenario.expectInvoices(subscription, []);
    await scenario.expectWebhooks(subscription, [
      '2026-01-17 created',
      '2026-01-20 updated nextInvoiceAt 2026-01-31 → null cancelAtPeriodEnd false → true canceledAt null → 2026-01-20 cancelReason null → REQUESTED',
      '2026-01-31 canceled REQUESTED',
    ]);
  });

  test('whose card is declined at its end is past due from then on', async () => {
    const authorizedTransactionId = cards.failsWhenSaved;
    const subscription = await scenario.subscription({ product, authorizedTransactionId });
    await scenario.advanceTo('2026-02-01');
    expect(await scenario.read(subscription)).toMatchObject({
      status: 'PAST_DUE',
      phase: 'REGULAR',
      entitled: true,
    });
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-01-31', '2026-02-28'],
        lines,
        total: 2999,
        reason: 'SUBSCRIPTION_CYCLE',
        status: 'OPEN',
        payments: ['2026-01-31 FAILED card_declined'],
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-17 created',
      '2026-01-31 renewed',
      '2026-01-31 payment_failed INV-000001 attempt 1 next 2026-02-03',
      '2026-01-31 updated status ACTIVE → PAST_DUE',
    ]);
  });
});
