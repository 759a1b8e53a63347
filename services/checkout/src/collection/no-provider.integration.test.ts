import { newId } from '@billing/chassis/ids';
import { testContext, testTenant } from '@billing/chassis/testing';
import { systemClock } from '@billing/chassis/clock';
import { invoiceWorkers } from './workers';
import { noProvider } from '../provider/no-provider';
import type { NotCharged } from '../provider/alarms';
import { ProviderWaitStore } from './provider-wait-store';
import { aLineItem } from '../testing/invoice';
import { WaitingAuthorizationStore } from './waiting-authorization-store';
import { advancingClock, openReplicas, type Replicas, sandboxOf } from '../testing/store';

let replicas: Replicas;
let waits: ProviderWaitStore;

beforeAll(async () => {
  replicas = await openReplicas();
  waits = new ProviderWaitStore(replicas.db, { clock: systemClock });
  await waits.ensureIndexes();
});

afterAll(() => replicas.close());

const live = () => testContext({ tenant: testTenant({ live: true, manualClock: false }) });

/** The workers once a provider is configured, represented by the sandbox's books. */
function configured() {
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  return invoiceWorkers({
    ...{ invoices, numbers, balances, methods, clock: advancingClock, retryDays: [3, 7, 14] },
    providerOf: ({ environmentId }) => sandboxOf(replicas.db, environmentId),
    logger: {
      warn: (facts: unknown) => {
        throw (facts as { err: unknown }).err;
      },
    },
  });
}

test('an invoice without a provider is charged once there is one', async () => {
  const context = live();
  const customerId = newId();
  const id = await replicas.insertDraft(context, {
    customerId,
    authorizedTransactionId: `txn_4242424242424242_${customerId}`,
  });
  await replicas.replica.worker.open(id, context);
  const opened = await replicas.read(id, context);
  expect(opened).toMatchObject({ status: 'OPEN', payments: [], resultsSent: 0 });
  expect(opened).toMatchObject({ lastPaymentError: { code: 'no_payment_provider' } });
  expect(opened.attempt).toBeUndefined();
  expect([await waits.count(context.tenant), await waits.countAll()]).toEqual([1, 1]);

  await resumeAll(context);
  expect([await waits.count(context.tenant), await waits.countAll()]).toEqual([0, 0]);
  await configured().collection.collectDue(id, later(context));
  expect(await replicas.read(id, context)).toMatchObject({
    status: 'PAID',
    lastPaymentError: undefined,
    payments: [{ status: 'SUCCEEDED', number: 1 }],
  });
});

test('a payment that was authorized for a sent invoice is captured once there is a provider', async () => {
  const context = live();
  const customerId = newId();
  const id = await replicas.insertDraft(context, {
    customerId,
    collectionMethod: 'SEND_INVOICE',
    authorizedTransactionId: `txn_4242424242424242_${customerId}`,
  });
  await replicas.replica.worker.open(id, context);
  expect((await replicas.read(id, context)).awaitsProviderSince).toEqual(context.now);

  await resumeAll(context);
  await configured().collection.resume(id, later(context));
  expect(await replicas.read(id, context)).toMatchObject({ status: 'PAID', resultsSent: 1 });
  expect(await waits.count(context.tenant)).toBe(0);
});

test('the card of an authorization for later charges is saved once there is a provider', async () => {
  const context = live();
  const [customerId, subscriptionId] = [newId(), newId()];
  const authorizedTransactionId = 'txn_4242424242424242_trial';
  const authorization = { customerId, subscriptionId, authorizedTransactionId };
  const { saver, methods } = replicas.replica;
  const authorizations = new WaitingAuthorizationStore(replicas.db, { warn: fail });
  expect(await saver.keepAuthorized(authorization, context)).toBeUndefined();
  await authorizations.add(authorization, context);
  await authorizations.add(authorization, context);

  await authorizations.keepAll(configured().saver, context.signal);
  const kept = await methods.choiceFor({ customerId, subscriptionId }, context);
  expect(kept).toMatchObject({ isOwn: true, methodId: expect.any(String) as string });
  await authorizations.keepAll({ keepAuthorized: fail }, context.signal);
});

function fail(): never {
  throw new Error('Nothing waits any more');
}

function resumeAll(context: ReturnType<typeof live>) {
  const { collection } = configured();
  return waits.resumeAll({ resume: collection.resumeWaiting.bind(collection) }, context.signal);
}

// Later than the resumption, in the real time of a live environment.
function later(context: ReturnType<typeof live>) {
  return { ...context, now: new Date(systemClock.now().getTime() + 60_000) };
}

test('a requested payment returns immediately, and a void is not delayed', async () => {
  const context = live();
  const alarms: NotCharged[] = [];
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  const { payments, collection } = invoiceWorkers({
    ...{ invoices, numbers, balances, methods, clock: advancingClock, retryDays: [3, 7, 14] },
    providerOf: () => noProvider,
    logger: { warn: () => undefined },
    onNotCharged: (alarm) => alarms.push(alarm),
  });
  const id = await replicas.insertDraft(context);
  await collection.open(id, context);
  const presence = { callId: newId(), returnUrl: undefined };
  const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'pi_1' } as const;
  const paid = await payments.pay({ invoiceId: id, source }, presence, context);
  expect(paid.state).toMatchObject({
    status: 'OPEN',
    attempt: undefined,
    payments: [],
    lastPaymentError: { code: 'no_payment_provider' },
  });
  expect(alarms.map(({ code, invoiceId }) => [code, invoiceId])).toEqual([
    ['no_payment_provider', id],
    ['no_payment_provider', id],
  ]);
  const expected = { expectedVersion: undefined };
  const voided = await collection.voidForCaller(id, expected, context);
  expect(voided.state.status).toBe('VOID');
});

test('an amount that the provider cannot take is no failure, and raises an alarm', async () => {
  const context = testContext({ now: new Date('2026-01-01T00:00:00.000Z') });
  const alarms: NotCharged[] = [];
  const { invoices, numbers, balances, methods } = replicas.aReplica();
  const { collection } = invoiceWorkers({
    ...{ invoices, numbers, balances, methods, clock: advancingClock, retryDays: [3, 7, 14] },
    providerOf: ({ environmentId }) => sandboxOf(replicas.db, environmentId),
    logger: { warn: () => undefined },
    onNotCharged: (alarm) => alarms.push(alarm),
  });
  const customerId = newId();
  const id = await replicas.insertDraft(context, {
    customerId,
    authorizedTransactionId: 'txn_4000000000000077',
    lineItems: [aLineItem({ amount: 49n })],
  });
  await collection.open(id, context);
  await collection.collectDue(id, { ...context, now: new Date('2026-03-01T00:00:00.000Z') });
  expect(await replicas.read(id, context)).toMatchObject({
    status: 'OPEN',
    collectAt: undefined,
    lastPaymentError: { code: 'amount_not_supported' },
    payments: [{ status: 'FAILED', failureCode: 'amount_not_supported' }],
  });
  expect(alarms).toMatchObject([{ code: 'amount_not_supported', invoiceId: id }]);
});
