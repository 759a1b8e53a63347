import { processEnvironment } from '@billing/chassis/configuration';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type { ChargeRequest, ProviderSource } from '../port/payment-provider';
import { connectStripe } from './client';
import { StripeProvider } from './provider';
import { ensureStripeIndexes, StripeStore } from './store';

// Checks the rules that our simulated Stripe implements against Stripe's test mode.

const { STRIPE_TEST_KEY: secretKey } = processEnvironment();
const isGiven = secretKey?.startsWith('sk_test_') === true;
const testAtStripe = isGiven ? test : test.skip;
const withKey = isGiven ? '' : ' (needs STRIPE_TEST_KEY, a test key of Stripe)';
const timeoutMs = 60_000;

const configuration = testServiceConfiguration('checkout_stripe_itself');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
  await ensureStripeIndexes(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

async function aCustomer() {
  const tenant = { organizationId: newId(), environmentId: newId() };
  const customerId = newId();
  const stripe = connectStripe({ secretKey: secretKey ?? '' });
  const store = new StripeStore(mongo.db, tenant.environmentId);
  const provider = new StripeProvider({ stripe, store, tenant });
  const { cardEntry } = provider;
  if (cardEntry.kind !== 'REDIRECT') throw new Error('Cards are not given elsewhere');
  const returnUrl = 'https://pay.example/return?setup={SETUP_ID}';
  const page = await cardEntry.begin({ customerId, returnUrl });
  const customer = (await store.customerOf(customerId)) ?? '';
  // Stripe's well-known test cards, saved as its page would.
  const save = async (name: string): Promise<ProviderSource> => {
    const { id: providerMethodId } = await stripe.paymentMethods.attach(name, { customer });
    return { kind: 'METHOD', providerMethodId };
  };
  const request = (source: ProviderSource, more: Partial<ChargeRequest> = {}): ChargeRequest => ({
    key: `${newId()}:1`,
    amount: 2900n,
    currency: 'USD',
    customerId,
    invoiceId: newId(),
    source,
    startedAt: systemClock.now(),
    returnUrl: undefined,
    ...more,
  });
  return { stripe, provider, customer, page, save, request };
}

testAtStripe(
  `a saved card is charged once at Stripe, and refunded${withKey}`,
  async () => {
    const { provider, page, save, request } = await aCustomer();
    expect(page).toMatch(/^https:\/\/checkout\.stripe\.com\//);
    const charge = request(await save('pm_card_visa'));
    const outcome = await provider.charge(charge);
    expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
    expect(await provider.charge(charge)).toEqual(outcome);
    expect(await provider.findCharge(charge)).toEqual(outcome);
    const key = newId();
    const { currency } = charge;
    const refund = { key, charge, currency, amount: 900n, now: systemClock.now() };
    const refunded = await provider.refund(refund);
    expect(refunded).toMatchObject({ status: 'SUCCEEDED' });
    expect(await provider.refund(refund)).toEqual(refunded);
    const rest = { ...refund, key: newId(), amount: 2000n };
    expect(await provider.refund(rest)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await provider.refund({ ...rest, key: newId() })).toMatchObject({ status: 'FAILED' });
  },
  timeoutMs,
);

testAtStripe(
  `a declined card stays declined at Stripe${withKey}`,
  async () => {
    const { provider, save, request } = await aCustomer();
    const charge = request(await save('pm_card_chargeCustomerFail'));
    const outcome = await provider.charge(charge);
    expect(outcome).toMatchObject({ status: 'FAILED', failureCode: 'card_declined' });
    expect(await provider.charge(charge)).toEqual(outcome);
  },
  timeoutMs,
);

testAtStripe(
  `a card that needs confirmation fails at Stripe without a payer, and waits with one${withKey}`,
  async () => {
    const { provider, save, request } = await aCustomer();
    const source = await save('pm_card_authenticationRequired');
    const failed = { status: 'FAILED', failureCode: 'authentication_required' };
    expect(await provider.charge(request(source))).toMatchObject(failed);
    const charge = request(source, { returnUrl: 'https://pay.example/return' });
    const waiting = await provider.charge(charge);
    expect(waiting).toMatchObject({
      status: 'REQUIRES_ACTION',
      redirectUrl: expect.stringContaining('https://'),
    });
    expect(await provider.cancelCharge(charge)).toMatchObject(failed);
    expect(await provider.charge(charge)).toMatchObject(failed);
  },
  timeoutMs,
);

testAtStripe(
  `an authorized payment is captured at Stripe, and its card is saved${withKey}`,
  async () => {
    const { stripe, provider, customer, request } = await aCustomer();
    const { id: authorizedTransactionId } = await stripe.paymentIntents.create({
      amount: 5000,
      currency: 'usd',
      customer,
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      capture_method: 'manual',
      setup_future_usage: 'off_session',
      confirm: true,
      return_url: 'https://pay.example/return',
    });
    const charge = request({ kind: 'AUTHORIZATION', authorizedTransactionId });
    expect(await provider.charge(charge)).toMatchObject({ status: 'SUCCEEDED' });
    const { customerId } = charge;
    const method = await provider.resolveAuthorization({ authorizedTransactionId, customerId });
    expect(method).toMatchObject({ brand: 'visa', last4: '4242' });
    const { providerMethodId = '' } = method ?? {};
    const later = request({ kind: 'METHOD', providerMethodId });
    expect(await provider.charge(later)).toMatchObject({ status: 'SUCCEEDED' });
  },
  timeoutMs,
);

testAtStripe(
  `an amount that is too small is refused at Stripe${withKey}`,
  async () => {
    const { provider, save, request } = await aCustomer();
    const charge = request(await save('pm_card_visa'), { amount: 1n });
    const failed = { status: 'FAILED', failureCode: 'amount_not_supported' };
    expect(await provider.charge(charge)).toMatchObject(failed);
  },
  timeoutMs,
);
