import { aCustomer, aProduct, aSubscription, type CrashFlow, invoicesOf, payUntil } from './flow';
import { eventually } from '@billing/chassis/testing';
import { Payer } from '../support/payer';
import type { PersistentClient } from '../support/persistent-client';

// A payment page may wait for the lease of a process that died.
const codeTimeoutMs = 100_000;
// A session is open for a day.
const afterExpiry = '2026-02-02T00:00:00.000Z';

async function isSessionAt(
  status: string,
  { sessionId }: { sessionId: string },
  client: PersistentClient,
): Promise<boolean> {
  return (await client.get(`/checkout/${sessionId}`)).status === status;
}

/** A checkout that is created and paid while processes die. */
function checkout(name: string, number: string, product = {}): CrashFlow {
  return {
    name,
    prepare: async (client) => ({
      ...(await aCustomer(client)),
      ...(await aProduct(client, product)),
    }),
    act: async (client, purchase) => {
      const session = await client.post(201, '/checkout', purchase);
      const isComplete = () => isSessionAt('COMPLETE', session, client);
      await payUntil(isComplete, { client, url: session.checkoutUrl as string, number });
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

const expiry: CrashFlow = {
  name: 'expiry of a checkout session that holds a discount',
  prepare: async (client) => {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await client.post(201, '/discounts', { ...half, maxRedemptions: 1 });
    const purchase = { ...(await aCustomer(client)), ...(await aProduct(client)), discountId };
    return { discountId, session: await client.post(201, '/checkout', purchase) };
  },
  act: async (client, prepared) => {
    await client.advanceTo(afterExpiry);
    return prepared;
  },
  expectGoal: async (client, { discountId, session: { sessionId } }) => {
    expect(await client.get(`/checkout/${sessionId as string}`)).toMatchObject({
      status: 'EXPIRED',
      invoice: { status: 'VOID', payments: [] },
    });
    expect(await client.get(`/discounts/${discountId as string}`)).toMatchObject({
      redemptionCount: 0,
    });
  },
};

const code: CrashFlow = {
  name: 'a discount code that a payer types at a checkout',
  prepare: async (client) => {
    const half = { name: 'Half', code: 'HALF', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await client.post(201, '/discounts', { ...half, maxRedemptions: 1 });
    const purchase = { ...(await aCustomer(client)), ...(await aProduct(client)) };
    const wanted = { ...purchase, allowDiscountCodes: true };
    return { discountId, session: await client.post(201, '/checkout', wanted) };
  },
  act: async (client, prepared) => {
    const { session, discountId } = prepared;
    const url = session.checkoutUrl as string;
    const payer = new Payer(client.api.gatewayUrl);
    const typed = async () =>
      (await client.get(`/checkout/${session.sessionId as string}`)).discountId === discountId;
    await eventually(
      async () => {
        if (await typed()) return;
        const page = await payer.post(`${url}/code`, { discountCode: 'half' });
        throw new Error(`No discount yet; the page: ${page.text}`);
      },
      { timeoutMs: codeTimeoutMs, everyMs: 200, everyMsMax: 3_000 },
    );
    await payUntil(() => isSessionAt('COMPLETE', session, client), { client, url });
    return prepared;
  },
  expectGoal: async (client, { discountId, session }) => {
    const paid = await client.get(`/checkout/${session.sessionId as string}`);
    expect(paid).toMatchObject({
      ...{ status: 'COMPLETE', discountId },
      invoice: { status: 'PAID', total: 1450 },
    });
    expect(await client.get(`/invoices/${session.invoice.id as string}`)).toMatchObject({
      ...{ status: 'VOID', payments: [] },
    });
    expect(await client.get(`/discounts/${discountId as string}`)).toMatchObject({
      redemptionCount: 1,
    });
  },
};

const invoicePage: CrashFlow = {
  name: "payment of an invoice on its page with another card than the customer's",
  prepare: async (client) => {
    const subscription = await aSubscription(client, '4000000000000069');
    const [invoice] = await invoicesOf(client, subscription.id);
    return { subscription, invoice };
  },
  act: async (client, { subscription, invoice }) => {
    const isPaid = async () =>
      (await client.get(`/invoices/${invoice.id as string}`)).status === 'PAID';
    await payUntil(isPaid, { client, url: invoice.hostedUrl as string });
    return subscription;
  },
  expectGoal: async (client, { id }) => {
    expect(await client.get(`/subscriptions/${id as string}`)).toMatchObject({ status: 'ACTIVE' });
    const [invoice, ...others] = await invoicesOf(client, id as string);
    expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 2900 });
    const paid = invoice.payments.filter(
      ({ status }: { status: string }) => status === 'SUCCEEDED',
    );
    expect(paid).toHaveLength(1);
    expect(others).toEqual([]);
  },
};

export const purchaseFlows: readonly CrashFlow[] = [
  checkout('checkout, paid', '4242424242424242'),
  checkout('checkout, paid with a card that asks for 3-D Secure', '4000002500003155'),
  checkout('checkout of a trial', '4242424242424242', { trialDays: 14 }),
  expiry,
  code,
  invoicePage,
];
