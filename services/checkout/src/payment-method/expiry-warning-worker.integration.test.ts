import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { notFound } from '@billing/kernel/domain-error';
import { inParallel, openReplicas, type Replicas } from '../testing/store';
import { type ExpiryWarningDependencies, ExpiryWarningWorker } from './expiry-warning-worker';
import type { Payer, PaymentMethod } from './payment-method';
import { payerDefinition, payerIdOf, paymentMethodDefinition } from './store';

const savedAt = new Date('2026-01-05T12:00:00.000Z');
const warnedAt = new Date('2026-05-02T00:00:00.000Z');
let replicas: Replicas;
let saved: AggregateCollection<PaymentMethod>;
let payers: AggregateCollection<Payer>;

beforeAll(async () => {
  replicas = await openReplicas();
  const { db } = replicas.replica;
  saved = new AggregateCollection(db, paymentMethodDefinition, { clock: systemClock });
  payers = new AggregateCollection(db, payerDefinition, { clock: systemClock });
});

afterAll(() => replicas.close());

/** A customer with a card 05/26, and the worker among peers that know these subscriptions. */
async function scene({ subscriptionIds = [newId()] as readonly string[], isKnown = true } = {}) {
  const { methods } = replicas.replica;
  const context = testContext({ now: savedAt });
  const customerId = newId();
  const times = { usedAt: savedAt, savedAt };
  const card = { provider: 'sandbox', providerMethodId: 'p', brand: 'visa', last4: '4242' };
  const expiry = { month: 5, year: 2026 };
  const { id } = await methods.save(
    { id: newId(), customerId, ...card, expiry, ...times },
    context,
  );
  await methods.prefer({ customerId, methodId: id, ...times }, context);
  const found = subscriptionIds.map((subscriptionId) => ({ id: subscriptionId }));
  const peers = {
    customer: {
      getCustomer: () =>
        isKnown ? Promise.resolve({ customer: {} }) : Promise.reject(notFound('Customer')),
    },
    subscription: {
      listSubscriptions: () => Promise.resolve({ subscriptions: found, total: found.length }),
    },
  } as unknown as ExpiryWarningDependencies['peers'];
  const { subscriptions } = methods;
  const worker = new ExpiryWarningWorker({ saved, payers, subscriptions, peers });
  const payerId = payerIdOf(customerId, context);
  const warnings = async () => {
    const document = await payers.documents.findOne({ _id: payerId });
    return (document?.outbox ?? []).filter(({ type }) => type === 'payment_method.expiring').length;
  };
  const dueAt = async () => (await saved.documents.findOne({ _id: id }))?.dueAt;
  const at = (now: Date) => ({ ...testContext({ now }), tenant: context.tenant });
  return { id, customerId, worker, warnings, dueAt, at, methods };
}

describe('a method that expires', () => {
  test('is announced once by 20 workers, and is no longer due', async () => {
    const { id, worker, warnings, dueAt, at } = await scene();
    expect(await dueAt()).toEqual(warnedAt);
    await inParallel(20, () => worker.warn(id, at(warnedAt)));
    expect(await warnings()).toBe(1);
    expect(await dueAt()).toBeNull();
  });

  test('is not announced again after a crash between the two writes', async () => {
    const { id, worker, warnings, dueAt, at } = await scene();
    await worker.warn(id, at(warnedAt));
    // As the crash leaves it: the payer has announced the warning, the method is still due.
    await saved.documents.updateOne(
      { _id: id },
      { $set: { isExpiryWarned: false, dueAt: warnedAt } },
    );
    await worker.warn(id, at(warnedAt));
    expect(await warnings()).toBe(1);
    expect(await dueAt()).toBeNull();
  });

  test('is announced late, but not after it has expired', async () => {
    const late = await scene();
    await late.worker.warn(late.id, late.at(new Date('2026-05-31T23:59:59.999Z')));
    expect(await late.warnings()).toBe(1);
    const expired = await scene();
    await expired.worker.warn(expired.id, expired.at(new Date('2026-06-01T00:00:00.000Z')));
    expect(await expired.warnings()).toBe(0);
    expect(await expired.dueAt()).toBeNull();
  });

  test('is not announced early', async () => {
    const { id, worker, warnings, dueAt, at } = await scene();
    await worker.warn(id, at(new Date(warnedAt.getTime() - 1)));
    expect(await warnings()).toBe(0);
    expect(await dueAt()).toEqual(warnedAt);
  });

  test.each([
    ['without subscriptions', { subscriptionIds: [] }],
    ['who was deleted', { isKnown: false }],
  ])('of a customer %s is not announced', async (_name, parts) => {
    const { id, worker, warnings, dueAt, at } = await scene(parts);
    await worker.warn(id, at(warnedAt));
    expect(await warnings()).toBe(0);
    expect(await dueAt()).toBeNull();
  });

  test('is not announced once the customer has removed it', async () => {
    const { id, customerId, worker, warnings, at, methods } = await scene();
    const removal = { customerId, methodId: id };
    await methods.remove(removal, { isCharged: false }, at(savedAt));
    await worker.warn(id, at(warnedAt));
    expect(await warnings()).toBe(0);
  });
});
