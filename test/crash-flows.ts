import { eventually } from '@billing/chassis/testing';
import { card, Payer } from './payer';
import type { PersistentClient } from './persistent-client';

/** What a caller does, and what it has when it has done it, whatever dies meanwhile. */
export interface CrashFlow {
  readonly name: string;
  /** What stands before: nothing is killed yet. */
  prepare(client: PersistentClient): Promise<any>;
  /** Done while processes die. */
  act(client: PersistentClient, prepared: any): Promise<any>;
  /** Throws where the caller did not reach its goal; nothing runs any more. */
  expectGoal(client: PersistentClient, outcome: any): Promise<void>;
}

export const startOfFlows = '2026-01-31T00:00:00.000Z';
// An attempt whose worker died is taken up after half a minute.
const payerPatienceMs = 100_000;
const renewalDay = '2026-02-28T00:00:00.000Z';
const recoveryDay = '2026-03-07T00:00:00.000Z';

const monthly = {
  name: 'Monthly',
  type: 'FLAT',
  currency: 'USD',
  amount: 2900,
  billingInterval: 'MONTHLY',
};

async function aCustomer(client: PersistentClient): Promise<{ customerId: string }> {
  const { id } = await client.post(201, '/customers', { email: 'ada@example.com' });
  return { customerId: id as string };
}

async function aProduct(client: PersistentClient, changes = {}): Promise<{ productId: string }> {
  const { id } = await client.post(201, '/products', { ...monthly, ...changes });
  return { productId: id as string };
}

async function aSubscription(client: PersistentClient, card: string): Promise<{ id: string }> {
  const purchase = { ...(await aCustomer(client)), ...(await aProduct(client)) };
  const authorizedTransactionId = `txn_${card}`;
  return client.post(201, '/subscriptions', { ...purchase, authorizedTransactionId });
}

async function invoicesOf(client: PersistentClient, id: string): Promise<any[]> {
  const { data } = await client.get(`/invoices?subscriptionId=${id}`);
  return (data as any[]).reverse();
}

const creation: CrashFlow = {
  name: 'creation of a subscription with an authorised card and a discount',
  prepare: async (client) => {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await client.post(201, '/discounts', { ...half, maxRedemptions: 1 });
    return {
      ...(await aCustomer(client)),
      ...(await aProduct(client)),
      discountId: discountId as string,
    };
  },
  act: (client, purchase) =>
    client.post(201, '/subscriptions', {
      ...purchase,
      authorizedTransactionId: 'txn_4242424242424242',
    }),
  expectGoal: async (client, { id, discountId }) => {
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await invoicesOf(client, id)).toMatchObject([
      { status: 'PAID', total: 1450, payments: [{ status: 'SUCCEEDED', amount: 1450 }] },
    ]);
    expect(await client.get(`/discounts/${discountId}`)).toMatchObject({ redemptionCount: 1 });
  },
};

const renewal: CrashFlow = {
  name: 'renewal with a card that fails twice and recovers',
  prepare: (client) => aSubscription(client, '4000000000005126'),
  act: async (client, subscription) => {
    await client.advanceTo(recoveryDay);
    return subscription;
  },
  expectGoal: async (client, { id }) => {
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({
      status: 'ACTIVE',
      currentPeriodStart: renewalDay,
    });
    const [first, second, ...others] = await invoicesOf(client, id);
    expect(first).toMatchObject({ status: 'PAID', periodStart: startOfFlows });
    expect(second).toMatchObject({ status: 'PAID', periodStart: renewalDay, paidAt: recoveryDay });
    expect(second.payments.map(({ status }: { status: string }) => status)).toEqual([
      'FAILED',
      'FAILED',
      'SUCCEEDED',
    ]);
    expect(others).toEqual([]);
  },
};

const subscribersMany = 8;

const renewals: CrashFlow = {
  name: 'renewal of many subscriptions at one instant',
  prepare: async (client) => {
    const product = await aProduct(client);
    const purchases = Array.from({ length: subscribersMany }, async (_, index) => {
      const authorizedTransactionId = `txn_4242424242424242_${String(index)}`;
      const purchase = { ...(await aCustomer(client)), ...product, authorizedTransactionId };
      return client.post(201, '/subscriptions', purchase);
    });
    return Promise.all(purchases);
  },
  act: async (client, subscriptions) => {
    await client.advanceTo(renewalDay);
    return subscriptions;
  },
  expectGoal: async (client, subscriptions) => {
    for (const { id } of subscriptions) {
      expect(await invoicesOf(client, id)).toMatchObject([
        { status: 'PAID', periodStart: startOfFlows, payments: [{ status: 'SUCCEEDED' }] },
        { status: 'PAID', periodStart: renewalDay, payments: [{ status: 'SUCCEEDED' }] },
      ]);
    }
  },
};

const cancellation: CrashFlow = {
  name: 'cancellation at once of a subscription that is not paid',
  prepare: (client) => aSubscription(client, '4000000000000002'),
  act: async (client, { id }) => client.post(200, `/subscriptions/${id}/cancel`),
  expectGoal: async (client, { id }) => {
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({ status: 'CANCELED' });
    expect(await invoicesOf(client, id)).toMatchObject([{ status: 'VOID' }]);
  },
};

/** A checkout that is begun and paid while processes die. */
function checkout(name: string, number: string, product = {}): CrashFlow {
  return {
    name,
    prepare: async (client) => ({
      ...(await aCustomer(client)),
      ...(await aProduct(client, product)),
    }),
    act: async (client, purchase) => {
      const session = await client.post(201, '/checkout', purchase);
      await payUntilComplete(client, session, number);
      return session;
    },
    expectGoal: async (client, { sessionId }) => {
      const session = await client.get(`/checkout/${sessionId as string}`);
      expect(session).toMatchObject({
        status: 'COMPLETE',
        invoice: { status: 'PAID' },
        subscription: { status: 'ACTIVE' },
      });
      const { data } = await client.get('/subscriptions');
      expect(data).toMatchObject([{ id: session.subscriptionId }]);
      expect(await invoicesOf(client, session.subscriptionId as string)).toHaveLength(1);
    },
  };
}

/** What a payer does who sees an error or an old page: open it anew, and go on where it stands. */
async function payUntilComplete(
  client: PersistentClient,
  { sessionId, checkoutUrl }: { sessionId: string; checkoutUrl: string },
  number: string,
): Promise<void> {
  const payer = new Payer(client.api.gatewayUrl);
  await eventually(
    async () => {
      const { status } = await client.get(`/checkout/${sessionId}`);
      if (status === 'COMPLETE') return;
      const page = await payer.open(checkoutUrl);
      const isAsked = page.root.querySelectorAll('button').some(({ text }) => text === 'Approve');
      if (isAsked) await payer.submit(page, {}, { button: 'Approve' });
      else if (page.root.querySelector('form')) await payer.submit(page, card(number));
      throw new Error(`The session is ${String(status)}; its page: ${page.text}`);
    },
    { timeoutMs: payerPatienceMs, everyMs: 200 },
  );
}

const threeDSecure = checkout(
  'checkout, paid with a card that asks for 3-D Secure',
  '4000002500003155',
);
const trial = checkout('checkout of a trial', '4242424242424242', { trialDays: 14 });

export const crashFlows: readonly CrashFlow[] = [
  creation,
  renewal,
  renewals,
  cancellation,
  checkout('checkout, paid', '4242424242424242'),
  threeDSecure,
  trial,
];
