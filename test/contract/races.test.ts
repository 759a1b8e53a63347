import * as fc from 'fast-check';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { card, Payer } from '../support/payer';
import { PersistentClient } from '../support/persistent-client';
import { isNightly } from '../support/rounds';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const start = '2026-01-31T00:00:00.000Z';
const dayMs = 24 * 60 * 60 * 1_000;
const good = 'txn_4242424242424242';
// Many times the redemptions, and few enough for a busy machine to answer each in time.
const buyersAtOnce = 40;
const rounds = isNightly ? { buyers: 1_000, schedules: 30 } : { buyers: 100, schedules: 3 };

describe('racing callers', () => {
  let system: TestSystem;
  let sandbox: ApiClient;

  beforeAll(async () => {
    system = await joinTestSystem();
  });

  beforeEach(async () => {
    sandbox = await system.live.manualSandbox(start);
  });

  afterEach(async () => {
    await sandbox.advanceTo((await sandbox.expect(200, sandbox.get('/sandboxes/clock'))).now);
    await expectInvariants(system, sandbox);
  });

  const made = async (path: string, body: object): Promise<string> =>
    (await sandbox.expect(201, sandbox.post(path, body))).id;

  const aCustomer = () => made('/customers', { email: 'ada@example.com' });

  const aProduct = () =>
    made('/products', {
      name: 'Pro',
      type: 'FLAT',
      currency: 'USD',
      amount: 2900,
      billingInterval: 'MONTHLY',
    });

  async function aSession(): Promise<{ sessionId: string; checkoutUrl: string; invoice: any }> {
    const body = { customerId: await aCustomer(), productId: await aProduct() };
    return sandbox.expect(201, sandbox.post('/checkout', body));
  }

  test('twenty payers of one session cause one charge and one subscription', async () => {
    const { sessionId, checkoutUrl } = await aSession();
    const payer = new Payer(system.gatewayUrl);
    const pages = await Promise.all(Array.from({ length: 20 }, () => payer.open(checkoutUrl)));
    const paid = await Promise.all(pages.map((page) => payer.submit(page, card())));
    // A busy page may be refused.
    for (const { status } of paid) expect([500, 502]).not.toContain(status);

    // On a busy machine a page may be answered while the payment is in progress.
    const session = await eventually(async () => {
      const found = await sandbox.expect(200, sandbox.get(`/checkout/${sessionId}`));
      expect(found).toMatchObject({ status: 'COMPLETE', invoice: { status: 'PAID' } });
      return found;
    });
    const charges = session.invoice.payments.filter(
      (payment: { status: string }) => payment.status === 'SUCCEEDED',
    );
    expect(charges).toHaveLength(1);
    await eventually(async () => {
      const found = await sandbox.all('/subscriptions');
      expect(found).toMatchObject([{ id: session.subscriptionId }]);
    });
  });

  test('many buyers of a discount with ten redemptions leave exactly ten with it', async () => {
    const discount = { name: 'Ten', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const discountId = await made('/discounts', { ...discount, maxRedemptions: 10 });
    const purchase = { customerId: await aCustomer(), productId: await aProduct(), discountId };
    const outcomes: number[] = [];
    let started = 0;
    const buyInTurn = async () => {
      while (started < rounds.buyers) {
        started += 1;
        outcomes.push(await buy(purchase));
      }
    };
    await Promise.all(Array.from({ length: buyersAtOnce }, buyInTurn));

    expect(outcomes.filter((status) => status === 201)).toHaveLength(10);
    expect(outcomes.filter((status) => status === 400)).toHaveLength(rounds.buyers - 10);
    const kept = await sandbox.expect(200, sandbox.get(`/discounts/${discountId}`));
    expect(kept.redemptionCount).toBe(10);
    expect(await sandbox.all('/subscriptions')).toHaveLength(10);
  }, 600_000);

  async function buy(purchase: object): Promise<number> {
    const persistent = new PersistentClient(sandbox);
    const body = { ...purchase, authorizedTransactionId: `${good}_${newId()}` };
    const key = { 'Idempotency-Key': newId() };
    return (await persistent.answer(() => sandbox.post('/subscriptions', body, key))).status;
  }

  test('fifty identical POSTs of a session under one key create one', async () => {
    const body = { customerId: await aCustomer(), productId: await aProduct() };
    const key = { 'Idempotency-Key': newId() };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => sandbox.post('/checkout', body, key)),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    // The first one is still in flight: a caller may retry.
    for (const { status } of answers) expect([201, 409, 503]).toContain(status);
    expect(new Set(created.map((answer) => answer.body.sessionId as string)).size).toBe(1);
    expect(await sandbox.all('/invoices')).toHaveLength(1);
  });

  test('a cancellation, a renewal and a payment leave a consistent state in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, atPeriodEnd) => {
        const customerId = await aCustomer();
        const productId = await aProduct();
        // Declined at the renewal, so that an invoice is open.
        const authorizedTransactionId = `txn_4000000000000341_${newId()}`;
        const purchase = { customerId, productId, authorizedTransactionId };
        const id = await made('/subscriptions', purchase);
        const { currentPeriodEnd } = await sandbox.expect(200, sandbox.get(`/subscriptions/${id}`));
        await sandbox.advanceTo(currentPeriodEnd as string);
        const [unpaid] = await sandbox.all(`/invoices?subscriptionId=${id}&status=OPEN`);
        const to = new Date(Date.parse(currentPeriodEnd as string) + 40 * dayMs).toISOString();
        const calls = [
          () => sandbox.post(`/subscriptions/${id}/cancel`, { atPeriodEnd }),
          () => sandbox.post('/sandboxes/clock/advance', { to }),
          () =>
            sandbox.post(`/invoices/${unpaid.id as string}/pay`, { authorizedTransactionId: good }),
          () => sandbox.post(`/invoices/${unpaid.id as string}/pay`),
        ];
        // Each starts when the scheduler says so, and none waits for another.
        const answers = calls.map(async (call, index) => {
          await scheduler.schedule(Promise.resolve(), `call ${String(index)}`);
          return call();
        });
        await scheduler.waitIdle();
        const refused = (await Promise.all(answers)).filter(
          // A payment comes too late, or while the other one is in flight.
          ({ status }) => ![200, 409].includes(status),
        );
        expect(refused.map(describeAnswer)).toEqual([]);
        await sandbox.advanceTo(to);
        await expectInvariants(system, sandbox);
      }),
      { numRuns: rounds.schedules },
    );
  }, 600_000);
});

function describeAnswer({ status, body }: Answer): string {
  return `${String(status)} ${JSON.stringify(body)}`;
}
