import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import { ensureStripeIndexes } from './store';
import { aStripe } from '../../testing/stripe-client';
import { type StripeFault, TestStripe } from '../../testing/stripe-provider';

const configuration = testServiceConfiguration('checkout_stripe');
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

const returnUrl = 'https://pay.example/return';

describe('a charge of a saved card', () => {
  test('takes the amount once and returns its payment', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save());
    const outcome = await one.open().charge(request);

    expect(outcome).toEqual({
      status: 'SUCCEEDED',
      providerPaymentId: expect.stringMatching(/^pi_/),
      amount: 2900n,
    });
    expect(one.account.taken()).toEqual([2900]);
    expect(await one.open().charge(request)).toEqual(outcome);
    expect(await one.open().findCharge(request)).toEqual(outcome);
    expect(one.account.taken()).toEqual([2900]);
  });

  test('with nothing due sends nothing to Stripe, because the page verified the card', async () => {
    const one = aStripe(mongo, stripe);
    const source = await one.save();
    const request = { ...one.request(source), amount: 0n };
    const { providerMethodId } = source as { providerMethodId: string };

    expect(await one.open().charge(request)).toEqual({
      status: 'SUCCEEDED',
      providerPaymentId: providerMethodId,
    });
    expect(one.account.intents.size).toBe(0);
  });

  test('carries its key, invoice, environment and organization, and nothing of the payer', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save());
    await one.open().charge(request);

    const [intent] = one.account.intents.values();
    expect(intent!.metadata).toEqual({
      billing_key: request.key,
      billing_invoice_id: request.invoiceId,
      billing_environment_id: one.tenant.environmentId,
      billing_organization_id: one.tenant.organizationId,
    });
  });

  test('stays declined however often it is retried', async () => {
    const one = aStripe(mongo, stripe);
    const source = await one.save({ decline: { decline_code: 'insufficient_funds' } });
    const request = one.request(source);
    const outcome = await one.open().charge(request);

    expect(outcome).toMatchObject({
      status: 'FAILED',
      failureCode: 'insufficient_funds',
      decline: 'SOFT',
    });
    const { providerMethodId } = source as { providerMethodId: string };
    Object.assign(one.account.cards.get(providerMethodId)!, { decline: undefined });
    stripe.forgetKeys();
    expect(await one.open().charge(request)).toEqual(outcome);
    expect(one.account.taken()).toEqual([]);
  });

  test('is closed at Stripe once it is declined, so that it cannot be paid later', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ decline: { decline_code: 'lost_card' } }));
    const isCancel = (call: string) => call.endsWith('/cancel');
    stripe.faultAt = (_number, call) => (isCancel(call) ? 'LOST' : undefined);
    await expect(one.open().charge(request)).rejects.toMatchObject({ kind: 'unavailable' });
    const [intent] = one.account.intents.values();
    expect(intent!.status).toBe('requires_payment_method');
    stripe.faultAt = () => undefined;

    expect(await one.open().findCharge(request)).toMatchObject({
      status: 'FAILED',
      failureCode: 'lost_card',
    });
    expect(intent!.status).toBe('canceled');
  });

  test('that succeeds before it can be closed is a success', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ decline: {} }));
    stripe.faultAt = (_number, call) => {
      const [intent] = one.account.intents.values();
      const paid = { status: 'succeeded', amount_received: 2900 };
      if (call.endsWith('/cancel')) Object.assign(intent!, paid);
      return undefined;
    };
    expect(await one.open().charge(request)).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('fails if Stripe no longer has the card, or not for a customer', async () => {
    const one = aStripe(mongo, stripe);
    const failed = { status: 'FAILED', failureCode: 'payment_method_unavailable', decline: 'HARD' };
    const gone = { kind: 'METHOD', providerMethodId: 'pm_gone' } as const;
    const detached = { kind: 'METHOD', providerMethodId: one.account.addCard({}, null) } as const;

    expect(await one.open().charge(one.request(gone))).toMatchObject(failed);
    expect(await one.open().charge(one.request(detached))).toMatchObject(failed);
  });

  test('fails if the amount is too small, or cannot be expressed exactly', async () => {
    const one = aStripe(mongo, stripe);
    const source = await one.save();
    const failed = { status: 'FAILED', failureCode: 'amount_not_supported', decline: 'PROVIDER' };

    expect(await one.open().charge(one.request(source, { amount: 49n }))).toMatchObject(failed);
    const before = stripe.requests.length;
    const inexact = one.request(source, { amount: 5124n, currency: 'KWD' });
    expect(await one.open().charge(inexact)).toMatchObject(failed);
    expect(stripe.requests).toHaveLength(before);
  });

  test('fails in a currency that Stripe does not know', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save(), { currency: 'KPW' });
    expect(await one.open().charge(request)).toMatchObject({
      status: 'FAILED',
      failureCode: 'currency_not_supported',
    });
  });

  test('sends whole króna with two digits', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save(), { amount: 2900n, currency: 'ISK' });
    expect(await one.open().charge(request)).toMatchObject({ status: 'SUCCEEDED' });
    expect(one.account.taken()).toEqual([290000]);
  });
});

describe("a card that needs its payer's confirmation", () => {
  test('fails if no payer is present', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ asksPayer: true }));
    expect(await one.open().charge(request)).toMatchObject({
      status: 'FAILED',
      failureCode: 'authentication_required',
      decline: 'SOFT',
    });
  });

  test('sends a payer to the page of the bank, and is charged after the confirmation', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ asksPayer: true }), { returnUrl });
    const waiting = await one.open().charge(request);
    expect(waiting).toMatchObject({
      status: 'REQUIRES_ACTION',
      redirectUrl: expect.stringContaining('3d_secure'),
    });
    const answer = { ...request, approved: undefined };
    expect(await one.open().continueCharge(answer)).toEqual(waiting);

    const { providerPaymentId } = waiting;
    one.account.answerChallenge(providerPaymentId!, true);
    const paid = { status: 'SUCCEEDED', providerPaymentId, amount: 2900n };
    expect(await one.open().continueCharge(answer)).toEqual(paid);
    expect(await one.open().cancelCharge(request)).toEqual(paid);
    expect(one.account.taken()).toEqual([2900]);
  });

  test.each([
    ['refuses', false, {}, 'authentication_required'],
    ['agrees and is declined', true, { decline: { decline_code: 'lost_card' } }, 'lost_card'],
  ])('fails if the payer %s', async (_case, isApproved, card, failureCode) => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ asksPayer: true, ...card }), { returnUrl });
    const waiting = await one.open().charge(request);
    one.account.answerChallenge(waiting.providerPaymentId!, isApproved);
    expect(await one.open().continueCharge({ ...request, approved: undefined })).toMatchObject({
      status: 'FAILED',
      failureCode,
    });
  });

  test('is never charged after a cancellation', async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save({ asksPayer: true }), { returnUrl });
    await one.open().charge(request);
    const ended = await one.open().cancelCharge(request);

    expect(ended).toMatchObject({ status: 'FAILED', failureCode: 'authentication_required' });
    expect(await one.open().cancelCharge(request)).toEqual(ended);
    expect(await one.open().charge(request)).toEqual(ended);
    expect(await one.open().findCharge(request)).toEqual(ended);
  });
});

test('a charge that was canceled before its request is never made', async () => {
  const one = aStripe(mongo, stripe);
  const request = one.request(await one.save());
  expect(await one.open().cancelCharge(request)).toMatchObject({ status: 'FAILED' });
  expect(await one.open().charge(request)).toMatchObject({ status: 'FAILED' });
  expect(one.account.taken()).toEqual([]);
});

describe('a card given on the page of Stripe', () => {
  const entryOf = (one: ReturnType<typeof aStripe>) => {
    const { cardEntry } = one.open();
    if (cardEntry.kind !== 'REDIRECT') throw new Error('not on a page');
    return cardEntry;
  };
  const begin = async (one: ReturnType<typeof aStripe>) => {
    const { customerId } = one;
    const url = await entryOf(one).begin({ customerId, returnUrl: `${returnUrl}?s={SETUP_ID}` });
    return url.split('/').at(-1)!;
  };

  test('is returned with the payer', async () => {
    const one = aStripe(mongo, stripe);
    const { customerId } = one;
    const setupId = await begin(one);
    expect(one.account.sessions.get(setupId)).toMatchObject({
      successUrl: `${returnUrl}?s={CHECKOUT_SESSION_ID}`,
      cancelUrl: `${returnUrl}?s=none`,
    });
    expect(await entryOf(one).finish({ customerId, setupId })).toBeUndefined();
    one.account.completeSession(setupId, { brand: 'amex', last4: '0005' });
    const method = await entryOf(one).finish({ customerId, setupId });
    const expiry = { month: 12, year: 2034 };
    expect(method).toMatchObject({ brand: 'amex', last4: '0005', expiry });
    expect(await entryOf(one).finish({ customerId, setupId })).toEqual(method);
  });

  test('belongs to one customer, and is absent if the payer returned without a card', async () => {
    const one = aStripe(mongo, stripe);
    const setupId = await begin(one);
    one.account.completeSession(setupId);
    const other = aStripe(mongo, stripe);
    await begin(other);

    expect(await entryOf(other).finish({ customerId: other.customerId, setupId })).toBeUndefined();
    for (const nothing of ['none', 'cs_test_unknown', '../customers']) {
      const entry = { customerId: one.customerId, setupId: nothing };
      expect(await entryOf(one).finish(entry)).toBeUndefined();
    }
  });

  test('can be given again after the customer was deleted at Stripe', async () => {
    const one = aStripe(mongo, stripe);
    const lost = one.request(await one.save());
    one.account.customers.clear();
    one.account.cards.clear();
    const kept = one.request(await one.save());
    expect(await one.open().charge(kept)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await one.open().charge(lost)).toMatchObject({
      failureCode: 'payment_method_unavailable',
    });
    expect(one.account.customers.size).toBe(1);
  });

  test('is saved to one customer at Stripe, however many pages are opened in parallel', async () => {
    const one = aStripe(mongo, stripe);
    const setups = await Promise.all(Array.from({ length: 8 }, () => begin(one)));
    const customers = setups.map((setupId) => one.account.sessions.get(setupId)!.customer);
    expect(new Set(customers).size).toBe(1);
  });
});

const now = new Date('2026-01-15T00:00:00.000Z');

describe('a refund', () => {
  test('returns its amount once, also after Stripe has dropped its key', async () => {
    const one = aStripe(mongo, stripe);
    const charge = one.request(await one.save());
    await one.open().charge(charge);
    const refund = { key: newId(), charge, amount: 900n, currency: charge.currency, now };
    const outcome = await one.open().refund(refund);
    expect(await one.open().refund(refund)).toEqual(outcome);
    stripe.forgetKeys();
    expect(await one.open().refund(refund)).toEqual(outcome);
    expect(one.account.taken()).toEqual([2000]);
  });

  test('in progress is told later, and those made at Stripe are listed', async () => {
    const one = aStripe(mongo, stripe);
    const charge = one.request(await one.save());
    await one.open().charge(charge);
    one.account.refundsAre = 'pending';
    const refund = { key: newId(), charge, amount: 900n, currency: charge.currency, now };
    expect(await one.open().findRefund(refund)).toBeUndefined();
    expect(await one.open().refund(refund)).toMatchObject({ status: 'PENDING' });
    const [sent] = one.account.refunds;
    Object.assign(sent!, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    const failed = {
      ...{ status: 'FAILED', failureCode: 'lost_or_stolen_card' },
      providerRefundId: sent!.id,
    };
    expect(await one.open().findRefund(refund)).toEqual(failed);
    one.account.refundsAre = 'succeeded';
    const { payment_intent } = sent!;
    const { id: providerRefundId } = one.account.refund({ payment_intent, amount: '100' });
    expect(await one.open().listRefunds(charge)).toEqual([
      {
        ...{ key: undefined, providerRefundId, amount: 100n },
        outcome: { status: 'SUCCEEDED', providerRefundId },
      },
      { key: refund.key, providerRefundId: sent!.id, amount: 900n, outcome: failed },
    ]);
    const tooMuch = { ...refund, key: newId(), amount: 1901n };
    expect(await one.open().refund(tooMuch)).toMatchObject({
      ...{ status: 'FAILED', providerRefundId: undefined },
    });
  });

  test('is refused if nothing was charged', async () => {
    const one = aStripe(mongo, stripe);
    const charge = one.request(await one.save({ decline: {} }));
    await one.open().charge(charge);
    const refund = { key: newId(), charge, amount: 1n, currency: charge.currency, now };
    await expect(one.open().refund(refund)).rejects.toThrow('No charge with key');
  });
});

describe('an unknown outcome', () => {
  test.each<[StripeFault, string]>([
    ['LOST', 'the connection breaks'],
    ['RATE_LIMITED', 'Stripe has too much to do'],
    ['BROKEN', 'Stripe fails'],
  ])('is a retryable error: %s, %s', async (fault) => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save());
    stripe.faultAt = (_request, call) => (call.startsWith('POST') ? fault : undefined);
    await expect(one.open().charge(request)).rejects.toMatchObject({ kind: 'unavailable' });
    stripe.faultAt = () => undefined;
    expect(await one.open().findCharge(request)).toBeUndefined();
    // Stripe would answer the same key with its stored failure for a day.
    expect(await one.open().charge(request)).toMatchObject({ status: 'SUCCEEDED' });
    expect(one.account.taken()).toEqual([2900]);
  });

  test("exposes Stripe's data neither to the log nor to the caller", async () => {
    const one = aStripe(mongo, stripe);
    const request = one.request(await one.save());
    stripe.faultAt = () => 'RATE_LIMITED';
    const error = await one
      .open()
      .charge(request)
      .then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
    expect(error!.message).toBe('Service unavailable');
    expect(String(error!.cause)).toMatch(/^Error: Stripe answered StripeRateLimitError 429/);
    expect((error!.cause as { raw?: unknown }).raw).toBeUndefined();
  });
});

test('20 racing charges under one key are one payment, with one outcome', async () => {
  const one = aStripe(mongo, stripe);
  const request = one.request(await one.save());
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => one.open().charge(request)));
  expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  expect(one.account.taken()).toEqual([2900]);
});

test('the expiry of a saved card is known as long as the card is', async () => {
  const one = aStripe(mongo, stripe);
  const expiry = { month: 3, year: 2031 };
  const source = await one.save({ expiry });
  const { providerMethodId } = source as { providerMethodId: string };
  expect(await one.open().expiryOf(providerMethodId)).toEqual(expiry);
  expect(await one.open().expiryOf('pm_unknown')).toBeUndefined();
});

test('a dispute is read as Stripe tells it', async () => {
  const one = aStripe(mongo, stripe);
  const dispute = {
    ...{ id: 'dp_1', payment_intent: 'pi_1', amount: 2900, currency: 'usd', reason: 'fraudulent' },
    ...{ status: 'needs_response', evidence_details: { due_by: 1_770_000_000 } },
  };
  one.account.disputes.set('dp_1', dispute);
  const find = (providerDisputeId: string) => one.open().findDispute({ providerDisputeId });
  expect(await find('dp_1')).toEqual({
    ...{ providerDisputeId: 'dp_1', providerPaymentId: 'pi_1', amount: 2900n },
    ...{ reason: 'fraudulent', status: 'OPEN', evidenceDueBy: new Date(1_770_000_000_000) },
  });
  one.account.disputes.set('dp_1', { ...dispute, status: 'lost' });
  expect(await find('dp_1')).toMatchObject({ status: 'LOST' });
  expect(await find('dp_2')).toBeUndefined();
});
