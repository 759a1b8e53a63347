import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';

const {
  COLLECTION_OUTCOME_SUCCEEDED: succeeded,
  COLLECTION_OUTCOME_FAILED: failed,
  COLLECTION_OUTCOME_VOIDED: voided,
} = CollectionOutcome;
const returnUrl = 'https://shop.example/back';

let running: RunningCheckout;
let context: CallContext;

beforeAll(async () => {
  running = await startCheckout();
});

beforeEach(() => {
  context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
});

afterAll(() => running.stop());

/** An invoice whose payer is asked to confirm. */
async function aChallenge() {
  const request = aRequest();
  await running.checkout.createInvoice(request, context);
  await payWith(request, '4000002500003155');
  return request;
}

async function payWith(
  { invoiceId: id, customerId }: { invoiceId: string; customerId: string },
  number: string,
) {
  const { payments } = running;
  const card = { number, expiry: '12/60', code: '123', name: undefined };
  const { paymentMethodId } = await payments.savePaymentMethod({ customerId, card }, context);
  const source = { $case: 'paymentMethodId' as const, value: paymentMethodId };
  return payments.payInvoice({ id, source, returnUrl }, context);
}

const cancelled = { failureCode: 'authentication_required' };

async function outcomesOf(subscriptionId: string, count: number) {
  const results = await running.subscription.results(subscriptionId, count);
  return results.map(({ outcome, resultNumber }) => [resultNumber, outcome]);
}

test('a challenge that is replaced by another card is not reported as a failure', async () => {
  const request = await aChallenge();
  const { invoice } = await payWith(request, '4242424242424242');
  expect(invoice).toMatchObject({
    status: InvoiceStatus.INVOICE_STATUS_PAID,
    payments: [cancelled, { failureCode: undefined }],
  });
  expect(await outcomesOf(request.subscriptionId, 1)).toEqual([[1, succeeded]]);
});

test('a challenge that is canceled by a void is not reported', async () => {
  const { invoiceId: id, subscriptionId } = await aChallenge();
  const { invoice } = await running.checkout.voidInvoice({ id }, context);
  expect(invoice).toMatchObject({
    status: InvoiceStatus.INVOICE_STATUS_VOID,
    payments: [cancelled],
  });
  expect(await outcomesOf(subscriptionId, 1)).toEqual([[1, voided]]);
});

test('a challenge that is canceled by a write-off is reported only as the write-off', async () => {
  const { invoiceId, subscriptionId } = await aChallenge();
  await running.checkout.endCollection({ invoiceId, subscriptionId, writeOff: true }, context);
  await eventually(async () => {
    const { invoice } = await running.checkout.getInvoice({ id: invoiceId }, context);
    expect(invoice).toMatchObject({
      status: InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
      payments: [cancelled],
    });
  });
  expect(running.subscription.of(subscriptionId).map(({ outcome }) => outcome)).not.toContain(
    failed,
  );
});

test('a challenge that is canceled by the schedule does not count as a retry, but the charge after it does', async () => {
  const { invoiceId, subscriptionId } = await aChallenge();
  const { environmentId } = context.tenant;
  const workClass = WorkClass.WORK_CLASS_COLLECTION;
  const until = new Date(context.now.getTime() + 60 * 60 * 1000);
  await running.dueWork.runDue({ environmentId, until, workClass }, context);
  const [first] = await running.subscription.results(subscriptionId, 1);
  expect(first).toMatchObject({ outcome: failed, attempt: 2, invoice: { id: invoiceId } });
  expect(first?.invoice?.payments).toMatchObject([cancelled, { failureCode: 'no_payment_method' }]);
  expect(first?.nextAttemptAt?.getTime()).toBe(until.getTime() + 3 * 86_400_000);
});

test('a challenge that its payer declines is a failure', async () => {
  const { invoiceId: id, subscriptionId } = await aChallenge();
  await running.payments.answerInvoiceChallenge({ id, attempt: 1, approved: false }, context);
  expect(await outcomesOf(subscriptionId, 1)).toEqual([[1, failed]]);
});
