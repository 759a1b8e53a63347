import { systemClock } from '@billing/chassis/clock';
import type { CallContext } from '@billing/chassis/call-context';
import { createLogger } from '@billing/chassis/logging';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually, testContext } from '@billing/chassis/testing';
import { parseCurrency } from '@billing/kernel/currency';
import {
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { DisputeStatus } from '@billing/proto/billing/checkout/v1/refund';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { adjustmentOf } from '../../balance/balance';
import { balancesOn } from '../../testing/balance';
import { aRequest, type RunningCheckout, startCheckout } from '../../testing/rpc';
import { Shop } from '../../testing/shop-rpc';
import type { TestCard } from '../../testing/stripe-account';
import { signedNotice, TestStripe } from '../../testing/stripe-provider';

const secret = 'whsec_of_the_tests';
const returnUrl = 'https://pay.example/back?setup={SETUP_ID}';
const logger = createLogger({ service: 'test', level: 'silent' });
let stripe: TestStripe;
let running: RunningCheckout;
let checkout: RunningCheckout['checkout'];
let payments: RunningCheckout['payments'];

// Only customers are asked for.
const shop = new Shop();

beforeAll(async () => {
  stripe = await TestStripe.start();
  const settings = {
    CUSTOMER_ADDRESS: await shop.start(),
    STRIPE_SECRET_KEY: 'sk_test_secret',
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_URL: stripe.url,
  };
  running = await startCheckout(systemClock, settings, { logger });
  ({ checkout, payments } = running);
});

afterEach(() => {
  stripe.faultAt = () => undefined;
});

afterAll(async () => {
  await running.stop();
  await stripe.close();
  await shop.stop();
});

const live = () => testContext({ tenant: { live: true } });

async function enterCard(customerId: string, card: TestCard, context: CallContext) {
  const { redirectUrl } = await payments.beginCardEntry({ customerId, returnUrl }, context);
  const setupId = redirectUrl?.split('/').at(-1) ?? '';
  stripe.account.completeSession(setupId, card);
  return payments.finishCardEntry({ customerId, setupId }, context);
}

/** An open invoice, and a card of its customer. */
async function anInvoice(card: TestCard, context: CallContext) {
  const request = aRequest();
  const { customerId: id } = request;
  shop.customers.set(id, Customer.fromPartial({ id }));
  await checkout.createInvoice(request, context);
  const { paymentMethodId } = await enterCard(request.customerId, card, context);
  return { ...request, paymentMethodId };
}

function pay(
  { invoiceId, paymentMethodId }: { invoiceId: string; paymentMethodId: string },
  context: CallContext,
) {
  const source = { $case: 'paymentMethodId', value: paymentMethodId } as const;
  return payments.payInvoice({ id: invoiceId, source, returnUrl }, context);
}

function announce(type: string, intentId: string) {
  const object = stripe.account.intents.get(intentId);
  const notice = signedNotice({ type, object }, { secret, at: systemClock.now() });
  return payments.receiveProviderEvent({ provider: 'stripe', ...notice }, testContext());
}

async function read(id: string, context: CallContext): Promise<Invoice> {
  return (await checkout.getInvoice({ id }, context)).invoice!;
}

function paidBy(invoiceId: string): number[] {
  const ours = [...stripe.account.intents.values()].filter(
    ({ metadata }) => metadata.billing_invoice_id === invoiceId,
  );
  const ids = new Set(ours.map(({ id }) => id));
  return stripe.account.payments
    .filter(({ intent }) => ids.has(intent))
    .map(({ amount }) => amount);
}

const { INVOICE_STATUS_OPEN: open, INVOICE_STATUS_PAID: paid } = InvoiceStatus;

// These two count the requests, and run before a test whose payment still saves its card later.
test('a sandbox in the same installation never reaches Stripe', async () => {
  const before = stripe.requests.length;
  const request = aRequest({ authorizedTransactionId: 'txn_4242424242424242' });
  const context = testContext();
  await checkout.createInvoice(request, context);
  await running.subscription.first(request.subscriptionId);
  expect((await read(request.invoiceId, context)).payments).toMatchObject([
    { provider: 'sandbox' },
  ]);
  expect(stripe.requests).toHaveLength(before);
});

test('a request for the kind of card entry creates nothing at Stripe', async () => {
  const before = stripe.requests.length;
  const entry = await payments.beginCardEntry({ customerId: newId(), returnUrl: '' }, live());

  expect(entry).toEqual({ redirectUrl: undefined, testCards: false, providerPage: true });
  expect(stripe.requests).toHaveLength(before);
});

test('a live invoice captures the authorized payment and reports to the subscription', async () => {
  const context = live();
  const authorizedTransactionId = stripe.account.addAuthorization({ amount: 2900 });
  const request = aRequest({ authorizedTransactionId });
  await checkout.createInvoice(request, context);
  const result = await running.subscription.first(request.subscriptionId);

  expect(result.outcome).toBe(CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED);
  const invoice = await read(request.invoiceId, context);
  expect(invoice.status).toBe(paid);
  expect(invoice.payments).toMatchObject([
    { provider: 'stripe', providerPaymentId: authorizedTransactionId, amount: 2900n },
  ]);
});

test.each(['requires_capture', 'succeeded'] as const)(
  'an authorized payment (%s) pays the total, and the balance stays for the next invoice',
  async (status) => {
    const context = live();
    const before = stripe.account.payments.length;
    const authorizedTransactionId = stripe.account.addAuthorization({ amount: 2900, status });
    const request = aRequest({ authorizedTransactionId });
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = running.configuration;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    const { balances } = balancesOn(mongo.db);
    const owner = { customerId: request.customerId, currency: parseCurrency(request.currency) };
    try {
      const posting = { id: newId(), kind: 'ADJUSTMENT' } as const;
      await balances.post(owner, posting, { amountOf: adjustmentOf(1_000n), context });
      await checkout.createInvoice(request, context);
      await running.subscription.first(request.subscriptionId);

      expect(await read(request.invoiceId, context)).toMatchObject({
        status: paid,
        balanceApplied: 0n,
        payments: [{ providerPaymentId: authorizedTransactionId, amount: 2900n }],
      });
      expect(stripe.account.payments.slice(before)).toMatchObject([
        { intent: authorizedTransactionId, amount: 2900 },
      ]);
      expect(await balances.amountOf(owner, context)).toBe(1_000n);
    } finally {
      await mongo.close();
    }
  },
);

test('a card typed into our own form is refused', async () => {
  const card = { number: '4242424242424242', expiry: '12/60', code: '123', name: undefined };
  await expect(
    payments.savePaymentMethod({ customerId: newId(), card }, live()),
  ).rejects.toMatchObject({ reason: 'CARD_ENTRY_ELSEWHERE' });
});

test('a payer who returns without a card has not finished', async () => {
  const context = live();
  const customerId = newId();
  await payments.beginCardEntry({ customerId, returnUrl }, context);
  const back = payments.finishCardEntry({ customerId, setupId: 'none' }, context);
  await expect(back).rejects.toMatchObject({ reason: 'CARD_ENTRY_UNFINISHED' });
});

test('a card given on the page of Stripe pays, and pays the next invoice automatically', async () => {
  const context = live();
  const invoice = await anInvoice({}, context);
  expect((await pay(invoice, context)).invoice?.status).toBe(paid);
  // It becomes the customer's default a moment after it has paid.
  const next = await eventually(async () => {
    const request = aRequest({ customerId: invoice.customerId });
    const { collecting } = await checkout.createInvoice(request, context);
    expect(collecting).toBe(true);
    return request;
  });
  await running.subscription.first(next.subscriptionId);
  expect((await read(next.invoiceId, context)).status).toBe(paid);
  expect([...paidBy(invoice.invoiceId), ...paidBy(next.invoiceId)]).toEqual([2900, 2900]);
});

test("a payer who confirms at the bank and never returns has paid once Stripe's event arrives", async () => {
  const context = live();
  const invoice = await anInvoice({ asksPayer: true }, context);
  const { action } = await pay(invoice, context);
  const intentId = action?.redirectUrl?.split('/').at(-1) ?? '';
  await announce('payment_intent.requires_action', intentId);
  expect((await read(invoice.invoiceId, context)).status).toBe(open);

  stripe.account.answerChallenge(intentId, true);
  await announce('payment_intent.succeeded', intentId);
  await announce('payment_intent.succeeded', intentId);
  const { status, payments: made } = await read(invoice.invoiceId, context);
  expect({ status, made: made.map((payment) => payment.status) }).toEqual({
    status: paid,
    made: [PaymentStatus.PAYMENT_STATUS_SUCCEEDED],
  });
  expect(paidBy(invoice.invoiceId)).toEqual([2900]);
});

test("a payer who refuses at the bank has failed once Stripe's event arrives", async () => {
  const context = live();
  const invoice = await anInvoice({ asksPayer: true }, context);
  const { action } = await pay(invoice, context);
  const intentId = action?.redirectUrl?.split('/').at(-1) ?? '';
  stripe.account.answerChallenge(intentId, false);
  await announce('payment_intent.payment_failed', intentId);
  expect((await read(invoice.invoiceId, context)).payments).toMatchObject([
    { status: PaymentStatus.PAYMENT_STATUS_FAILED, failureCode: 'authentication_required' },
  ]);
});

test('money taken for a payment that failed here raises an alarm', async () => {
  const alarm = jest.spyOn(logger, 'error');
  const context = live();
  const invoice = await anInvoice({ decline: {} }, context);
  const { invoice: failed } = await pay(invoice, context);
  const { providerPaymentId = '' } = failed!.payments[0]!;
  await announce('payment_intent.canceled', providerPaymentId);
  const before = alarm.mock.calls.length;
  await announce('payment_intent.succeeded', providerPaymentId);

  expect(before).toBe(0);
  expect(alarm).toHaveBeenCalledWith(
    expect.objectContaining({
      alarm: 'provider_report',
      kind: 'CONTRADICTION',
      invoiceId: invoice.invoiceId,
      providerPaymentId,
    }),
    expect.stringContaining('unexpected payment'),
  );
});

test('a refund and a dispute at the provider are recorded on the invoice, each once', async () => {
  const context = live();
  const invoice = await anInvoice({}, context);
  const { invoice: charged } = await pay(invoice, context);
  const { providerPaymentId = '' } = charged!.payments[0]!;
  const report = (type: string, object: object) => {
    const charge = { payment_intent: providerPaymentId, currency: 'usd', ...object };
    const notice = signedNotice(
      { id: `${providerPaymentId}:${type}`, type, object: charge },
      { secret, at: systemClock.now() },
    );
    const event = { provider: 'stripe', ...notice };
    return [event, event].reduce(
      (before, each) =>
        before.then(async () => {
          await payments.receiveProviderEvent(each, testContext());
        }),
      Promise.resolve(),
    );
  };
  stripe.account.refund({ payment_intent: providerPaymentId, amount: '900' });
  const dispute = {
    ...{ id: 'dp_made', payment_intent: providerPaymentId, amount: 2900, currency: 'usd' },
    ...{ reason: 'fraudulent', status: 'needs_response', evidence_details: { due_by: null } },
  };
  stripe.account.disputes.set(dispute.id, dispute);
  await report('charge.refunded', { object: 'charge', amount_refunded: 900, status: 'succeeded' });
  await report('charge.dispute.created', {
    object: 'dispute',
    id: dispute.id,
    amount: 2900,
    status: 'needs_response',
  });

  const { reports } = await payments.listProviderReports({ invoiceId: invoice.invoiceId }, context);
  expect(reports.map(({ kind, amount, status }) => [kind, amount, status])).toEqual([
    ['REFUND', 900n, 'refunded'],
    ['DISPUTE', 2900n, 'needs_response'],
  ]);
  const { invoice: told } = await checkout.getInvoice({ id: invoice.invoiceId }, context);
  expect(told).toMatchObject({ amountRefunded: 900n, payments: [{ amountRefunded: 900n }] });
  const disputeId = told?.payments[0]?.disputeId;
  expect(disputeId).toEqual(expect.any(String));

  stripe.account.disputes.set(dispute.id, { ...dispute, status: 'lost' });
  const closed = { object: 'dispute', id: dispute.id, amount: 2900, status: 'lost' };
  await report('charge.dispute.closed', closed);
  const found = await running.refunds.getDispute({ id: disputeId ?? '' }, context);
  expect(found.dispute).toMatchObject({
    status: DisputeStatus.DISPUTE_STATUS_LOST,
    closedAt: expect.any(Date),
  });
});

test('a payment that succeeds after it was recorded as failed settles its invoice', async () => {
  const context = live();
  const invoice = await anInvoice({ decline: {} }, context);
  const { invoice: failed } = await pay(invoice, context);
  const { providerPaymentId = '' } = failed!.payments[0]!;
  stripe.account.succeedLate(providerPaymentId);
  await announce('payment_intent.succeeded', providerPaymentId);
  await announce('payment_intent.succeeded', providerPaymentId);

  expect(await read(invoice.invoiceId, context)).toMatchObject({
    status: paid,
    lastPaymentError: undefined,
    payments: [{ providerPaymentId, status: PaymentStatus.PAYMENT_STATUS_SUCCEEDED }],
  });
  expect(paidBy(invoice.invoiceId)).toEqual([2900]);
});

test('a payment that succeeds after its invoice is void goes to the balance', async () => {
  const context = live();
  const invoice = await anInvoice({ decline: {} }, context);
  const { invoice: failed } = await pay(invoice, context);
  const { providerPaymentId = '' } = failed!.payments[0]!;
  await checkout.voidInvoice({ id: invoice.invoiceId }, context);
  stripe.account.succeedLate(providerPaymentId);
  await announce('payment_intent.succeeded', providerPaymentId);
  await announce('payment_intent.succeeded', providerPaymentId);

  const { payments: kept, ...voided } = await read(invoice.invoiceId, context);
  expect(voided).toMatchObject({ status: InvoiceStatus.INVOICE_STATUS_VOID, amountPaid: 0n });
  const { PAYMENT_STATUS_SUCCEEDED: success } = PaymentStatus;
  expect(kept).toMatchObject([{ status: success, amount: 2900n, overpayment: 2900n }]);
  const { customerId } = invoice;
  await eventually(async () => {
    const { balances } = await running.balances.listBalances(
      { customerId, currency: undefined, page: 1, perPage: 10 },
      context,
    );
    expect(balances).toMatchObject([{ balance: 2900n }]);
  });
  const { reports } = await payments.listProviderReports({ invoiceId: invoice.invoiceId }, context);
  expect(reports).toEqual([]);
});

test("a charge whose answer was lost is found again with Stripe's event", async () => {
  const context = live();
  const invoice = await anInvoice({}, context);
  let isDown = false;
  stripe.faultAt = (_number, call) => {
    if (isDown) return 'LOST';
    isDown = call.endsWith('/confirm');
    return isDown ? 'ANSWER_LOST' : undefined;
  };
  expect((await pay(invoice, context)).invoice?.payments).toMatchObject([
    { status: PaymentStatus.PAYMENT_STATUS_PENDING },
  ]);
  stripe.faultAt = () => undefined;
  const { intent } = stripe.account.payments.at(-1)!;
  await announce('payment_intent.succeeded', intent);
  await eventually(async () => {
    expect((await read(invoice.invoiceId, context)).status).toBe(paid);
  });
  expect(paidBy(invoice.invoiceId)).toEqual([2900]);
});

describe('an event', () => {
  const object = {
    metadata: {
      billing_organization_id: newId(),
      billing_environment_id: newId(),
      billing_invoice_id: newId(),
    },
  };

  test('about an unknown invoice is acknowledged and ignored', async () => {
    const notice = signedNotice(
      { type: 'payment_intent.succeeded', object },
      { secret, at: systemClock.now() },
    );
    const received = { provider: 'stripe', ...notice };
    expect(await payments.receiveProviderEvent(received, testContext())).toEqual({});
  });

  test('with an invalid signature is refused', async () => {
    const notice = signedNotice(
      { type: 'payment_intent.succeeded', object },
      { secret: 'whsec_of_somebody', at: systemClock.now() },
    );
    await expect(
      payments.receiveProviderEvent({ provider: 'stripe', ...notice }, testContext()),
    ).rejects.toMatchObject({ kind: 'permission', reason: 'BAD_SIGNATURE' });
  });
});
