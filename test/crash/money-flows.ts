import { eventually } from '@billing/chassis/testing';
import type { PersistentClient } from '../support/persistent-client';
import { aCustomer, aProduct, aSubscription, type CrashFlow, invoicesOf } from './flow';

// A refund whose worker died is resumed after half a minute.
const resumedWithinMs = 100_000;
const bySending = { collectionMethod: 'SEND_INVOICE', currency: 'USD' };

function oneOff(client: PersistentClient, customerId: string, amount: number): Promise<any> {
  const lines = [{ description: 'Setup', amount }];
  return client.post(201, '/invoices', { ...bySending, customerId, lines, finalize: true });
}

/** Kinds and amounts of the entries of a customer's balance, the oldest first. */
async function ledgerOf(client: PersistentClient, customerId: string): Promise<unknown[]> {
  const { data } = await client.get(`/balance-entries?customerId=${customerId}`);
  return (data as any[]).toReversed().map(({ kind, amount }) => [kind, amount]);
}

/** A credit note of a part, settled by a refund. */
function refund(name: string, number: string, outcome: object): CrashFlow {
  return {
    name,
    prepare: async (client) => {
      const { id } = await aSubscription(client, number);
      const [invoice] = await invoicesOf(client, id);
      return invoice;
    },
    act: async (client, { id: invoiceId, customerId }) => {
      const asked = { invoiceId, amount: 1000, reason: 'GOODWILL', settle: 'REFUND' };
      const note = await client.post(201, '/credit-notes', asked);
      await eventually(async () => {
        const { data } = await client.get(`/refunds?invoiceId=${invoiceId as string}`);
        expect(data).toMatchObject([{ amount: 1000, ...outcome }]);
      });
      return { note, invoiceId, customerId };
    },
    expectGoal: async (client, { note, invoiceId, customerId }) => {
      const { data } = await client.get(`/credit-notes?customerId=${customerId as string}`);
      const listed = [{ id: note.id, number: 'CN-000001', total: 1000, reduced: 0, toBalance: 0 }];
      expect(data).toMatchObject(listed);
      expect(data).toHaveLength(1);
      expect(data[0].refunds).toMatchObject([outcome]);
      expect(await client.get(`/invoices/${invoiceId as string}`)).toMatchObject({
        ...{ status: 'PAID', amountPaid: 2900, amountCredited: 1000 },
        creditNoteIds: [note.id],
      });
      expect(await ledgerOf(client, customerId as string)).toEqual([]);
    },
  };
}

/** A refund that has failed, tried again at its provider, where it fails again, and given up. */
const settlement: CrashFlow = {
  name: 'failed refund that is tried again and then settled to the balance',
  prepare: async (client) => {
    const { id } = await aSubscription(client, '4000000000005134');
    const [{ id: invoiceId, customerId }] = await invoicesOf(client, id);
    const asked = { invoiceId, amount: 1000, reason: 'GOODWILL', settle: 'REFUND' };
    const note = await client.post(201, '/credit-notes', asked);
    const [{ id: refundId }] = await untilRefunds(client, invoiceId, { status: 'FAILED' });
    return { invoiceId, customerId, noteId: note.id, refundId };
  },
  act: async (client, prepared) => {
    const { invoiceId, refundId } = prepared;
    const settle = (to: string) =>
      client.post(200, `/refunds/${refundId as string}/settle`, { to, reference: to });
    await settle('PROVIDER');
    await untilRefunds(client, invoiceId, { status: 'FAILED', attempt: 2 });
    await settle('BALANCE');
    return prepared;
  },
  expectGoal: async (client, { invoiceId, customerId, noteId, refundId }) => {
    const { data } = await client.get(`/refunds?invoiceId=${invoiceId as string}`);
    const replaced = { status: 'REPLACED', replacedBy: 'BALANCE', reference: 'BALANCE' };
    expect(data).toMatchObject([{ id: refundId, amount: 1000, attempt: 2, ...replaced }]);
    expect(await client.get(`/credit-notes/${noteId as string}`)).toMatchObject({
      ...{ total: 1000, toBalance: 1000, refunded: 0, unsettled: 0 },
    });
    const ledger = [['REFUND_REPLACED', 1000]];
    expect(await ledgerOf(client, customerId as string)).toEqual(ledger);
  },
};

/** Waits for the only refund of an invoice, which a worker may resume after half a minute. */
async function untilRefunds(
  client: PersistentClient,
  invoiceId: string,
  outcome: object,
): Promise<any[]> {
  return eventually(
    async () => {
      const { data } = await client.get(`/refunds?invoiceId=${invoiceId}`);
      expect(data).toMatchObject([{ amount: 1000, ...outcome }]);
      return data as any[];
    },
    { timeoutMs: resumedWithinMs },
  );
}

const dispute: CrashFlow = {
  name: 'dispute that is opened and lost',
  prepare: async (client) => {
    const { id } = await aSubscription(client, '4000000000000259');
    // Nothing but the dispute moves later.
    await client.post(200, `/subscriptions/${id}/cancel`);
    const [{ id: invoiceId, customerId }] = await invoicesOf(client, id);
    return { invoiceId, customerId };
  },
  act: async (client, prepared) => {
    await client.advanceTo('2026-02-01T00:00:00.000Z');
    const { data } = await client.get(`/disputes?invoiceId=${prepared.invoiceId as string}`);
    expect(data).toMatchObject([{ status: 'OPEN' }]);
    await client.advanceTo('2026-03-03T00:00:00.000Z');
    return prepared;
  },
  expectGoal: async (client, { invoiceId }) => {
    const { data } = await client.get(`/disputes?invoiceId=${invoiceId as string}`);
    const times = { openedAt: '2026-02-01T00:00:00.000Z', closedAt: '2026-03-03T00:00:00.000Z' };
    expect(data).toMatchObject([{ status: 'LOST', amount: 2900, reason: 'fraudulent', ...times }]);
    expect(await client.get(`/invoices/${invoiceId as string}`)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 2900 },
      payments: [{ status: 'SUCCEEDED', disputeId: data[0].id }],
    });
  },
};

const reduced: CrashFlow = {
  name: 'credit note that lowers an open invoice and gives the rest to the balance',
  prepare: async (client) => {
    const { customerId } = await aCustomer(client);
    const invoice = await oneOff(client, customerId, 2900);
    await client.post(201, `/invoices/${invoice.id as string}/payments`, {
      ...{ amount: 2000, method: 'BANK_TRANSFER' },
    });
    return { customerId, invoiceId: invoice.id };
  },
  act: async (client, { customerId, invoiceId }) => {
    const note = await client.post(201, '/credit-notes', { invoiceId, reason: 'CANCELLATION' });
    return { customerId, invoiceId, note };
  },
  expectGoal: async (client, { customerId, invoiceId, note }) => {
    expect(await client.get(`/credit-notes/${note.id as string}`)).toMatchObject({
      ...{ number: 'CN-000001', total: 2900, reduced: 900, toBalance: 2000 },
    });
    expect(await client.get(`/invoices/${invoiceId as string}`)).toMatchObject({
      ...{ status: 'PAID', amountReduced: 900, amountCredited: 2900, amountDue: 0 },
    });
    expect(await ledgerOf(client, customerId as string)).toEqual([['CREDIT_NOTE', 2000]]);
  },
};

const overpayment: CrashFlow = {
  name: 'over-payment that pays the next invoice from the balance',
  prepare: async (client) => {
    const { customerId } = await aCustomer(client);
    const first = await oneOff(client, customerId, 3451);
    const second = await oneOff(client, customerId, 500);
    return { customerId, first: first.id, second: second.id };
  },
  act: async (client, prepared) => {
    const pay = (id: string, body: object) => client.post(201, `/invoices/${id}/payments`, body);
    await pay(prepared.first, { amount: 2000, method: 'BANK_TRANSFER' });
    await pay(prepared.first, { amount: 2000, method: 'BANK_TRANSFER' });
    await eventually(async () => {
      expect(await ledgerOf(client, prepared.customerId)).toEqual([['OVERPAYMENT', 549]]);
    });
    await pay(prepared.second, { method: 'BALANCE' });
    return prepared;
  },
  expectGoal: async (client, { customerId, first, second }) => {
    expect(await client.get(`/invoices/${first as string}`)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 3451 },
      payments: [{ overpayment: 0 }, { overpayment: 549 }],
    });
    expect(await client.get(`/invoices/${second as string}`)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 500, payments: [{ amount: 500, provider: 'balance' }] },
    });
    const ledger = [
      ['OVERPAYMENT', 549],
      ['PAYMENT', -500],
    ];
    expect(await ledgerOf(client, customerId as string)).toEqual(ledger);
  },
};

const reservation: CrashFlow = {
  name: 'balance reserved for a change whose charge is declined, and released',
  prepare: async (client) => {
    // Its card can be saved, and fails at every later charge.
    const { id, customerId } = (await aSubscription(client, '4000000000000341')) as any;
    const { productId } = await aProduct(client, { amount: 5900 });
    const entry = { customerId, currency: 'USD', amount: 549, description: 'Goodwill' };
    await client.post(201, '/balance-entries', entry);
    return { id, customerId, productId };
  },
  act: async (client, { id, customerId, productId }) => {
    const path = `/subscriptions/${id as string}/changes`;
    const change = await client.post(201, path, { productId });
    await eventually(async () => {
      expect(await client.get(`${path}/${change.id as string}`)).toMatchObject({
        status: 'FAILED',
      });
      const { data } = await client.get(`/balances?customerId=${customerId as string}`);
      expect(data).toMatchObject([{ balance: 549 }]);
    });
    return { id, customerId };
  },
  expectGoal: async (client, { id, customerId }) => {
    const invoices = await invoicesOf(client, id as string);
    for (const { billingReason, status, balanceApplied } of invoices) {
      if (billingReason !== 'SUBSCRIPTION_CHANGE') continue;
      expect([status, balanceApplied]).toEqual(['VOID', 0]);
    }
    const ledger = (await ledgerOf(client, customerId as string)) as [string, number][];
    expect(ledger[0]).toEqual(['ADJUSTMENT', 549]);
    const taken = ledger.slice(1).map(([, amount]) => amount);
    expect(taken.reduce((sum, amount) => sum + amount, 0)).toBe(0);
    expect(await client.get(`/subscriptions/${id as string}`)).toMatchObject({
      ...{ status: 'ACTIVE', price: { amount: 2900 }, pendingChange: null },
    });
  },
};

const finalization: CrashFlow = {
  name: 'finalization of a draft that the balance and a card pay',
  prepare: async (client) => {
    const { customerId } = (await aSubscription(client, '4242424242424242')) as any;
    const entry = { customerId, currency: 'USD', amount: 549, description: 'Goodwill' };
    await client.post(201, '/balance-entries', entry);
    const seller = { legalName: 'Ada GmbH', address: { country: 'DE' } };
    const tax = { prices: 'EXCLUDE_TAX', registrations: ['DE'] };
    await client.patch('/seller', { ...seller, tax });
    const lines = [{ description: 'Setup', amount: 2900 }];
    const draft = await client.post(201, '/invoices', { customerId, lines });
    return { customerId, draft };
  },
  act: async (client, { customerId, draft }) => {
    const path = `/invoices/${draft.id as string}`;
    await client.post(200, `${path}/finalize`);
    await eventually(async () => {
      expect(await client.get(path)).toMatchObject({ status: 'PAID' });
    });
    return { customerId, path };
  },
  expectGoal: async (client, { customerId, path }) => {
    expect(await client.get(path as string)).toMatchObject({
      ...{ status: 'PAID', number: 'INV-000002', billingReason: 'MANUAL', taxStatus: 'FINAL' },
      ...{ subtotal: 2900, tax: 551, total: 3451, balanceApplied: 549, amountPaid: 2902 },
      payments: [{ status: 'SUCCEEDED', amount: 2902 }],
    });
    const ledger = [
      ['ADJUSTMENT', 549],
      ['APPLIED', -549],
    ];
    expect(await ledgerOf(client, customerId as string)).toEqual(ledger);
  },
};

export const moneyFlows: readonly CrashFlow[] = [
  refund('credit note with a refund', '4242424242424242', {
    ...{ status: 'SUCCEEDED', attempt: 1 },
  }),
  refund('credit note with a refund that fails', '4000000000005134', {
    ...{ status: 'FAILED', failureCode: 'refund_declined' },
  }),
  settlement,
  dispute,
  reduced,
  overpayment,
  reservation,
  finalization,
];
