import type { ChargeOutcome, ChargeRequest } from '../port/payment-provider';
import { connectStripe } from './client';
import { StripeProvider } from './provider';
import { StripeStore } from './store';
import type { TestCard } from '../../testing/stripe-account';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { ensureStripeIndexes } from './store';
import { aStripe } from '../../testing/stripe-client';
import { type Death, deathsOf, workThrough } from '../../testing/stripe-crash';
import { TestStripe } from '../../testing/stripe-provider';

const configuration = testServiceConfiguration('checkout_stripe_crash');
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

const returnUrl = 'https://pay.example/return';

type Shop = ReturnType<typeof aStripe>;

/** A charge during which a crash occurs. */
interface Scenario {
  readonly name: string;
  readonly requestOf: (shop: Shop) => Promise<ChargeRequest>;
}

const saved = (card: TestCard, more?: Partial<ChargeRequest>) => async (shop: Shop) =>
  shop.request(await shop.save(card), more);

const scenarios: readonly Scenario[] = [
  { name: 'a card that works', requestOf: saved({}) },
  { name: 'a card that is declined', requestOf: saved({ decline: { decline_code: 'lost_card' } }) },
  { name: 'a card that asks an absent payer', requestOf: saved({ asksPayer: true }) },
  { name: 'a card that asks a payer', requestOf: saved({ asksPayer: true }, { returnUrl }) },
  {
    name: 'an authorized payment',
    requestOf: async (shop) => {
      const authorizedTransactionId = shop.account.addAuthorization({ amount: 5000 });
      return shop.request({ kind: 'AUTHORIZATION', authorizedTransactionId });
    },
  },
];

// Work of a worker, both the first one and one that resumes.
async function work({ open }: Pick<Shop, 'open'>, request: ChargeRequest): Promise<ChargeOutcome> {
  return (await open().findCharge(request)) ?? (await open().charge(request));
}

function amountTaken({ account }: Shop): number {
  return account.taken().reduce((sum, amount) => sum + amount, 0);
}

async function callsOf({ requestOf }: Scenario): Promise<number> {
  const stripe = await TestStripe.start();
  const shop = aStripe(mongo, stripe);
  const request = await requestOf(shop);
  const before = stripe.requests.length;
  await work(shop, request);
  await stripe.close();
  return stripe.requests.length - before;
}

/**
 * Crashes at the calls with these numbers, one run after another, then completes. Returns the
 * outcome and the amount taken.
 */
async function liveThrough(
  { requestOf }: Scenario,
  deaths: readonly Death[],
  { forgets }: { readonly forgets: boolean },
): Promise<{ outcome: ChargeOutcome; taken: number }> {
  const stripe = await TestStripe.start();
  const shop = aStripe(mongo, stripe);
  const request = await requestOf(shop);
  const outcome = await workThrough(stripe, deaths, { work: () => work(shop, request), forgets });
  await stripe.close();
  return { outcome, taken: amountTaken(shop) };
}

describe.each(scenarios)('a process that crashes while it charges $name', (scenario) => {
  test.each([
    ['remembers keys', false],
    ['has forgotten all keys', true],
  ])(
    'once or twice, charges once with the same outcome as without a crash, if Stripe %s',
    async (_, forgets) => {
      const calls = await callsOf(scenario);
      expect(calls).toBeGreaterThan(1);
      const whole = await liveThrough(scenario, [], { forgets });
      const { single, twice } = deathsOf(calls);
      // A second crash adds no cases if keys are stored as well.
      const lives = [...single, ...(forgets ? twice : [])];
      const results = await Promise.all(
        lives.map((deaths) => liveThrough(scenario, deaths, { forgets })),
      );
      for (const { outcome, taken } of results) {
        expect({ ...outcome, providerPaymentId: '', redirectUrl: '' }).toEqual({
          ...whole.outcome,
          providerPaymentId: '',
          redirectUrl: '',
        });
        expect(taken).toBe(whole.taken);
      }
    },
  );
});

describe('a crash between Stripe and our own record', () => {
  class DyingStore extends StripeStore {
    beforeEntry: () => Promise<void> = () => Promise.resolve();
    afterEntry: () => Promise<void> = () => Promise.resolve();

    override async claimPayment(...claim: Parameters<StripeStore['claimPayment']>) {
      await this.beforeEntry();
      const payment = await super.claimPayment(...claim);
      await this.afterEntry();
      return payment;
    }
  }

  const die = () => Promise.reject(new Error('died'));

  async function aDyingShop() {
    const stripe = await TestStripe.start();
    const shop = aStripe(mongo, stripe);
    const store = new DyingStore(mongo.db, shop.tenant.environmentId);
    const client = connectStripe({ secretKey: 'sk_test_secret', apiUrl: stripe.url });
    const dying = new StripeProvider({ stripe: client, store, tenant: shop.tenant });
    return { stripe, shop, store, dying, request: shop.request(await shop.save()) };
  }

  test.each(['beforeEntry', 'afterEntry'] as const)('at %s never charges twice', async (moment) => {
    const { stripe, shop, store, dying, request } = await aDyingShop();
    store[moment] = die;
    await expect(dying.charge(request)).rejects.toThrow('died');
    expect(amountTaken(shop)).toBe(0);
    stripe.forgetKeys();
    expect(await work(shop, request)).toMatchObject({ status: 'SUCCEEDED' });
    expect(shop.account.taken()).toEqual([2900]);
    await stripe.close();
  });

  test('a worker that slept while its charge was canceled does not charge', async () => {
    const { stripe, shop, store, dying, request } = await aDyingShop();
    store.beforeEntry = async () => {
      await shop.open().cancelCharge(request);
    };
    expect(await dying.charge(request)).toMatchObject({ status: 'FAILED' });
    expect(shop.account.taken()).toEqual([]);
    await stripe.close();
  });

  test('a worker that slept while another one charged finds that payment', async () => {
    const { stripe, shop, store, dying, request } = await aDyingShop();
    store.beforeEntry = async () => {
      stripe.forgetKeys();
      await work(shop, request);
      stripe.forgetKeys();
    };
    expect(await dying.charge(request)).toMatchObject({ status: 'SUCCEEDED' });
    expect(shop.account.taken()).toEqual([2900]);
    await stripe.close();
  });
});

test('20 racing workers charge once, even if Stripe stores no keys', async () => {
  const stripe = await TestStripe.start();
  const shop = aStripe(mongo, stripe);
  const request = shop.request(await shop.save());
  stripe.faultAt = () => {
    stripe.forgetKeys();
    return undefined;
  };
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => work(shop, request)));
  expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  expect(shop.account.taken()).toEqual([2900]);
  expect(shop.account.intents.size).toBeGreaterThan(1);
  await stripe.close();
});
