import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { aStripe } from '../../testing/stripe-client';
import { type Death, deathsOf, workThrough } from '../../testing/stripe-crash';
import { TestStripe } from '../../testing/stripe-provider';
import type { RefundOutcome, RefundRequest } from '../port/refund';
import { ensureStripeIndexes } from './store';

const configuration = testServiceConfiguration('checkout_stripe_refunds');
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

type Shop = ReturnType<typeof aStripe>;

/** A payment of 29.00 and a refund of 10.00 of it. */
async function aRefund(refundsAre: string) {
  const stripe = await TestStripe.start();
  const shop = aStripe(mongo, stripe);
  const charge = shop.request(await shop.save());
  await shop.open().charge(charge);
  shop.account.refundsAre = refundsAre;
  const { customerId } = shop;
  const request: RefundRequest = {
    ...{ key: `refund:${newId()}:1`, charge: { key: charge.key, customerId } },
    ...{ amount: 1000n, currency: 'USD', now: systemClock.now() },
  };
  return { stripe, shop, request };
}

// Work of a worker, both the first one and one that resumes.
async function work({ open }: Pick<Shop, 'open'>, request: RefundRequest): Promise<RefundOutcome> {
  return (await open().findRefund(request)) ?? (await open().refund(request));
}

/** Crashes at calls to Stripe, one run after another, then completes. */
async function liveThrough(
  refundsAre: string,
  deaths: readonly Death[],
  { forgets }: { readonly forgets: boolean },
): Promise<{ outcome: RefundOutcome; refunds: number[] }> {
  const { stripe, shop, request } = await aRefund(refundsAre);
  const outcome = await workThrough(stripe, deaths, { work: () => work(shop, request), forgets });
  await stripe.close();
  return { outcome, refunds: shop.account.refunds.map(({ amount }) => amount) };
}

async function callsOf(refundsAre: string): Promise<number> {
  const { stripe, shop, request } = await aRefund(refundsAre);
  const before = stripe.requests.length;
  await work(shop, request);
  await stripe.close();
  return stripe.requests.length - before;
}

describe.each(['succeeded', 'pending', 'failed'])('a refund that is %s', (refundsAre) => {
  test.each([
    ['remembers keys', false],
    ['has forgotten all keys', true],
  ])(
    'is made once, with one outcome, by a process that crashes once or twice at any call, if Stripe %s',
    async (_, forgets) => {
      const calls = await callsOf(refundsAre);
      expect(calls).toBeGreaterThan(1);
      const whole = await liveThrough(refundsAre, [], { forgets });
      const { single, twice } = deathsOf(calls);
      // A second crash adds no cases if keys are stored as well, nor does another outcome.
      const isTwice = forgets && refundsAre === 'succeeded';
      const lives = [...single, ...(isTwice ? twice : [])];
      const results = await Promise.all(
        lives.map((deaths) => liveThrough(refundsAre, deaths, { forgets })),
      );
      for (const { outcome, refunds } of results) {
        expect({ ...outcome, providerRefundId: '' }).toEqual({
          ...whole.outcome,
          providerRefundId: '',
        });
        expect(refunds).toEqual([1000]);
      }
    },
  );
});

test('20 racing workers make one refund of a key', async () => {
  const { stripe, shop, request } = await aRefund('succeeded');
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => work(shop, request)));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(shop.account.refunds).toHaveLength(1);
  await stripe.close();
});
