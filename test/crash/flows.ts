import { eventually } from '@billing/chassis/testing';
import { changeFlows } from './change-flows';
import { claimFlows } from './claim-flows';
import {
  aCustomer,
  aProduct,
  aSubscription,
  type CrashFlow,
  invoicesOf,
  renewalDay,
  startOfFlows,
} from './flow';
import { erasure, erasureWithUsage } from './erasure-flow';
import { moneyFlows } from './money-flows';
import { purchaseFlows } from './purchase-flows';
import { usageFlows } from './usage-flows';

// A step whose worker died is resumed after half a minute.
const returnedWithinMs = 100_000;
const recoveryDay = '2026-03-07T00:00:00.000Z';

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

const secondCard: CrashFlow = {
  name: 'retry that another saved card pays',
  prepare: async (client) => {
    const customer = await aCustomer(client);
    const start = (productId: string, authorizedTransactionId: string) =>
      client.post(201, '/subscriptions', { ...customer, productId, authorizedTransactionId });
    await start((await aProduct(client)).productId, 'txn_4242424242424242');
    // Its card can be saved, and fails once its trial has ended.
    const { productId } = await aProduct(client, { trialDays: 14 });
    return start(productId, 'txn_4000000000000341');
  },
  act: async (client, subscription) => {
    await client.advanceTo('2026-02-18T00:00:00.000Z');
    return subscription;
  },
  expectGoal: async (client, { id }) => {
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({ status: 'ACTIVE' });
    const [invoice, ...others] = await invoicesOf(client, id);
    expect(invoice).toMatchObject({ status: 'PAID', paidAt: '2026-02-17T00:00:00.000Z' });
    expect(invoice.payments.map(({ status }: { status: string }) => status)).toEqual([
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

const balance: CrashFlow = {
  name: 'balance that an invoice takes and returns, and that the next one uses',
  prepare: async (client) => ({ ...(await aCustomer(client)), ...(await aProduct(client)) }),
  act: async (client, purchase) => {
    const { customerId } = purchase;
    const entry = { customerId, currency: 'USD', amount: 549, description: 'Goodwill' };
    await client.post(201, '/balance-entries', entry);
    const { id: canceled } = await client.post(201, '/subscriptions', purchase);
    await client.post(200, `/subscriptions/${canceled}/cancel`);
    await eventually(
      async () => {
        const { data } = await client.get(`/balances?customerId=${customerId}`);
        if (data[0]?.balance !== 549) throw new Error('The balance is not returned yet');
      },
      { timeoutMs: returnedWithinMs },
    );
    const { id } = await client.post(201, '/subscriptions', purchase);
    return { canceled, id, customerId };
  },
  expectGoal: async (client, { canceled, id, customerId }) => {
    for (const invoice of await invoicesOf(client, canceled)) {
      expect(invoice).toMatchObject({ status: 'VOID', balanceApplied: 0, amountDue: 0 });
    }
    expect(await invoicesOf(client, id)).toMatchObject([
      { status: 'OPEN', balanceApplied: 549, amountDue: 2351 },
    ]);
    const { data } = await client.get(`/balance-entries?customerId=${customerId}`);
    const ledger = (data as any[]).toReversed().map(({ kind, amount }) => [kind, amount]);
    expect(ledger.at(0)).toEqual(['ADJUSTMENT', 549]);
    expect(ledger.at(-1)).toEqual(['APPLIED', -549]);
    expect(data[0]).toMatchObject({ balanceAfter: 0 });
  },
};

export const crashFlows: readonly CrashFlow[] = [
  creation,
  renewal,
  secondCard,
  renewals,
  cancellation,
  balance,
  ...changeFlows,
  ...purchaseFlows,
  ...usageFlows,
  ...claimFlows,
  ...moneyFlows,
  erasure,
  erasureWithUsage,
];
