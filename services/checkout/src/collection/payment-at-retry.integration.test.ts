import { sleep, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import type { DomainError } from '@billing/kernel/domain-error';
import {
  InvoiceStatus,
  PaymentMethodType,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { aRequest, periodStart, type RunningCheckout, startCheckout } from '../testing/rpc';
import { Shop } from '../testing/shop-rpc';

const shop = new Shop();
let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout(systemClock, { CUSTOMER_ADDRESS: await shop.start() });
});

afterAll(async () => {
  await running.stop();
  await shop.stop();
});

const day = (days: number) => new Date(periodStart.getTime() + days * 24 * 60 * 60 * 1000);
const amountDue = 2_900n;

/** An invoice of 29.00 that failed twice, and whose next retry, on day 7, succeeds. */
async function aRetry() {
  const context = testContext({ now: periodStart });
  const { environmentId } = context.tenant;
  const { id: customerId } = shop.aCustomer();
  const at = (now: Date) => ({ ...context, now });
  const { checkout, payments, dueWork, subscription } = running;
  await checkout.resolveAuthorization(
    { subscriptionId: newId(), customerId, authorizedTransactionId: 'txn_4000000000005126' },
    at(day(0)),
  );
  const { invoiceId, subscriptionId } = aRequest();
  await checkout.createInvoice(aRequest({ invoiceId, subscriptionId, customerId }), context);
  await subscription.first(subscriptionId);
  /** Runs all work that is due until then, each at its time. */
  const advance = async (until: Date) => {
    for (;;) {
      const { dueAt } = await dueWork.getNextDue({ environmentId, until }, context);
      if (dueAt === undefined) return;
      const workClass = WorkClass.WORK_CLASS_COLLECTION;
      await dueWork.runDue({ environmentId, until: dueAt, workClass }, at(dueAt));
    }
  };
  await advance(day(6.9));
  const record = async (amount: bigint): Promise<string> => {
    const method = PaymentMethodType.PAYMENT_METHOD_TYPE_BANK_TRANSFER;
    const none = { reference: undefined, receivedAt: undefined, metadata: undefined };
    try {
      await payments.recordPayment({ invoiceId, amount, method, ...none }, at(day(7)));
      return 'ACCEPTED';
    } catch (error) {
      return (error as DomainError).reason;
    }
  };
  const read = async () => (await checkout.getInvoice({ id: invoiceId }, context)).invoice!;
  const told = async (count: number) =>
    (await subscription.results(subscriptionId, count)).map(({ outcome }) => outcome);
  return { advance, record, read, told };
}

// A replica may be in the middle of the retry when the call arrives.
const delaysMs = [0, 0, 5, 10, 20, 40, 60, 80];

test.each([
  ['a part', 'lowers the retry', 1_000n],
  ['the whole', 'drops the retry', amountDue],
])(
  'a bank transfer of %s at the instant of a retry %s or is refused, whichever is first',
  async (_part, _effect, amount) => {
    const seen = new Set<string>();
    for (const [round, delayMs] of delaysMs.entries()) {
      const { advance, record, read, told } = await aRetry();
      const retry = () => advance(day(7));
      const transfer = () => sleep(delayMs).then(() => record(amount));
      const outcome =
        round % 2 === 0
          ? (await Promise.all([retry(), transfer()]))[1]
          : (await Promise.all([transfer(), retry()]))[0];
      seen.add(outcome);
      await advance(day(100));
      const invoice = await read();
      expect(invoice).toMatchObject({
        ...{ status: InvoiceStatus.INVOICE_STATUS_PAID, amountPaid: amountDue, amountDue: 0n },
        paidAt: day(7),
      });
      const paid = invoice.payments
        .filter(({ status }) => status === PaymentStatus.PAYMENT_STATUS_SUCCEEDED)
        .map((payment) => [payment.provider, payment.amount, payment.overpayment]);
      const isAccepted = outcome === 'ACCEPTED';
      const charged = amountDue - (isAccepted ? amount : 0n);
      expect(paid).toEqual([
        ...(isAccepted ? [['external', amount, 0n]] : []),
        ...(charged > 0n ? [['sandbox', charged, 0n]] : []),
      ]);
      const { COLLECTION_OUTCOME_FAILED: failed, COLLECTION_OUTCOME_SUCCEEDED: succeeded } =
        CollectionOutcome;
      expect(await told(3)).toEqual([failed, failed, succeeded]);
    }
    for (const outcome of seen) {
      expect(['ACCEPTED', 'INVOICE_NOT_OPEN', 'PAYMENT_IN_PROGRESS']).toContain(outcome);
    }
  },
);
