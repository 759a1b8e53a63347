import {
  aCustomer,
  aProduct,
  aSubscription,
  type CrashFlow,
  invoicesOf,
  renewalDay,
  startOfFlows,
} from './flow';
import { purchaseFlows } from './purchase-flows';
import { usageFlows } from './usage-flows';

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

export const crashFlows: readonly CrashFlow[] = [
  creation,
  renewal,
  secondCard,
  renewals,
  cancellation,
  ...purchaseFlows,
  ...usageFlows,
];
