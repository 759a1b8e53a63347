import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
  type CreateInvoiceRequest,
  InvoiceStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { connectStripe } from '../provider/stripe/client';
import { StripeCharges } from '../provider/stripe/charges';
import { aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';
import { TestStripe } from '../testing/stripe-provider';
import { UnmatchedChargeStore } from './unmatched-charge-store';

const logger = createLogger({ service: 'test', level: 'silent' });
let stripe: TestStripe;
let running: RunningCheckout;
let mongo: MongoConnection;
let peer: Peer<CheckoutServiceServer>;

beforeAll(async () => {
  stripe = await TestStripe.start();
  const settings = { STRIPE_SECRET_KEY: 'sk_test_secret', STRIPE_API_URL: stripe.url };
  running = await startCheckout(systemClock, settings, { logger });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = running.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  peer = connectPeer(CheckoutServiceService, {
    address: running.address,
    service: 'test',
    fromService: true,
  });
});

afterAll(async () => {
  peer.close();
  await mongo.close();
  await running.stop();
  await stripe.close();
});

beforeEach(async () => {
  await mongo.db.collection('unmatchedCharges').deleteMany({});
});

const live = () => testContext({ tenant: { live: true } });
const recover = (after: Parameters<typeof recoverInTest>[2] = {}) =>
  recoverInTest(running.configuration, ['reassert', 'provider', 'catchUp', 'match'], after);

/** An invoice that captured an authorized payment. */
async function aPaidInvoice(context: CallContext, { amount = 2900 } = {}) {
  const authorizedTransactionId = stripe.account.addAuthorization({ amount });
  const request = aRequest({ authorizedTransactionId });
  await running.checkout.createInvoice(request, context);
  await running.subscription.first(request.subscriptionId);
  return { request, authorizedTransactionId };
}

/** Puts the database back to before an invoice and its charge. */
async function forget({ invoiceId }: CreateInvoiceRequest, context: CallContext): Promise<void> {
  const { db } = mongo;
  const { environmentId } = context.tenant;
  await db.collection('invoices').deleteMany({ _id: invoiceId as never });
  await db.collection('stripePayments').deleteMany({ environmentId });
  await db.collection('keyClaims').deleteMany({ environmentId });
  // Stripe's library would otherwise get the stored answer.
  stripe.forgetKeys();
}

/** Puts an invoice back to before its charge. */
async function losePayment({ invoiceId }: CreateInvoiceRequest): Promise<void> {
  const back = { status: 'OPEN', payments: [], paidAt: null, resultsSent: 0, results: [] };
  await mongo.db
    .collection('invoices')
    .updateOne({ _id: invoiceId as never }, { $set: { ...back, version: 50 } });
}

const statusOf = async (id: string, context: CallContext) =>
  (await running.checkout.getInvoice({ id }, context)).invoice?.status;
const unmatched = () => mongo.db.collection('unmatchedCharges').find().toArray();
const storedInvoice = ({ invoiceId }: CreateInvoiceRequest) =>
  mongo.db.collection('invoices').findOne({ _id: invoiceId as never });
const disputesOf = async (request: CreateInvoiceRequest) =>
  (await storedInvoice(request))?.['disputes'];
const reportsOf = ({ invoiceId }: CreateInvoiceRequest) =>
  mongo.db.collection('providerReports').find({ invoiceId }).sort({ receivedAt: 1 }).toArray();

/** Dispute of a payment, as Stripe has it. */
const disputeOf = (payment: string) => ({
  ...{ id: `dp_${payment}`, payment_intent: payment, amount: 2900, currency: 'usd' },
  ...{ reason: 'fraudulent', status: 'needs_response', evidence_details: { due_by: null } },
  created: Math.floor(Date.now() / 1_000),
});

/** Number of charges at Stripe for an invoice. */
const chargesOf = ({ invoiceId }: CreateInvoiceRequest) =>
  stripe.account.payments.filter(
    ({ intent }) =>
      stripe.account.intents.get(intent)?.metadata['billing_invoice_id'] === invoiceId,
  ).length;

describe('after a restore', () => {
  test('an invoice that is created again takes the charge that the provider has, and no other', async () => {
    const context = live();
    const { request } = await aPaidInvoice(context);
    // The environment has others, so it is known to be one of ours.
    await aPaidInvoice(context);
    await forget(request, context);
    const again = async () => {
      await peer.createInvoice(request, context);
      expect(await statusIn(request.invoiceId)).toBe('OPEN');
      expect(chargesOf(request)).toBe(1);
    };
    const { provider, match } = await recover({ after: { reassert: again } });
    expect(provider).toMatchObject({ recorded: 1 });
    expect(match).toMatchObject({ unmatched: 0 });
    expect(await statusOf(request.invoiceId, context)).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
    expect(chargesOf(request)).toBe(1);
  });

  test('the captured part of an authorization pays the invoice that is created again', async () => {
    const context = live();
    const { request } = await aPaidInvoice(context, { amount: 5000 });
    await aPaidInvoice(context);
    await forget(request, context);
    const again = async () => {
      await peer.createInvoice(request, context);
    };
    await recover({ after: { reassert: again } });
    const { invoice } = await running.checkout.getInvoice({ id: request.invoiceId }, context);
    expect(invoice?.status).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
    expect(invoice?.payments).toMatchObject([{ amount: 2900n, overpayment: 0n }]);
    expect(chargesOf(request)).toBe(1);
  });

  test('a charge that the provider cannot show is listed, and the others are recorded', async () => {
    const context = live();
    const faulty = await aPaidInvoice(context);
    const other = await aPaidInvoice(context);
    await losePayment(faulty.request);
    await losePayment(other.request);
    const call = `GET /v1/payment_intents/${faulty.authorizedTransactionId}`;
    stripe.faultAt = (_, made) => (made === call ? 'BROKEN' : undefined);
    await recover();
    expect(await statusOf(other.request.invoiceId, context)).toBe(
      InvoiceStatus.INVOICE_STATUS_PAID,
    );
    expect(await unmatched()).toContainEqual(
      expect.objectContaining({
        providerPaymentId: faulty.authorizedTransactionId,
        finding: expect.stringContaining('could not be compared'),
      }),
    );
    stripe.faultAt = () => undefined;
    await recover();
    expect(await statusOf(faulty.request.invoiceId, context)).toBe(
      InvoiceStatus.INVOICE_STATUS_PAID,
    );
  });

  test('a charge of an environment that checkout does not know is listed, and stays untouched', async () => {
    const environmentId = newId();
    const id = stripe.account.addAuthorization({ amount: 2900, status: 'succeeded' });
    Object.assign(stripe.account.intents.get(id)!.metadata, {
      billing_environment_id: environmentId,
      billing_invoice_id: 'other',
      billing_key: 'other:1',
    });
    await recover();
    for (const name of ['stripePayments', 'keyClaims']) {
      expect(await mongo.db.collection(name).countDocuments({ environmentId })).toBe(0);
    }
    const listed = (await unmatched()).filter((one) => one['environmentId'] === environmentId);
    expect(listed).toMatchObject([{ providerPaymentId: id, amount: 2900n }]);
    expect(listed[0]).not.toHaveProperty('finding');
    stripe.account.intents.delete(id);
  });

  test('disputes and returned refunds that the database does not have are recorded and reported', async () => {
    const context = live();
    const { request, authorizedTransactionId: id } = await aPaidInvoice(context);
    const refunded = await aPaidInvoice(context);
    const refund = stripe.account.refund({ payment_intent: refunded.authorizedTransactionId });
    const refundsIn = async () => (await storedInvoice(refunded.request))?.['refunds'];
    // Of an earlier month, so that no list of charges has it.
    stripe.account.intents.get(id)!.created -= 30 * 24 * 3_600;
    const dispute = disputeOf(id);
    stripe.account.disputes.set(dispute.id, dispute);
    const { provider } = await recover();
    expect(provider).toMatchObject({ disputed: 1 });
    expect(await disputesOf(request)).toMatchObject([
      { providerDisputeId: dispute.id, status: 'OPEN' },
    ]);
    const reported = { kind: 'DISPUTE', providerPaymentId: id, status: 'OPEN' };
    expect(await reportsOf(request)).toMatchObject([reported]);
    expect(await refundsIn()).toMatchObject([{ status: 'SUCCEEDED' }]);

    // The dispute is decided, and the refund returned, weeks after they began.
    const lost = { status: 'lost', created: dispute.created - 20 * 24 * 3_600 };
    stripe.account.disputes.set(dispute.id, { ...dispute, ...lost });
    refund.created -= 7 * 24 * 3_600;
    Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
    await recover();
    expect(await disputesOf(request)).toMatchObject([{ status: 'LOST' }]);
    expect(await reportsOf(request)).toMatchObject([reported, { ...reported, status: 'LOST' }]);
    expect(await refundsIn()).toMatchObject([{ status: 'FAILED' }]);
    stripe.account.disputes.clear();
  });

  test('a dispute that the provider cannot show is counted, and holds up no other', async () => {
    const context = live();
    const broken = disputeOf((await aPaidInvoice(context)).authorizedTransactionId);
    const { request, authorizedTransactionId } = await aPaidInvoice(context);
    const other = disputeOf(authorizedTransactionId);
    for (const one of [broken, other]) stripe.account.disputes.set(one.id, one);
    const call = `GET /v1/disputes/${broken.id}`;
    stripe.faultAt = (_, made) => (made === call ? 'BROKEN' : undefined);
    const { match } = await recover();
    stripe.faultAt = () => undefined;
    expect(match).toMatchObject({ disputed: 2, disputesLeft: 1 });
    expect(await disputesOf(request)).toMatchObject([{ status: 'OPEN' }]);
    stripe.account.disputes.clear();
  });

  test('a listed charge is counted until the provider has refunded all of it', async () => {
    const context = live();
    const { request, authorizedTransactionId: id } = await aPaidInvoice(context);
    await aPaidInvoice(context);
    await forget(request, context);
    await recover();
    const store = new UnmatchedChargeStore(mongo.db, systemClock);
    const provider = new StripeCharges(
      connectStripe({ secretKey: 'sk_test_secret', apiUrl: stripe.url }),
      () => ({ claimPayment: () => Promise.resolve(undefined) }),
    );
    const look = async () => {
      await store.recordReturns((payment) => provider.isReturned(payment));
      return store.countUnreturned();
    };
    expect(await look()).toBe(1);
    stripe.account.refund({ payment_intent: id, amount: '900' });
    expect(await look()).toBe(1);
    stripe.account.refund({ payment_intent: id });
    expect(await look()).toBe(0);
    stripe.account.intents.delete(id);
  });

  test('a listed charge that the provider cannot show does not hold up the refunds of others', async () => {
    const charge = (id: string) => ({ _id: id, providerPaymentId: id, createdAt: new Date() });
    const listed = ['pi_first', 'pi_broken', 'pi_last'].map(charge);
    await mongo.db.collection('unmatchedCharges').insertMany(listed as object[]);
    const store = new UnmatchedChargeStore(mongo.db, systemClock);
    const looked = store.recordReturns((id) =>
      id === 'pi_broken' ? Promise.reject(new Error('broken')) : Promise.resolve(true),
    );
    await expect(looked).rejects.toThrow('broken');
    expect(await store.countUnreturned()).toBe(1);
  });

  test('a new charge waits for the opening', async () => {
    const context = live();
    const authorizedTransactionId = stripe.account.addAuthorization({ amount: 2900 });
    const request = aRequest({ authorizedTransactionId });
    const create = async () => {
      await peer.createInvoice(request, context);
    };
    const expectNone = async () => {
      expect(await statusIn(request.invoiceId)).toBe('OPEN');
      expect(chargesOf(request)).toBe(0);
    };
    await recover({ after: { reassert: create, match: expectNone } });
    expect.assertions(2);
  });

  test('a charge without its invoice, or on one that owes another amount, is listed', async () => {
    const context = live();
    await aPaidInvoice(context);
    const lost = await aPaidInvoice(context);
    const other = await aPaidInvoice(context);
    await forget(lost.request, context);
    await mongo.db
      .collection('invoices')
      .updateOne(
        { _id: other.request.invoiceId as never },
        { $set: { status: 'OPEN', payments: [], balanceApplied: 100n, version: 50 } },
      );
    await recover();
    const listed = await unmatched();
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ providerPaymentId: lost.authorizedTransactionId }),
        expect.objectContaining({
          providerPaymentId: other.authorizedTransactionId,
          finding: 'The invoice owes another amount',
        }),
      ]),
    );
  });

  test('a charge that the invoice does not know is recorded on it', async () => {
    const context = live();
    const { request } = await aPaidInvoice(context);
    const paidBy = new Date();
    await losePayment(request);
    await recover();
    const { invoice } = await running.checkout.getInvoice({ id: request.invoiceId }, context);
    expect(invoice?.status).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
    // At the time of the charge, from which a session's invoice has its first period.
    expect(invoice?.paidAt?.getTime()).toBeLessThanOrEqual(paidBy.getTime());
    expect(chargesOf(request)).toBe(1);
  });

  test('results are sent again in their order, and one that is too early is left to the relay', async () => {
    const { subscription, checkout } = running;
    const context = testContext();
    const request = aRequest({ authorizedTransactionId: 'txn_4000000000000002' });
    await checkout.createInvoice(request, context);
    const { subscriptionId } = request;
    const [first] = await subscription.results(subscriptionId, 1);
    const early = new DomainError('unavailable', 'RESULT_TOO_EARLY', 'Service unavailable');
    // More than the transport retries.
    subscription.refuse(subscriptionId, ...Array.from({ length: 8 }, () => early));
    const { reassert } = await recover();
    expect(reassert).toMatchObject({ resultsPostponed: 1 });
    const [, again] = await subscription.results(subscriptionId, 2);
    const { resultNumber, outcome, attempt, nextAttemptAt } = first!;
    expect(again).toMatchObject({ resultNumber, outcome, attempt, nextAttemptAt });
  });

  test('the state of an unharmed system stays as it is', async () => {
    const all = () => mongo.db.collection('invoices').find().sort({ _id: 1 }).toArray();
    await recover();
    const before = await all();
    await recover();
    expect(await all()).toEqual(before);
  });
});

async function statusIn(invoiceId: string): Promise<unknown> {
  const found = await mongo.db.collection('invoices').findOne({ _id: invoiceId as never });
  return found?.['status'];
}
