import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type {
  ChargeOutcome,
  ChargeRequest,
  PaymentProvider,
  ProviderSource,
} from './payment-provider';
import { sandboxOf } from '../../testing/store';
import { ensureSandboxIndexes } from '../sandbox/store';
import { ensureStripeIndexes } from '../stripe/store';
import { aStripe } from '../../testing/stripe-client';
import { TestStripe } from '../../testing/stripe-provider';

// Contract on which the rest of the service relies, for every provider.

type CardName = 'works' | 'lost' | 'poor' | 'asks';

/** A provider under test, and the actions of its payers. */
interface Shop {
  readonly customerId: string;
  /** Opens the provider as another process would. */
  open(): PaymentProvider;
  save(card: CardName): Promise<ProviderSource>;
  /** A payment of 29.00 dollars that was authorized before. */
  authorize(): string;
  /** Sends the payer's answer to the challenge of a charge. */
  answer(request: ChargeRequest, isApproved: boolean): Promise<ChargeOutcome>;
}

const configuration = testServiceConfiguration('checkout_providers');
let mongo: MongoConnection;
let stripe: TestStripe;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout' });
  await ensureSandboxIndexes(mongo.db);
  await ensureStripeIndexes(mongo.db);
  stripe = await TestStripe.start();
});

afterAll(async () => {
  await stripe.close();
  await mongo.close();
  await dropTestDatabase(configuration);
});

function sandboxShop(): Shop {
  const environmentId = newId();
  const customerId = newId();
  const open = () => sandboxOf(mongo.db, environmentId);
  const numbers = { works: '4242', lost: '9987', poor: '9995' };
  return {
    customerId,
    open,
    save: async (card) => {
      const number = card === 'asks' ? '4000002500003155' : `400000000000${numbers[card]}`;
      const typed = number.replace('4000000000004242', '4242424242424242');
      const authorizedTransactionId = `txn_${typed}_${newId()}`;
      const method = await open().resolveAuthorization({ authorizedTransactionId, customerId });
      return { kind: 'METHOD', providerMethodId: method!.providerMethodId };
    },
    authorize: () => `txn_4242424242424242_${newId()}`,
    answer: (request, approved) => open().continueCharge({ ...request, approved }),
  };
}

function stripeShop(): Shop {
  const one = aStripe(mongo, stripe);
  const cards = {
    works: {},
    lost: { decline: { decline_code: 'lost_card' } },
    poor: { decline: { decline_code: 'insufficient_funds' } },
    asks: { asksPayer: true },
  };
  return {
    customerId: one.customerId,
    open: one.open,
    save: (card) => one.save(cards[card]),
    authorize: () => {
      const customer = `cus_${newId().replaceAll('-', '')}`;
      one.account.customers.set(customer, { id: customer });
      return one.account.addAuthorization({ amount: 2900, customer });
    },
    answer: async (request, isApproved) => {
      const outcome = await one.open().findCharge(request);
      one.account.answerChallenge(outcome!.providerPaymentId!, isApproved);
      return one.open().continueCharge({ ...request, approved: undefined });
    },
  };
}

const providers: readonly (readonly [string, () => Shop])[] = [
  ['sandbox', sandboxShop],
  ['stripe', stripeShop],
];

function requestOf(
  { customerId }: Shop,
  source: ProviderSource,
  more: Partial<ChargeRequest> = {},
): ChargeRequest {
  const invoiceId = newId();
  const amounts = { amount: 2900n, currency: 'USD' as const };
  return {
    key: `${invoiceId}:1`,
    ...amounts,
    customerId,
    invoiceId,
    source,
    startedAt: now,
    returnUrl: undefined,
    ...more,
  };
}

const now = new Date('2026-01-15T00:00:00.000Z');
const present = { returnUrl: 'https://pay.example/return' };

describe.each(providers)('every PaymentProvider: %s', (name, aShop) => {
  test('has a name that is shown on payments', () => {
    expect(aShop().open().name).toBe(name);
  });

  test('charges a key once, and always returns the same outcome', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('works'));
    expect(await shop.open().findCharge(request)).toBeUndefined();
    const outcome = await shop.open().charge(request);
    expect(outcome).toMatchObject({ status: 'SUCCEEDED', providerPaymentId: expect.any(String) });
    expect(await shop.open().charge(request)).toEqual(outcome);
    expect(await shop.open().findCharge(request)).toEqual(outcome);
    expect(await shop.open().cancelCharge(request)).toEqual(outcome);
  });

  test('gives 20 racing charges with one key one outcome', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('works'));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => shop.open().charge(request)),
    );
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  });

  test('refuses a key for another charge', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('works'));
    await shop.open().charge(request);
    const other = shop.open().charge({ ...request, amount: 2901n });
    await expect(other).rejects.toThrow('used for another charge');
  });

  test('finds nothing under a key that was never charged', async () => {
    const shop = aShop();
    await shop.open().charge(requestOf(shop, await shop.save('works')));
    const { customerId } = shop;
    expect(await shop.open().findCharge({ key: `${newId()}:1`, customerId })).toBeUndefined();
  });

  test.each([
    ['poor', 'insufficient_funds', 'SOFT'],
    ['lost', 'lost_card', 'HARD'],
    ['asks', 'authentication_required', 'SOFT'],
  ] as const)(
    'fails permanently if no payer is present and the card is of the kind "%s": %s, %s',
    async (card, failureCode, decline) => {
      const shop = aShop();
      const request = requestOf(shop, await shop.save(card));
      const outcome = await shop.open().charge(request);
      expect(outcome).toMatchObject({ status: 'FAILED', failureCode, decline });
      expect(await shop.open().charge(request)).toEqual(outcome);
      expect(await shop.open().findCharge(request)).toEqual(outcome);
    },
  );

  test('charges after a present payer has answered', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('asks'), present);
    const waiting = await shop.open().charge(request);
    expect(waiting).toMatchObject({ status: 'REQUIRES_ACTION' });
    expect(await shop.open().findCharge(request)).toEqual(waiting);
    const { providerPaymentId } = waiting;
    const paid = { status: 'SUCCEEDED', providerPaymentId };
    expect(await shop.answer(request, true)).toMatchObject(paid);
    expect(await shop.open().cancelCharge(request)).toMatchObject(paid);
  });

  test('fails if the payer refuses', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('asks'), present);
    await shop.open().charge(request);
    const failed = { status: 'FAILED', failureCode: 'authentication_required', decline: 'SOFT' };
    expect(await shop.answer(request, false)).toMatchObject(failed);
  });

  test('never charges a challenge that was canceled', async () => {
    const shop = aShop();
    const request = requestOf(shop, await shop.save('asks'), present);
    await shop.open().charge(request);
    const ended = await shop.open().cancelCharge(request);
    expect(ended).toMatchObject({ status: 'FAILED', failureCode: 'authentication_required' });
    expect(await shop.open().charge(request)).toEqual(ended);
    expect(await shop.open().findCharge(request)).toEqual(ended);
  });

  test('captures an authorized payment, and later charges the card behind it', async () => {
    const shop = aShop();
    const { customerId } = shop;
    const authorizedTransactionId = shop.authorize();
    const resolve = () => shop.open().resolveAuthorization({ authorizedTransactionId, customerId });
    const method = await resolve();
    const capture = requestOf(shop, { kind: 'AUTHORIZATION', authorizedTransactionId });
    expect(await shop.open().charge(capture)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await resolve()).toEqual(method);
    const { providerMethodId } = method!;
    const later = requestOf(shop, { kind: 'METHOD', providerMethodId });
    expect(await shop.open().charge(later)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('refunds a charge once for each key, and nothing that was never charged', async () => {
    const shop = aShop();
    const charge = requestOf(shop, await shop.save('works'));
    await shop.open().charge(charge);
    const key = newId();
    const part = { amount: 1000n, currency: charge.currency, now };
    const refund = { key, charge, ...part };
    expect(await shop.open().findRefund(refund)).toBeUndefined();
    const outcome = await shop.open().refund(refund);
    expect(outcome).toMatchObject({ status: 'SUCCEEDED' });
    expect(await shop.open().refund(refund)).toEqual(outcome);
    expect(await shop.open().findRefund(refund)).toEqual(outcome);
    const rest = { ...refund, key: newId(), amount: 1900n };
    expect(await shop.open().refund(rest)).not.toEqual(outcome);
    const declined = requestOf(shop, await shop.save('poor'));
    await shop.open().charge(declined);
    await expect(shop.open().refund({ key: newId(), charge: declined, ...part })).rejects.toThrow(
      'No charge',
    );
  });
});
