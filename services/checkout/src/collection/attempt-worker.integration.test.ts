import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { payNow } from '../invoice/collection';
import { invoiceWorkers } from './workers';
import { noProvider } from '../provider/no-provider';
import type { PaymentProvider, ProviderSource } from '../provider/port/payment-provider';
import { aClaim } from '../testing/invoice';
import {
  advancingClock,
  inParallel,
  openReplicas,
  type Replicas,
  sandboxOf,
} from '../testing/store';

let replicas: Replicas;
let replica: Replicas['replica'];

beforeAll(async () => {
  replicas = await openReplicas();
  ({ replica } = replicas);
});

afterAll(() => replicas.close());

const returnUrl = 'https://shop.example/back';
const now = new Date('2026-01-05T12:00:00.000Z');

type Call = 'charge' | 'findCharge' | 'continueCharge' | 'cancelCharge';

/**
 * The sandbox behind a connection that breaks once: before the call arrives, or after it was
 * carried out.
 */
function breakingOnce(provider: PaymentProvider, call: Call, when: 'BEFORE' | 'AFTER') {
  let isBroken = false;
  const broken = async (request: never) => {
    if (isBroken) return (provider[call] as (request: never) => Promise<unknown>)(request);
    isBroken = true;
    if (when === 'AFTER') await (provider[call] as (request: never) => Promise<unknown>)(request);
    throw new Error(`The connection broke ${when} ${call}`);
  };
  return new Proxy(provider, {
    get: (target, name) => {
      if (name === call) return broken;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A process whose provider connection breaks once; other processes work normally. */
function aBreakingProcess(context: CallContext, call: Call, when: 'BEFORE' | 'AFTER') {
  const { invoices, numbers, balances, methods, db } = replicas.aReplica();
  const provider = breakingOnce(sandboxOf(db, context.tenant.environmentId), call, when);
  return invoiceWorkers({
    invoices,
    numbers,
    balances,
    methods,
    clock: advancingClock,
    providerOf: () => provider,
    retryDays: [3, 7, 14],
    logger: { warn: () => undefined },
  });
}

/** An open invoice and a saved card. */
async function anInvoice(context: CallContext, number: string) {
  const customerId = newId();
  const id = await replicas.insertDraft(context, { customerId });
  await replica.worker.open(id, context);
  const card = { number, expiry: '12/60', code: '123' };
  const paymentMethodId = await replica.saver.enterCard({ customerId, card }, context);
  const source = { kind: 'METHOD', paymentMethodId } as const;
  const { providerMethodId } = await replica.methods.get(paymentMethodId, context);
  const charged: ProviderSource = { kind: 'METHOD', providerMethodId };
  return { id, customerId, source, charged, paymentMethodId };
}

test.each(['BEFORE', 'AFTER'] as const)(
  'a payment whose connection breaks %s the charge returns the current invoice and is resumed by another process',
  async (when) => {
    const context = testContext({ now });
    const { id, source } = await anInvoice(context, '4242424242424242');
    const { payments } = aBreakingProcess(context, 'charge', when);
    const presence = { callId: newId(), returnUrl };
    const waiting = await payments.pay({ invoiceId: id, source }, presence, context);
    await replica.worker.resume(id, context);
    await payments.pay({ invoiceId: id, source }, presence, context);

    expect(waiting.state).toMatchObject({
      status: 'OPEN',
      attempt: { status: 'PENDING', number: 1 },
    });
    expect(await replicas.read(id, context)).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'SUCCEEDED', methodId: source.paymentMethodId }],
    });
    expect(await replicas.charges(id)).toBe(1);
  },
);

test.each([true, false])(
  'a recorded payment is counted once, with real money: %s',
  async (live) => {
    const sandbox = testContext({ now });
    const context = { ...sandbox, tenant: { ...sandbox.tenant, live } };
    const recorded: unknown[] = [];
    const { invoices, numbers, balances, methods, db } = replicas.aReplica();
    const { payments } = invoiceWorkers({
      invoices,
      numbers,
      balances,
      methods,
      clock: advancingClock,
      providerOf: () => sandboxOf(db, context.tenant.environmentId),
      retryDays: [3, 7, 14],
      metrics: { recordPayment: (payment) => recorded.push(payment) },
      logger: { warn: () => undefined },
    });
    const { id: invoiceId, source } = await anInvoice(sandbox, '4242424242424242');
    const presence = { callId: newId(), returnUrl };
    await payments.pay({ invoiceId, source }, presence, context);
    await payments.pay({ invoiceId, source }, presence, context).catch(() => undefined);
    expect(recorded).toEqual([{ outcome: 'SUCCEEDED', live }]);
  },
);

test.each(['BEFORE', 'AFTER'] as const)(
  "a payer's answer whose connection breaks %s its arrival is sent again by the worker that resumes the attempt",
  async (when) => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, '4000002500003155');
    const presence = { callId: undefined, returnUrl };
    await replica.payments.pay({ invoiceId, source }, presence, context);
    const { payments } = aBreakingProcess(context, 'continueCharge', when);
    await payments.answerChallenge({ invoiceId, attempt: 1, approved: true }, context);
    await replica.worker.resume(invoiceId, context);

    expect(await replicas.read(invoiceId, context)).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'SUCCEEDED' }],
    });
  },
);

test('a challenge that had already succeeded when another card cancels it is the payment', async () => {
  const context = testContext({ now });
  const { id: invoiceId, source, customerId } = await anInvoice(context, '4000002500003155');
  const presence = { callId: undefined, returnUrl };
  await replica.payments.pay({ invoiceId, source }, presence, context);
  const provider = sandboxOf(replicas.db, context.tenant.environmentId);
  await provider.continueCharge({ key: `${invoiceId}:1`, customerId, approved: true });
  const card = { number: '5555555555554444', expiry: '12/60', code: '123' };
  const paymentMethodId = await replica.saver.enterCard({ customerId, card }, context);
  const other = { kind: 'METHOD', paymentMethodId } as const;
  const { state } = await replica.payments.pay({ invoiceId, source: other }, presence, context);

  expect(state).toMatchObject({
    status: 'PAID',
    payments: [{ status: 'SUCCEEDED', methodId: source.paymentMethodId }],
  });
  expect(await replicas.charges(invoiceId)).toBe(1);
});

test("a provider's event triggers a check, and only the provider's answer is recorded", async () => {
  const context = testContext({ now });
  const { id: invoiceId, source, customerId } = await anInvoice(context, '4000002500003155');
  await replica.payments.pay({ invoiceId, source }, { callId: undefined, returnUrl }, context);
  const early = await replica.payments.checkAtProvider(invoiceId, context);
  const provider = sandboxOf(replicas.db, context.tenant.environmentId);
  await provider.continueCharge({ key: `${invoiceId}:1`, customerId, approved: true });
  const looks = await inParallel(20, () =>
    replicas.aReplica().payments.checkAtProvider(invoiceId, context),
  );

  expect(early.state).toMatchObject({ status: 'OPEN', attempt: { status: 'REQUIRES_ACTION' } });
  expect(looks.some(({ state }) => state.status === 'PAID')).toBe(true);
  expect((await replicas.read(invoiceId, context)).payments).toHaveLength(1);
});

test('20 payers, the schedule and a void in parallel leave a paid invoice with one charge, or no charge', async () => {
  const context = testContext({ now });
  const due = { ...context, now: new Date('2026-01-05T13:00:00.000Z') };
  await inParallel(10, async () => {
    const { id, source } = await anInvoice(context, '4242424242424242');
    await Promise.allSettled([
      ...Array.from({ length: 20 }, () =>
        replicas
          .aReplica()
          .payments.pay({ invoiceId: id, source }, { callId: newId(), returnUrl }, context),
      ),
      replicas.aReplica().worker.collectDue(id, due),
      replicas.aReplica().worker.voidForCaller(id, { expectedVersion: undefined }, context),
    ]);
    const { status, payments } = await replicas.read(id, context);
    const successes = payments.filter((payment) => payment.status === 'SUCCEEDED').length;
    expect(await replicas.charges(id)).toBe(successes);
    expect(successes).toBe(status === 'PAID' ? 1 : 0);
  });
});

describe('a provider other than the one that began an attempt', () => {
  /** A process whose environments have the given provider, and its alarms. */
  function aProcessWith(provider: PaymentProvider) {
    const { invoices, numbers, balances, methods } = replicas.aReplica();
    const onProviderChanged = jest.fn();
    const workers = invoiceWorkers({
      invoices,
      numbers,
      balances,
      methods,
      clock: advancingClock,
      providerOf: () => provider,
      retryDays: [3, 7, 14],
      logger: { warn: () => undefined },
      onProviderChanged,
    });
    return { ...workers, onProviderChanged };
  }

  const changed = { kind: 'unavailable', reason: 'PROVIDER_CHANGED' };

  test('leaves a charge to its own provider, which records it', async () => {
    const context = testContext({ now });
    const { id, source } = await anInvoice(context, '4242424242424242');
    const stopped = aBreakingProcess(context, 'charge', 'AFTER');
    const presence = { callId: newId(), returnUrl };
    await stopped.payments.pay({ invoiceId: id, source }, presence, context);
    const without = aProcessWith(noProvider);
    await expect(without.collection.resume(id, context)).rejects.toMatchObject(changed);
    await expect(without.payments.checkAtProvider(id, context)).rejects.toMatchObject(changed);
    const waiting = await replicas.read(id, context);
    await replica.worker.resume(id, context);

    expect(without.onProviderChanged).toHaveBeenCalledWith({
      invoiceId: id,
      environmentId: context.tenant.environmentId,
      startedWith: 'sandbox',
      configured: 'none',
    });
    expect(waiting).toMatchObject({ attempt: { status: 'PENDING' }, payments: [] });
    expect(await replicas.read(id, context)).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'SUCCEEDED', provider: 'sandbox' }],
    });
    expect(await replicas.charges(id)).toBe(1);
  });

  test('cancels no challenge', async () => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, '4000002500003155');
    await replica.payments.pay({ invoiceId, source }, { callId: undefined, returnUrl }, context);
    const without = aProcessWith(noProvider);
    const voiding = without.collection.voidForCaller(
      invoiceId,
      { expectedVersion: undefined },
      context,
    );

    await expect(voiding).rejects.toMatchObject(changed);
    expect(await replicas.read(invoiceId, context)).toMatchObject({
      attempt: { status: 'REQUIRES_ACTION' },
      payments: [],
    });
  });

  test('charges nothing for an attempt that was begun without a provider', async () => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, '4242424242424242');
    const claim = { ...aClaim({ source, provider: 'none' }), callId: undefined, returnUrl };
    await replica.invoices
      .within(context)
      .mutate(invoiceId, (record) =>
        payNow(record, { ...claim, methods: { methodId: undefined } }),
      );
    await replica.worker.resume(invoiceId, context);

    expect((await replicas.read(invoiceId, context)).payments).toMatchObject([
      { failureCode: 'no_payment_provider' },
    ]);
    expect(await replicas.charges(invoiceId)).toBe(0);
  });
});

describe('resuming an attempt', () => {
  test('asks the provider once in 30 seconds, with any number of calls and processes', async () => {
    const context = testContext({ now });
    const { id, source } = await anInvoice(context, '4242424242424242');
    let asked = 0;
    const provider = {
      ...noProvider,
      name: 'sandbox',
      findCharge: () => {
        asked += 1;
        return Promise.reject(new Error('The provider is down'));
      },
      charge: () => Promise.reject(new Error('The provider is down')),
    };
    let nowMs = now.getTime();
    const clock = { now: () => new Date(nowMs) };
    const { invoices, numbers, balances, methods } = replicas.aReplica();
    const aProcess = () =>
      invoiceWorkers({
        ...{ invoices, numbers, balances, methods, clock, retryDays: [3, 7, 14] },
        providerOf: () => provider,
        logger: { warn: () => undefined },
      });
    const { payments } = aProcess();
    await payments.pay({ invoiceId: id, source }, { callId: undefined, returnUrl }, context);
    const askedInTime: number[] = [];
    for (const passedMs of [29_999, 1, 1, 29_998, 1]) {
      nowMs += passedMs;
      await inParallel(10, () =>
        aProcess()
          .collection.resume(id, context)
          .catch(() => undefined),
      );
      askedInTime.push(asked);
    }

    // The first attempt is charged: nothing can have been charged before.
    expect(askedInTime).toEqual([0, 1, 1, 1, 2]);
  });
});

test('due work waits while an attempt runs, and scanner passes do not find it', async () => {
  const context = testContext({ now });
  const { id, source } = await anInvoice(context, '4242424242424242');
  const { payments } = aBreakingProcess(context, 'charge', 'BEFORE');
  const dueAt = async () => (await replica.invoices.documents.findOne({ _id: id }))?.dueAt;
  const before = await dueAt();
  await payments.pay({ invoiceId: id, source }, { callId: undefined, returnUrl }, context);

  expect(before).toEqual(new Date('2026-01-05T13:00:00.000Z'));
  expect(await dueAt()).toBeNull();
});

describe('a write-off', () => {
  test('cancels a challenge', async () => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, '4000002500003155');
    await replica.payments.pay({ invoiceId, source }, { callId: undefined, returnUrl }, context);
    const subscriptionId = (await replicas.read(invoiceId, context)).subscriptionId!;
    const ended = { invoiceId, subscriptionId };
    const { state } = await replica.worker.endCollection(ended, { writeOff: true }, context);

    expect(state).toMatchObject({
      status: 'UNCOLLECTIBLE',
      payments: [{ failureCode: 'authentication_required' }],
    });
  });

  test.each([
    ['4242424242424242', 'PAID'],
    ['4000000000000002', 'UNCOLLECTIBLE'],
    ['4000002500003155', 'UNCOLLECTIBLE'],
  ])('lets a running attempt with %s decide: %s', async (number, status) => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, number);
    const { payments } = aBreakingProcess(context, 'charge', 'BEFORE');
    await payments.pay({ invoiceId, source }, { callId: undefined, returnUrl }, context);
    const subscriptionId = (await replicas.read(invoiceId, context)).subscriptionId!;
    const ended = { invoiceId, subscriptionId };
    const before = await replica.worker.endCollection(ended, { writeOff: true }, context);
    await replica.worker.resume(invoiceId, context);

    expect(before.state).toMatchObject({ status: 'OPEN', ended: 'WRITTEN_OFF' });
    expect(await replicas.read(invoiceId, context)).toMatchObject({ status, attempt: undefined });
  });

  test('cancels a challenge that began concurrently, also after its process stopped', async () => {
    const context = testContext({ now });
    const { id: invoiceId, source } = await anInvoice(context, '4000002500003155');
    const { payments } = aBreakingProcess(context, 'charge', 'BEFORE');
    await payments.pay({ invoiceId, source }, { callId: undefined, returnUrl }, context);
    const subscriptionId = (await replicas.read(invoiceId, context)).subscriptionId!;
    const ended = { invoiceId, subscriptionId };
    await replica.worker.endCollection(ended, { writeOff: true }, context);
    const { collection } = aBreakingProcess(context, 'cancelCharge', 'BEFORE');
    await expect(collection.resume(invoiceId, context)).rejects.toThrow('BEFORE cancelCharge');
    const waiting = await replicas.aReplica().invoices.documents.findOne({ _id: invoiceId });
    await replica.worker.resume(invoiceId, context);

    expect(waiting).toMatchObject({
      attempt: { status: 'REQUIRES_ACTION' },
      recoverAt: expect.any(Date),
    });
    expect((await replicas.read(invoiceId, context)).status).toBe('UNCOLLECTIBLE');
  });

  test('numbers a draft, so that its number leaves no gap', async () => {
    const context = testContext({ now });
    const invoiceId = await replicas.insertDraft(context, { authorizedTransactionId: 'txn_1' });
    const subscriptionId = (await replicas.read(invoiceId, context)).subscriptionId!;
    await replica.worker.endCollection({ invoiceId, subscriptionId }, { writeOff: true }, context);
    await replica.worker.open(invoiceId, context);

    expect(await replicas.read(invoiceId, context)).toMatchObject({
      status: 'UNCOLLECTIBLE',
      number: 'INV-000001',
      payments: [],
    });
  });
});

describe('a new default method', () => {
  test('waits for an attempt with the old one, and is charged once afterwards', async () => {
    const context = testContext({ now });
    const { id, customerId, paymentMethodId } = await anInvoice(context, '4000000000000002');
    const used = { customerId, methodId: paymentMethodId, usedAt: now, savedAt: now };
    await replica.methods.prefer(used, context);
    const stopped = aBreakingProcess(context, 'findCharge', 'BEFORE');
    await expect(stopped.collection.collectOpenInvoices(customerId, context)).rejects.toThrow();
    const card = { number: '4242424242424242', expiry: '12/60', code: '123' };
    const methodId = await replica.saver.enterCard({ customerId, card }, context);
    const later = { ...context, now: new Date(now.getTime() + 1) };
    await replica.methods.prefer({ ...used, methodId, usedAt: later.now }, later);

    await expect(replica.worker.collectOpenInvoices(customerId, later)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await replica.worker.resume(id, later);
    await inParallel(10, () => replicas.aReplica().worker.collectOpenInvoices(customerId, later));
    expect(await replicas.read(id, context)).toMatchObject({
      status: 'PAID',
      payments: [
        { methodId: paymentMethodId, status: 'FAILED' },
        { methodId, status: 'SUCCEEDED' },
      ],
    });
  });

  test('is tried once for an invoice, however often the command runs', async () => {
    const context = testContext({ now });
    const { id, customerId, paymentMethodId } = await anInvoice(context, '4000000000000002');
    const used = { customerId, methodId: paymentMethodId, usedAt: now, savedAt: now };
    await replica.methods.prefer(used, context);
    for (let turn = 0; turn < 3; turn += 1) {
      await replica.worker.collectOpenInvoices(customerId, context);
    }
    const { payments, collectAt } = await replicas.read(id, context);
    expect(payments).toHaveLength(1);
    expect(collectAt).toEqual(new Date('2026-01-05T13:00:00.000Z'));
  });
});
