import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { ensureStripeIndexes, findStripeCharge, StripeStore } from './store';

const configuration = testServiceConfiguration('checkout_stripe_store');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const intent = (paymentIntentId: string) =>
  ({ kind: 'INTENT', paymentIntentId, amount: 2900, currency: 'usd' }) as const;
const refused = { kind: 'REFUSED', failureCode: 'card_declined' } as const;

const aStore = () => new StripeStore(mongo.db, newId());
const aKey = () => `${newId()}:1`;

describe('the records of an earlier version', () => {
  const environmentId = newId();
  const [invoiceId, customerId] = [newId(), newId()];
  const key = `${invoiceId}:1`;

  beforeAll(async () => {
    const documents = (name: string) =>
      mongo.db.collection<Record<string, unknown> & { _id: string }>(name);
    const [payments, customers] = [documents('stripePayments'), documents('stripeCustomers')];
    await payments.createIndexes([{ key: { payment: 1 }, name: 'payment', unique: true }]);
    await customers.createIndexes([
      { key: { stripeCustomerId: 1 }, name: 'stripeCustomer', unique: true },
    ]);
    const payment = { environmentId, payment: 'pi_old', amount: 2900, currency: 'usd' };
    const none = { environmentId, amount: null, currency: null, failureCode: 'card_declined' };
    const refusedKeys = ['refused:1', 'refused:2'].map((one) => `${environmentId}:${one}`);
    await payments.insertMany([
      { _id: `${environmentId}:${key}`, ...payment, failureCode: null },
      ...refusedKeys.map((_id) => ({ _id, ...none, payment: `none:${_id}` })),
    ]);
    const customer = { environmentId, customerId };
    const id = `${environmentId}:${customerId}`;
    await customers.insertMany([
      { _id: id, ...customer, stripeCustomerId: 'cus_old' },
      { _id: `${id}:cus_second`, ...customer, stripeCustomerId: 'cus_second' },
    ]);
    await Promise.all([ensureStripeIndexes(mongo.db), ensureStripeIndexes(mongo.db)]);
  });

  test('stand, and their unique indexes are gone', async () => {
    const store = new StripeStore(mongo.db, environmentId);
    expect(await store.findPayment(key)).toEqual(intent('pi_old'));
    expect(await store.findPayment('refused:2')).toEqual(refused);
    expect(await findStripeCharge(mongo.db, 'pi_old')).toEqual({ environmentId, invoiceId });
    expect(await store.customerOf(customerId)).toBe('cus_old');
    for (const name of ['stripePayments', 'stripeCustomers']) {
      const indexes = await mongo.db.collection(name).indexes();
      expect(indexes.filter(({ unique }) => unique === true)).toEqual([]);
    }
  });

  test('keep their payment and customers from others', async () => {
    expect(await aStore().claimPayment(aKey(), intent('pi_old'))).toBeUndefined();
    for (const stripeCustomerId of ['cus_old', 'cus_second']) {
      expect(await aStore().adoptCustomer(newId(), stripeCustomerId)).toBe(false);
      const owner = new StripeStore(mongo.db, environmentId);
      expect(await owner.adoptCustomer(customerId, stripeCustomerId)).toBe(true);
    }
  });
});

describe('a payment', () => {
  test('is recorded for one of 20 keys that claim it concurrently', async () => {
    const paymentIntentId = `pi_${newId()}`;
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => aStore().claimPayment(aKey(), intent(paymentIntentId))),
    );
    expect(claims.filter((claim) => claim !== undefined)).toEqual([intent(paymentIntentId)]);
  });

  test('that a key claimed in vain can be recorded for another key', async () => {
    const [store, key] = [aStore(), aKey()];
    const paymentIntentId = `pi_${newId()}`;
    await store.claimPayment(key, refused);
    // The first record of the key stands; only the claim is left of the second.
    expect(await store.claimPayment(key, intent(paymentIntentId))).toEqual(refused);
    expect(await findStripeCharge(mongo.db, paymentIntentId)).toBeUndefined();
    expect(await store.claimPayment(aKey(), intent(paymentIntentId))).toEqual(
      intent(paymentIntentId),
    );
  });
});

describe('a customer at Stripe', () => {
  test('belongs to the first customer until the record is removed', async () => {
    const [store, other] = [aStore(), aStore()];
    const [customerId, stripeCustomerId] = [newId(), `cus_${newId()}`];
    expect(await store.claimCustomer(customerId, stripeCustomerId)).toBe(stripeCustomerId);
    expect(await other.claimCustomer(newId(), stripeCustomerId)).toBeUndefined();
    await store.removeCustomer(customerId, stripeCustomerId);
    expect(await store.customerOf(customerId)).toBeUndefined();
    expect(await other.adoptCustomer(newId(), stripeCustomerId)).toBe(true);
  });
});
