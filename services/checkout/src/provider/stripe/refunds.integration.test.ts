import { systemClock } from '@billing/chassis/clock';
import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import {
  type CreditNote,
  CreditNoteReason,
  CreditNoteSettlement,
} from '@billing/proto/billing/checkout/v1/credit_note';
import { RefundStatus } from '@billing/proto/billing/checkout/v1/refund';
import { aRequest, type RunningCheckout, startCheckout } from '../../testing/rpc';
import { signedNotice, TestStripe } from '../../testing/stripe-provider';

const secret = 'whsec_of_the_tests';
const returnUrl = 'https://pay.example/back?setup={SETUP_ID}';
const {
  REFUND_STATUS_SUCCEEDED: succeeded,
  REFUND_STATUS_PENDING: pending,
  REFUND_STATUS_FAILED: failed,
} = RefundStatus;
let stripe: TestStripe;
let running: RunningCheckout;

beforeAll(async () => {
  stripe = await TestStripe.start();
  running = await startCheckout(systemClock, {
    STRIPE_SECRET_KEY: 'sk_test_secret',
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_URL: stripe.url,
  });
});

afterEach(() => {
  stripe.account.refundsAre = 'succeeded';
});

afterAll(async () => {
  await running.stop();
  await stripe.close();
});

/** An invoice of 29.00 USD that was paid by card. */
async function aCharge(context: CallContext) {
  const { checkout, payments } = running;
  const request = aRequest();
  const { invoiceId, customerId } = request;
  await checkout.createInvoice(request, context);
  const { redirectUrl } = await payments.beginCardEntry({ customerId, returnUrl }, context);
  const setupId = redirectUrl?.split('/').at(-1) ?? '';
  stripe.account.completeSession(setupId, {});
  const { paymentMethodId } = await payments.finishCardEntry({ customerId, setupId }, context);
  const source = { $case: 'paymentMethodId', value: paymentMethodId } as const;
  const { invoice } = await payments.payInvoice({ id: invoiceId, source, returnUrl }, context);
  return { invoiceId, paymentIntent: invoice?.payments[0]?.providerPaymentId ?? '' };
}

async function refunded(
  invoiceId: string,
  amount: bigint,
  context: CallContext,
): Promise<CreditNote> {
  const { creditNote } = await running.creditNotes.createCreditNote(
    {
      ...{ invoiceId, amount, lines: [], memo: undefined, metadata: undefined },
      reason: CreditNoteReason.CREDIT_NOTE_REASON_OTHER,
      settle: CreditNoteSettlement.CREDIT_NOTE_SETTLEMENT_REFUND,
    },
    context,
  );
  if (creditNote === undefined) throw new Error('The call returns its credit note');
  return creditNote;
}

async function announce(type: string, object: object): Promise<void> {
  const notice = signedNotice(
    { id: `evt_${type}_${String((announced += 1))}`, type, object },
    { secret, at: systemClock.now() },
  );
  await running.payments.receiveProviderEvent({ provider: 'stripe', ...notice }, testContext());
}
let announced = 0;

async function statusesOf(invoiceId: string, context: CallContext): Promise<RefundStatus[]> {
  const filter = { customerId: undefined, paymentId: undefined, status: undefined };
  const page = { page: 1, perPage: 10 };
  const { refunds } = await running.refunds.listRefunds({ ...filter, ...page, invoiceId }, context);
  return refunds.map(({ status }) => status);
}

async function reportedAmounts(invoiceId: string, context: CallContext): Promise<bigint[]> {
  const { reports } = await running.payments.listProviderReports({ invoiceId }, context);
  return reports.map(({ amount }) => amount);
}

const live = () => testContext({ tenant: { live: true } });

test('a refund that a bank returns after its success has failed', async () => {
  const context = live();
  const { invoiceId } = await aCharge(context);
  await refunded(invoiceId, 900n, context);
  expect(await statusesOf(invoiceId, context)).toEqual([succeeded]);
  const [sent] = stripe.account.refunds;
  Object.assign(sent!, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
  await announce('refund.failed', sent!);

  expect(await statusesOf(invoiceId, context)).toEqual([failed]);
  const { invoice } = await running.checkout.getInvoice({ id: invoiceId }, context);
  expect(invoice).toMatchObject({ amountRefunded: 0n });
  expect(await reportedAmounts(invoiceId, context)).toEqual([]);
});

test("a refund in progress ends with the provider's event", async () => {
  const context = live();
  const { invoiceId } = await aCharge(context);
  stripe.account.refundsAre = 'pending';
  await refunded(invoiceId, 900n, context);
  expect(await statusesOf(invoiceId, context)).toEqual([pending]);
  const [sent] = stripe.account.refunds;
  sent!.status = 'succeeded';
  await announce('refund.updated', sent!);
  expect(await statusesOf(invoiceId, context)).toEqual([succeeded]);
});

test('a refund made at the provider is reported although one of ours has failed', async () => {
  const context = live();
  const { invoiceId, paymentIntent } = await aCharge(context);
  stripe.account.refundsAre = 'failed';
  await refunded(invoiceId, 900n, context);
  expect(await statusesOf(invoiceId, context)).toEqual([failed]);
  stripe.account.refundsAre = 'succeeded';
  const { id } = stripe.account.refund({ payment_intent: paymentIntent, amount: '900' });
  const charge = { object: 'charge', id: 'ch', payment_intent: paymentIntent, currency: 'usd' };
  await announce('charge.refunded', { ...charge, amount_refunded: 900 });

  expect(await reportedAmounts(invoiceId, context)).toEqual([900n]);
  expect(stripe.account.refunds.map((refund) => refund.id)).toContain(id);
});

test('a refund that was asked for is not reported', async () => {
  const context = live();
  const { invoiceId, paymentIntent } = await aCharge(context);
  await refunded(invoiceId, 900n, context);
  const charge = { object: 'charge', id: 'ch', payment_intent: paymentIntent, currency: 'usd' };
  await announce('charge.refunded', { ...charge, amount_refunded: 900 });
  expect(await reportedAmounts(invoiceId, context)).toEqual([]);
});

test('refunds of ours, one made at the provider and a dispute at once never return a payment twice', async () => {
  for (let round = 0; round < 8; round += 1) {
    const context = live();
    const { invoiceId, paymentIntent } = await aCharge(context);
    const charge = { object: 'charge', id: 'ch', payment_intent: paymentIntent, currency: 'usd' };
    const dispute = {
      ...{ id: `dp_${paymentIntent}`, payment_intent: paymentIntent, currency: 'usd' },
      ...{ amount: 2900, reason: 'fraudulent', status: 'needs_response' },
      evidence_details: { due_by: null },
    };
    const ours = () => refunded(invoiceId, 1700n, context);
    const theirs = async () => {
      stripe.account.refund({ payment_intent: paymentIntent, amount: '900' });
      await announce('charge.refunded', { ...charge, amount_refunded: 900 });
    };
    const disputed = async () => {
      stripe.account.disputes.set(dispute.id, dispute);
      await announce('charge.dispute.created', { object: 'dispute', ...dispute });
    };
    const acts = [ours, theirs, ours, disputed];
    const order = [...acts.slice(round % 4), ...acts.slice(0, round % 4)];
    await Promise.allSettled(order.map((act) => act()));
    await announce('charge.refunded', { ...charge, amount_refunded: 900 });

    const made = stripe.account.refunds.filter((one) => one.payment_intent === paymentIntent);
    const returned = made.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect(returned).toBeLessThanOrEqual(2900n);
    const statuses = await statusesOf(invoiceId, context);
    expect(statuses.filter((status) => status === succeeded)).toHaveLength(made.length);
    const { invoice } = await running.checkout.getInvoice({ id: invoiceId }, context);
    expect(invoice?.amountRefunded).toBe(returned);
  }
});
