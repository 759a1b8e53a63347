import { eventually } from '@billing/chassis/testing';
import type { PersistentClient } from '../support/persistent-client';
import {
  aCustomer,
  aProduct,
  aSubscription,
  type CrashFlow,
  invoicesOf,
  numberedInvoicesOf,
  renewalDay,
} from './flow';

// A step whose worker died is resumed after half a minute.
const decidedWithinMs = 100_000;

/** The change once it has an outcome. */
function decided(client: PersistentClient, id: string, change: { id: string }): Promise<any> {
  return eventually(
    async () => {
      const found = await client.get(`/subscriptions/${id}/changes/${change.id}`);
      expect(found.status).not.toBe('PAYING');
      return found;
    },
    { timeoutMs: decidedWithinMs },
  );
}

async function changeNow(client: PersistentClient, { id, upgradeTo }: any): Promise<any> {
  const path = `/subscriptions/${id as string}/changes`;
  const change = await client.post(201, path, { productId: upgradeTo as string });
  return { id, change };
}

const upgrade: CrashFlow = {
  name: 'upgrade that is paid first',
  prepare: async (client) => ({
    ...(await aSubscription(client, '4242424242424242')),
    upgradeTo: (await aProduct(client, { amount: 5900 })).productId,
  }),
  act: changeNow,
  expectGoal: async (client, { id, change }) => {
    expect(await decided(client, id, change)).toMatchObject({ status: 'APPLIED' });
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({
      price: { amount: 5900 },
      pendingChange: null,
    });
    const invoices = await numberedInvoicesOf(client, id as string);
    expect(invoices).toMatchObject([
      { status: 'PAID', total: 2900 },
      { status: 'PAID', total: 3000, billingReason: 'SUBSCRIPTION_CHANGE' },
    ]);
    const paid = invoices[1].payments.filter(
      ({ status }: { status: string }) => status === 'SUCCEEDED',
    );
    expect(paid).toHaveLength(1);
  },
};

const declined: CrashFlow = {
  name: 'upgrade declined',
  prepare: async (client) => ({
    ...(await aSubscription(client, '4000000000000341')),
    upgradeTo: (await aProduct(client, { amount: 5900 })).productId,
  }),
  act: changeNow,
  expectGoal: async (client, { id, change }) => {
    expect(await decided(client, id, change)).toMatchObject({
      status: 'FAILED',
      failure: { code: 'card_declined' },
    });
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({
      status: 'ACTIVE',
      price: { amount: 2900 },
      pendingChange: null,
    });
    expect(await numberedInvoicesOf(client, id as string)).toMatchObject([
      { status: 'PAID', total: 2900 },
      { status: 'VOID', total: 3000, payments: [{ status: 'FAILED' }] },
    ]);
  },
};

const downgrade: CrashFlow = {
  name: 'downgrade with credit note, as previewed',
  prepare: async (client) => ({
    ...(await aSubscription(client, '4242424242424242')),
    downgradeTo: (await aProduct(client, { amount: 1900 })).productId,
  }),
  act: async (client, { id, downgradeTo, customerId }) => {
    const wanted = { productId: downgradeTo as string, at: 'NOW' };
    const asked = { kind: 'CHANGE', subscriptionId: id as string, change: wanted };
    const preview = await client.post(200, '/previews', asked);
    const path = `/subscriptions/${id as string}/changes`;
    const change = await client.post(201, path, { ...wanted, previewToken: preview.token });
    return { id, change, customerId };
  },
  expectGoal: async (client, { id, change, customerId }) => {
    expect(change).toMatchObject({ status: 'APPLIED', invoiceId: null });
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({ price: { amount: 1900 } });
    await eventually(
      async () => {
        const { data } = await client.get(`/credit-notes?customerId=${customerId}`);
        expect(data).toMatchObject([
          { id: change.creditNoteIds[0], number: 'CN-000001', total: 1000, toBalance: 1000 },
        ]);
        const { data: entries } = await client.get(`/balance-entries?customerId=${customerId}`);
        const posted = (entries as any[]).map(({ kind, amount }) => [kind, amount]);
        expect(posted).toEqual([['CREDIT_NOTE', 1000]]);
      },
      { timeoutMs: decidedWithinMs },
    );
    expect(await numberedInvoicesOf(client, id as string)).toMatchObject([
      { status: 'PAID', total: 2900, amountCredited: 1000 },
    ]);
  },
};

const discounted: CrashFlow = {
  name: 'change of the discount with the last redemption',
  prepare: async (client) => {
    const half = { name: 'Half', type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
    const { id: discountId } = await client.post(201, '/discounts', { ...half, maxRedemptions: 1 });
    return { ...(await aSubscription(client, '4242424242424242')), discountId };
  },
  act: async (client, { id, discountId }) => {
    const path = `/subscriptions/${id as string}/changes`;
    return { id, discountId, change: await client.post(201, path, { discountId }) };
  },
  expectGoal: async (client, { id, discountId, change }) => {
    expect(change).toMatchObject({ status: 'APPLIED', to: { discountId } });
    expect(await client.get(`/subscriptions/${id}`)).toMatchObject({ discountId });
    expect(await client.get(`/discounts/${discountId}`)).toMatchObject({ redemptionCount: 1 });
  },
};

const endedWithCredit: CrashFlow = {
  name: 'cancellation with credit note, as previewed',
  prepare: (client) => aSubscription(client, '4242424242424242'),
  act: async (client, { id, customerId }) => {
    const body = { proration: 'PRORATE' };
    const asked = { kind: 'CANCEL', subscriptionId: id as string, ...body };
    const preview = await client.post(200, '/previews', asked);
    const path = `/subscriptions/${id as string}/cancel`;
    const ended = await client.post(200, path, { ...body, previewToken: preview.token });
    return { id, ended, customerId };
  },
  expectGoal: async (client, { id, ended, customerId }) => {
    expect(ended).toMatchObject({ status: 'CANCELED' });
    await eventually(
      async () => {
        const { data } = await client.get(`/credit-notes?customerId=${customerId}`);
        expect(data).toMatchObject([{ number: 'CN-000001', total: 2900, toBalance: 2900 }]);
        const { data: entries } = await client.get(`/balance-entries?customerId=${customerId}`);
        const posted = (entries as any[]).map(({ kind, amount }) => [kind, amount]);
        expect(posted).toEqual([['CREDIT_NOTE', 2900]]);
      },
      { timeoutMs: decidedWithinMs },
    );
    expect(await numberedInvoicesOf(client, id as string)).toMatchObject([
      { status: 'PAID', total: 2900, amountCredited: 2900 },
    ]);
  },
};

const putOff: CrashFlow = {
  name: 'upgrade on the next invoice, billed by the end',
  prepare: async (client) => ({
    ...(await aSubscription(client, '4242424242424242')),
    upgradeTo: (await aProduct(client, { amount: 5900 })).productId,
  }),
  act: async (client, { id, upgradeTo }) => {
    const path = `/subscriptions/${id as string}`;
    const wanted = { productId: upgradeTo as string, collect: 'NEXT_INVOICE' };
    const change = await client.post(201, `${path}/changes`, wanted);
    return { id, change, ended: await client.post(200, `${path}/cancel`, {}) };
  },
  expectGoal: async (client, { id, change, ended }) => {
    expect(ended).toMatchObject({ status: 'CANCELED' });
    await eventually(
      async () => {
        const invoices = await numberedInvoicesOf(client, id as string);
        expect(invoices).toMatchObject([
          { total: 2900 },
          { total: 3000, billingReason: 'SUBSCRIPTION_CANCEL' },
        ]);
        const path = `/subscriptions/${id as string}/changes/${change.id as string}`;
        expect(await client.get(path)).toMatchObject({ invoiceId: invoices[1].id });
      },
      { timeoutMs: decidedWithinMs },
    );
  },
};

const migratedCount = 20;

const migration: CrashFlow = {
  name: `migration of ${String(migratedCount)}, to the end of the period`,
  prepare: async (client) => {
    const { productId } = await aProduct(client);
    const ids: string[] = [];
    for (let count = 0; count < migratedCount; count += 1) {
      const purchase = { ...(await aCustomer(client)), productId };
      const authorizedTransactionId = `txn_4242424242424242_${String(count)}`;
      const bought = { ...purchase, authorizedTransactionId };
      ids.push((await client.post(201, '/subscriptions', bought)).id as string);
    }
    const { priceId } = await client.get(`/products/${productId}`);
    const other = await client.get(`/products/${(await aProduct(client, risen)).productId}`);
    return { ids, prices: { fromPriceId: priceId, toPriceId: other.priceId } };
  },
  act: async (client, { ids, prices }) => {
    const { id } = await client.post(201, '/price-migrations', prices as object);
    const path = `/price-migrations/${id as string}`;
    const counts = { processed: migratedCount, scheduled: migratedCount, skipped: 0 };
    await eventually(
      async () => {
        expect(await client.get(path)).toMatchObject({ status: 'COMPLETE', ...counts });
      },
      { timeoutMs: decidedWithinMs },
    );
    await client.advanceTo(renewalDay);
    return { ids, path };
  },
  expectGoal: async (client, { ids, path }) => {
    const { data } = await client.get(`${path as string}/subscriptions?perPage=100`);
    const found = data.map((row: any) => row.subscriptionId);
    expect(found.sort()).toEqual((ids as string[]).toSorted());
    for (const { subscriptionId, changeId } of data) {
      const changes = await client.get(`/subscriptions/${subscriptionId as string}/changes`);
      expect(changes.data).toMatchObject([{ id: changeId, status: 'APPLIED' }]);
      expect(await invoicesOf(client, subscriptionId as string)).toMatchObject([
        { status: 'PAID', total: 2900 },
        { status: 'PAID', total: risen.amount, periodStart: renewalDay },
      ]);
    }
  },
};

const risen = { amount: 3900 };

const pauseByTime: CrashFlow = {
  name: 'pause with credit note, and resume by time',
  prepare: (client) => aSubscription(client, '4242424242424242'),
  act: async (client, { id, customerId }) => {
    const wanted = { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE', resumeAt: resumeDay };
    const path = `/subscriptions/${id as string}/changes`;
    const change = await client.post(201, path, wanted);
    await client.advanceTo(resumeDay);
    await client.advanceTo(dayAfterResume);
    return { id, change, customerId };
  },
  expectGoal: async (client, { id, change, customerId }) => {
    expect(change).toMatchObject({ status: 'APPLIED', invoiceId: null });
    expect(await client.get(`/subscriptions/${id as string}`)).toMatchObject({
      ...{ status: 'ACTIVE', phase: 'REGULAR', currentPeriodStart: resumeDay },
      ...{ nextInvoiceAt: '2026-03-24T00:00:00.000Z', pausedAt: null },
    });
    const { data } = await client.get(`/subscriptions/${id as string}/changes`);
    const changes = (data as any[]).map(({ kind, status }) => `${kind} ${status}`);
    expect(changes.sort()).toEqual(['PAUSE APPLIED', 'RESUME APPLIED']);
    // The whole period was credited at its first instant.
    expect(await numberedInvoicesOf(client, id as string)).toMatchObject([
      { status: 'PAID', total: 2900, amountCredited: 2900 },
      { status: 'PAID', total: 2900, balanceApplied: 2900, periodStart: resumeDay },
    ]);
    const { data: entries } = await client.get(`/balance-entries?customerId=${customerId}`);
    const posted = (entries as any[]).map(({ kind, amount }) => [kind, amount]);
    expect(posted.toReversed()).toEqual([
      ['CREDIT_NOTE', 2900],
      ['APPLIED', -2900],
    ]);
  },
};

const resumeDay = '2026-02-24T00:00:00.000Z';
const dayAfterResume = '2026-02-25T00:00:00.000Z';

export const changeFlows: readonly CrashFlow[] = [
  upgrade,
  declined,
  downgrade,
  discounted,
  endedWithCredit,
  putOff,
  migration,
  pauseByTime,
];
