import type { Scenario } from './scenario';
import { beginEachOn } from './stage';

const lines = ['Pro: 1 × 2999 = 2999'];
const total = 2999;

describe('a customer who changes', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  const change = ({ customerId }: { customerId: string }, body: object) =>
    scenario.client.expect(
      200,
      scenario.client.request('PATCH', `/customers/${customerId}`, { body }),
    );

  test('to sent invoices is sent the next renewal and not charged, and is charged again after changing back', async () => {
    const subscription = await scenario.subscription();
    await change(subscription, { collectionMethod: 'SEND_INVOICE' });
    await scenario.advanceTo('2026-02-28');
    const [, february] = await scenario.invoices(subscription);
    expect(february).toMatchObject({
      collectionMethod: 'SEND_INVOICE',
      dueDate: '2026-03-30T00:00:00.000Z',
      payments: [],
    });
    await change(subscription, { collectionMethod: 'CHARGE_AUTOMATICALLY' });
    await scenario.advanceTo('2026-03-31');
    await scenario.expectInvoices(subscription, [
      { period: ['2026-01-31', '2026-02-28'], lines, total },
      { period: ['2026-02-28', '2026-03-31'], lines, total, status: 'OPEN', payments: [] },
      { period: ['2026-03-31', '2026-04-30'], lines, total },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-28 renewed',
      '2026-03-30 updated status ACTIVE → PAST_DUE',
      '2026-03-31 renewed',
      '2026-03-31 payment_succeeded INV-000003 attempt 1',
    ]);
  });

  test('their name appears in the subscription from the next renewal on', async () => {
    const subscription = await scenario.subscription({ customer: { name: 'Ada' } });
    await change(subscription, { name: 'Ada King', email: 'king@example.com' });
    await scenario.advanceTo('2026-02-28');
    expect((await scenario.read(subscription)).customer).toEqual({
      id: subscription.customerId,
      email: 'king@example.com',
      name: 'Ada King',
    });
  });
});
