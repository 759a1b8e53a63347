import { newId } from '@billing/chassis/ids';
import type { Answer, ApiClient } from './api-client';
import { expectInvariants } from './invariants/expectation';
import { card, Payer } from './payer';
import { PersistentClient } from './persistent-client';
import { startTestSystem, type TestSystem } from './test-system';

const start = '2026-01-31T00:00:00.000Z';
const good = 'txn_4242424242424242';

describe('callers who race', () => {
  let system: TestSystem;
  let sandbox: ApiClient;

  beforeAll(async () => {
    system = await startTestSystem();
  });

  beforeEach(async () => {
    sandbox = await system.live.manualSandbox(start);
  });

  afterEach(async () => {
    await sandbox.advanceTo((await sandbox.expect(200, sandbox.get('/sandboxes/clock'))).now);
    await expectInvariants(system, sandbox);
  });

  afterAll(async () => {
    await system.stop();
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

  test('twenty payers of one session make one charge and one subscription', async () => {
    const { sessionId, checkoutUrl } = await aSession();
    const payer = new Payer(system.gatewayUrl);
    const pages = await Promise.all(Array.from({ length: 20 }, () => payer.open(checkoutUrl)));
    const paid = await Promise.all(pages.map((page) => payer.submit(page, card())));
    for (const { status } of paid) expect(status).toBeLessThan(500);

    const session = await sandbox.expect(200, sandbox.get(`/checkout/${sessionId}`));
    expect(session).toMatchObject({ status: 'COMPLETE', invoice: { status: 'PAID' } });
    const charges = session.invoice.payments.filter(
      (payment: { status: string }) => payment.status === 'SUCCEEDED',
    );
    expect(charges).toHaveLength(1);
    expect(await sandbox.all('/subscriptions')).toMatchObject([{ id: session.subscriptionId }]);
  }, 60_000);

  test('a thousand buyers of a discount with ten redemptions leave exactly ten with it', async () => {
    const discount = { name: 'Ten', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const discountId = await made('/discounts', { ...discount, maxRedemptions: 10 });
    const purchase = { customerId: await aCustomer(), productId: await aProduct(), discountId };
    const buyers = Array.from({ length: 1_000 }, () => buy(purchase));
    const outcomes = await Promise.all(buyers);

    expect(outcomes.filter((status) => status === 201)).toHaveLength(10);
    expect(outcomes.filter((status) => status === 400)).toHaveLength(990);
    const kept = await sandbox.expect(200, sandbox.get(`/discounts/${discountId}`));
    expect(kept.redemptionCount).toBe(10);
    expect(await sandbox.all('/subscriptions')).toHaveLength(10);
  }, 240_000);

  async function buy(purchase: object): Promise<number> {
    const persistent = new PersistentClient(sandbox);
    const body = { ...purchase, authorizedTransactionId: `${good}_${newId()}` };
    const key = { 'Idempotency-Key': newId() };
    return (await persistent.answer(() => sandbox.post('/subscriptions', body, key))).status;
  }

  test('fifty identical POSTs of a session under one key make one', async () => {
    const body = { customerId: await aCustomer(), productId: await aProduct() };
    const key = { 'Idempotency-Key': newId() };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => sandbox.post('/checkout', body, key)),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    // The first one still runs: a caller may ask again.
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(new Set(created.map((answer) => answer.body.sessionId as string)).size).toBe(1);
    expect(await sandbox.all('/invoices')).toHaveLength(1);
  }, 60_000);

  test('a cancellation, a renewal and a payment of one instant agree, whichever comes first', async () => {
    const customerId = await aCustomer();
    const productId = await aProduct();
    const rounds = Array.from({ length: 12 }, (_, index) => index);
    // The second card is declined at each renewal, so that there is something to pay.
    const cards = [good, 'txn_4000000000000341'];
    const ids = await Promise.all(
      rounds.map((round) =>
        made('/subscriptions', {
          customerId,
          productId,
          authorizedTransactionId: `${cards[round % 2] ?? ''}_${String(round)}`,
        }),
      ),
    );
    await sandbox.advanceTo('2026-02-28T00:00:00.000Z');
    const open = await sandbox.all('/invoices?status=OPEN');
    const advancing = sandbox.post('/sandboxes/clock/advance', { to: '2026-03-31T00:00:00.000Z' });
    const answers = await Promise.all([
      advancing,
      ...ids.map((id, index) =>
        sandbox.post(`/subscriptions/${id}/cancel`, { atPeriodEnd: index % 3 === 0 }),
      ),
      ...open.map(({ id }) =>
        sandbox.post(`/invoices/${id as string}/pay`, { authorizedTransactionId: good }),
      ),
    ]);
    expect(
      answers.filter(({ status }) => ![200, 409].includes(status)).map(describeAnswer),
    ).toEqual([]);
    await sandbox.advanceTo('2026-04-30T00:00:00.000Z');
    for (const subscription of await sandbox.all('/subscriptions')) {
      expect(subscription.status).toBe('CANCELED');
    }
  }, 120_000);
});

function describeAnswer({ status, body }: Answer): string {
  return `${String(status)} ${JSON.stringify(body)}`;
}
