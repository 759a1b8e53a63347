import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { ensureStripeIndexes } from './store';
import { aStripe } from '../../testing/stripe-client';
import { TestStripe } from '../../testing/stripe-provider';

const configuration = testServiceConfiguration('checkout_stripe_auth');
let mongo: MongoConnection;
let stripe: TestStripe;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
  await ensureStripeIndexes(mongo.db);
});

beforeEach(async () => {
  stripe = await TestStripe.start();
});

afterEach(() => stripe.close());

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

describe('a payment that was authorized elsewhere', () => {
  const capture = (authorizedTransactionId: string) =>
    ({ kind: 'AUTHORIZATION', authorizedTransactionId }) as const;

  test.each([
    ['all of it', 2900],
    ['a part of it', 5000],
  ])('is captured: %s', async (_case, amount) => {
    const one = aStripe(mongo, stripe);
    const id = one.account.addAuthorization({ amount });
    const request = one.request(capture(id));
    expect(await one.open().charge(request)).toEqual({
      status: 'SUCCEEDED',
      providerPaymentId: id,
      amount: 2900n,
    });
    expect(await one.open().charge(request)).toMatchObject({ status: 'SUCCEEDED' });
    expect(one.account.taken()).toEqual([2900]);
    expect(one.account.intents.get(id)!.metadata.billing_invoice_id).toBe(request.invoiceId);
  });

  test('counts as paid if it had already succeeded', async () => {
    const one = aStripe(mongo, stripe);
    const id = one.account.addAuthorization({ amount: 2900, status: 'succeeded' });
    expect(await one.open().charge(one.request(capture(id)))).toMatchObject({
      status: 'SUCCEEDED',
    });
    expect(one.account.taken()).toEqual([2900]);
  });

  test.each([
    ['of less', { amount: 2899 }, 'authorization_mismatch'],
    ['of another currency', { amount: 2900, currency: 'eur' }, 'authorization_mismatch'],
    ['charged with more', { amount: 2901, status: 'succeeded' }, 'authorization_mismatch'],
    ['canceled', { amount: 2900, status: 'canceled' }, 'authorization_expired'],
    ['not authorized yet', { amount: 2900, status: 'requires_action' }, 'authorization_incomplete'],
    [
      'declined',
      { amount: 2900, card: { decline: { decline_code: 'lost_card' } } },
      'authorization_expired',
    ],
  ])('fails cleanly if it is %s', async (_case, authorization, failureCode) => {
    const one = aStripe(mongo, stripe);
    const id = one.account.addAuthorization(authorization);
    const before = one.account.taken();
    const request = one.request(capture(id));
    const outcome = await one.open().charge(request);
    expect(outcome).toMatchObject({ status: 'FAILED', failureCode });
    expect(await one.open().charge(request)).toEqual(outcome);
    expect(one.account.taken()).toEqual(before);
  });

  test.each(['txn_1', 'pi_unknown', 'seti_unknown', 'pi_1/../../customers', ''])(
    'fails if Stripe does not know it: %j',
    async (id) => {
      const one = aStripe(mongo, stripe);
      expect(await one.open().charge(one.request(capture(id)))).toMatchObject({
        status: 'FAILED',
        failureCode: 'authorization_unknown',
      });
      const authorization = { authorizedTransactionId: id, customerId: one.customerId };
      expect(await one.open().resolveAuthorization(authorization)).toBeUndefined();
    },
  );

  test('pays one invoice, in any environment', async () => {
    const one = aStripe(mongo, stripe);
    const other = aStripe(mongo, stripe);
    const id = one.account.addAuthorization({ amount: 2900 });
    await one.open().charge(one.request(capture(id)));

    for (const another of [one, other]) {
      expect(await another.open().charge(another.request(capture(id)))).toMatchObject({
        status: 'FAILED',
        failureCode: 'authorization_used',
      });
    }
    expect(one.account.taken()).toEqual([2900]);
  });

  test('is refused if another of our environments created it', async () => {
    const one = aStripe(mongo, stripe);
    const other = aStripe(mongo, stripe);
    const id = one.account.addAuthorization({ amount: 2900 });
    one.account.intents.get(id)!.metadata = {
      billing_environment_id: other.tenant.environmentId,
    };
    const { customerId } = one;

    expect(await one.open().charge(one.request(capture(id)))).toMatchObject({ status: 'FAILED' });
    expect(
      await one.open().resolveAuthorization({ authorizedTransactionId: id, customerId }),
    ).toBeUndefined();
    expect(await other.open().charge(other.request(capture(id)))).toMatchObject({
      status: 'SUCCEEDED',
    });
  });

  test('is refused if it is a charge of ours that paid another invoice', async () => {
    const one = aStripe(mongo, stripe);
    const paid = await one.open().charge(one.request(await one.save()));
    const again = one.request(capture(paid.providerPaymentId!));
    expect(await one.open().charge(again)).toMatchObject({ failureCode: 'authorization_used' });
  });

  test('is refused if it was refunded', async () => {
    const one = aStripe(mongo, stripe);
    const id = one.account.addAuthorization({ amount: 2900, status: 'succeeded' });
    one.account.payments[0]!.refunded = 2900;
    expect(await one.open().charge(one.request(capture(id)))).toMatchObject({
      failureCode: 'authorization_used',
    });
  });

  test('may be a card that was set up without an amount', async () => {
    const one = aStripe(mongo, stripe);
    await one.save();
    const [customer] = one.account.customers.keys();
    const request = one.request(capture(one.account.addSetup(customer!)));
    expect(await one.open().charge(request)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('the card behind an authorization', () => {
  test('is saved for its customer at Stripe, and can be charged later', async () => {
    const one = aStripe(mongo, stripe);
    one.account.customers.set('cus_theirs', { id: 'cus_theirs' });
    const authorizedTransactionId = one.account.addAuthorization({
      amount: 2900,
      customer: 'cus_theirs',
      card: { brand: 'mastercard', last4: '4444' },
    });
    const authorization = { authorizedTransactionId, customerId: one.customerId };
    const method = await one.open().resolveAuthorization(authorization);

    expect(method).toMatchObject({ brand: 'mastercard', last4: '4444' });
    expect(await one.open().resolveAuthorization(authorization)).toEqual(method);
    const { providerMethodId } = method!;
    const later = one.request({ kind: 'METHOD', providerMethodId });
    expect(await one.open().charge(later)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('is saved if it belongs to no customer yet, also next to cards from before', async () => {
    const one = aStripe(mongo, stripe);
    await one.save();
    const authorizedTransactionId = one.account.addSetup(null);
    const authorization = { authorizedTransactionId, customerId: one.customerId };
    const method = await one.open().resolveAuthorization(authorization);
    const { providerMethodId } = method!;
    const later = one.request({ kind: 'METHOD', providerMethodId });
    expect(await one.open().charge(later)).toMatchObject({ status: 'SUCCEEDED' });
    expect(one.account.customers.size).toBe(1);
  });

  test('is not saved if it is single-use', async () => {
    const one = aStripe(mongo, stripe);
    const card = { isSingleUse: true };
    const authorization = { amount: 2900, status: 'succeeded', card };
    const authorizedTransactionId = one.account.addAuthorization(authorization);
    const { customerId } = one;
    expect(
      await one.open().resolveAuthorization({ authorizedTransactionId, customerId }),
    ).toBeUndefined();
  });

  test('is not saved if it belongs to another customer, of this environment or another', async () => {
    const owner = aStripe(mongo, stripe);
    await owner.save();
    const [customer] = owner.account.customers.keys();
    const authorizedTransactionId = owner.account.addSetup(customer!);
    const otherCustomer = { authorizedTransactionId, customerId: newId() };
    expect(await owner.open().resolveAuthorization(otherCustomer)).toBeUndefined();
    const stranger = aStripe(mongo, stripe);
    expect(await stranger.open().resolveAuthorization(otherCustomer)).toBeUndefined();
    const own = { authorizedTransactionId, customerId: owner.customerId };
    expect(await owner.open().resolveAuthorization(own)).toBeDefined();
  });
});
