import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import {
  aRequest,
  periodStart,
  type RunningCheckout,
  startCheckout,
  type ReceivedResult,
} from '../testing/rpc';

let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout();
});

afterAll(() => running.stop());

const day = (days: number) => new Date(periodStart.getTime() + days * 24 * 60 * 60 * 1000);
const outcomes = ({ outcome, attempt, nextAttemptAt }: ReceivedResult) => [
  CollectionOutcome[outcome].slice('COLLECTION_OUTCOME_'.length),
  attempt,
  nextAttemptAt,
];

/** An environment whose clock stands at the start of the period, with one customer. */
function anEnvironment() {
  const context = testContext({ now: periodStart });
  const { environmentId } = context.tenant;
  const customerId = newId();
  const { checkout, payments, dueWork, subscription } = running;
  const at = (now: Date) => ({ ...context, now });
  const invoice = async (authorizedTransactionId?: string, input = {}) => {
    const request = aRequest({ customerId, authorizedTransactionId, ...input });
    await checkout.createInvoice(request, context);
    return request;
  };
  const read = async (id: string) => (await checkout.getInvoice({ id }, context)).invoice!;
  /** Runs all work that is due until then, each at its time. */
  const advance = async (until: Date) => {
    for (;;) {
      const { dueAt } = await dueWork.getNextDue({ environmentId, until }, context);
      if (dueAt === undefined) return;
      const workClass = WorkClass.WORK_CLASS_COLLECTION;
      await dueWork.runDue({ environmentId, until: dueAt, workClass }, at(dueAt));
    }
  };
  const pay = (id: string, now: Date, authorizedTransactionId?: string) =>
    payments.payInvoice(
      {
        id,
        returnUrl: undefined,
        source:
          authorizedTransactionId === undefined
            ? undefined
            : { $case: 'authorizedTransactionId', value: authorizedTransactionId },
      },
      at(now),
    );
  return { context, at, customerId, invoice, read, advance, pay, results: subscription };
}

describe('an invoice whose payment fails', () => {
  test('is charged again on days 3, 7 and 14 and then becomes uncollectible', async () => {
    const { invoice, read, advance, results } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000009995');
    await results.first(subscriptionId);
    await advance(day(100));

    expect((await results.results(subscriptionId, 4)).map(outcomes)).toEqual([
      ['FAILED', 1, day(3)],
      ['FAILED', 2, day(7)],
      ['FAILED', 3, day(14)],
      ['UNCOLLECTIBLE', 4, undefined],
    ]);
    const given = await read(invoiceId);
    expect(given.status).toBe(InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE);
    expect(given.amountDue).toBe(0n);
    expect(given.payments.map(({ createdAt }) => createdAt)).toEqual([
      day(0),
      day(3),
      day(7),
      day(14),
    ]);
  });

  test('is paid as soon as a retry succeeds', async () => {
    const { invoice, read, advance, results, customerId, at } = anEnvironment();
    await running.checkout.resolveAuthorization(
      { subscriptionId: newId(), customerId, authorizedTransactionId: 'txn_4000000000005126' },
      at(day(0)),
    );
    const { invoiceId, subscriptionId } = await invoice();
    await results.first(subscriptionId);
    await advance(day(100));

    expect((await results.results(subscriptionId, 3)).map(outcomes)).toEqual([
      ['FAILED', 1, day(3)],
      ['FAILED', 2, day(7)],
      ['SUCCEEDED', 3, undefined],
    ]);
    expect(await read(invoiceId)).toMatchObject({
      status: InvoiceStatus.INVOICE_STATUS_PAID,
      paidAt: day(7),
    });
  });

  test('permanently is not charged on days 3 and 7, reports nothing then, and becomes uncollectible on day 14', async () => {
    const { invoice, read, advance, results } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000009987');
    await results.first(subscriptionId);
    await advance(day(13.9));
    expect(results.of(subscriptionId).map(outcomes)).toEqual([['FAILED', 1, undefined]]);
    await advance(day(14));

    expect((await results.results(subscriptionId, 2)).map(outcomes)).toEqual([
      ['FAILED', 1, undefined],
      ['UNCOLLECTIBLE', 1, undefined],
    ]);
    expect((await read(invoiceId)).payments).toHaveLength(1);
  });

  test('waits for a method, and each attempt without one is a soft failure', async () => {
    const { invoice, advance, results } = anEnvironment();
    const { subscriptionId } = await invoice();
    await advance(day(100));
    const hour = (days: number) => new Date(day(days).getTime() + 60 * 60 * 1000);

    expect((await results.results(subscriptionId, 4)).map(outcomes)).toEqual([
      ['FAILED', 1, hour(3)],
      ['FAILED', 2, hour(7)],
      ['FAILED', 3, hour(14)],
      ['UNCOLLECTIBLE', 4, undefined],
    ]);
  });

  test('is charged immediately to a card that paid another invoice; a failure moves no date', async () => {
    const { invoice, read, advance, results, pay } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000009987');
    await results.first(subscriptionId);
    const other = await invoice();
    await results.first(other.subscriptionId);
    await pay(other.invoiceId, day(1), 'txn_4000000000000341');
    const failed = await results.results(subscriptionId, 2);
    await advance(day(3));

    expect(failed.map(outcomes)[1]).toEqual(['FAILED', 2, day(3)]);
    expect((await results.results(subscriptionId, 3)).map(outcomes)[2]).toEqual([
      'FAILED',
      3,
      day(7),
    ]);
    expect((await read(invoiceId)).payments.map(({ createdAt }) => createdAt)).toEqual([
      day(0),
      day(1),
      day(3),
    ]);
  });

  test('is paid immediately by a good card that paid another invoice', async () => {
    const { invoice, read, results, pay } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000000069');
    await results.first(subscriptionId);
    const other = await invoice();
    await results.first(other.subscriptionId);
    await pay(other.invoiceId, day(1), 'txn_4242424242424242');

    const invoices = await results.results(subscriptionId, 2);
    expect(invoices.map(outcomes)[1]).toEqual(['SUCCEEDED', 2, undefined]);
    expect(await read(invoiceId)).toMatchObject({ paidAt: day(1) });
  });

  test('keeps its dates and its card after failed attempts of callers', async () => {
    const { invoice, advance, results, pay } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000009995');
    await results.first(subscriptionId);
    await pay(invoiceId, day(1), 'txn_4000000000009987');
    await pay(invoiceId, day(2), undefined);
    await advance(day(3));

    expect((await results.results(subscriptionId, 4)).map(outcomes)).toEqual([
      ['FAILED', 1, day(3)],
      ['FAILED', 2, day(3)],
      ['FAILED', 3, day(3)],
      ['FAILED', 4, day(7)],
    ]);
  });
});

describe('an invoice that is sent', () => {
  const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;

  test('is overdue once, 30 days later, and never charged', async () => {
    const { invoice, read, advance, results } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice(undefined, { collectionMethod });
    await advance(day(29.9));
    expect(results.of(subscriptionId)).toEqual([]);
    await advance(day(400));

    expect((await results.results(subscriptionId, 1)).map(outcomes)).toEqual([
      ['OVERDUE', 0, undefined],
    ]);
    expect(await read(invoiceId)).toMatchObject({
      status: InvoiceStatus.INVOICE_STATUS_OPEN,
      payments: [],
      dueDate: day(30),
    });
  });

  test('immediately captures a payment that was authorized for it; a failure is not retried', async () => {
    const { invoice, read, advance, results } = anEnvironment();
    const paid = await invoice('txn_4242424242424242', { collectionMethod });
    const failed = await invoice('txn_4000000000000002', { collectionMethod });
    await results.first(paid.subscriptionId);
    await results.first(failed.subscriptionId);
    await advance(day(30));

    expect((await read(paid.invoiceId)).status).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
    expect((await results.results(failed.subscriptionId, 2)).map(outcomes)).toEqual([
      ['FAILED', 1, undefined],
      ['OVERDUE', 0, undefined],
    ]);
  });
});

describe('the end of collection', () => {
  test.each([
    [false, InvoiceStatus.INVOICE_STATUS_OPEN],
    [true, InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE],
  ])(
    'with write-off %s leaves the invoice so, without further automatic steps',
    async (writeOff, status) => {
      const { context, invoice, read, advance, results } = anEnvironment();
      const { invoiceId, subscriptionId } = await invoice('txn_4000000000009995');
      await results.first(subscriptionId);
      const end = () =>
        running.checkout.endCollection({ invoiceId, subscriptionId, writeOff }, context);
      const first = await end();
      const second = await end();
      await advance(day(100));

      expect(second).toEqual(first);
      expect((await read(invoiceId)).status).toBe(status);
      expect(results.of(subscriptionId)).toHaveLength(1);
    },
  );

  test('leaves an invoice payable', async () => {
    const { context, invoice, results, pay } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4000000000009995');
    await results.first(subscriptionId);
    const end = { invoiceId, subscriptionId, writeOff: false };
    await running.checkout.endCollection(end, context);
    const { invoice: paid } = await pay(invoiceId, day(50), 'txn_4242424242424242');

    expect(paid?.status).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
  });

  test('fails with not found for an unknown invoice, and leaves a paid one paid', async () => {
    const { context, invoice } = anEnvironment();
    const { invoiceId, subscriptionId } = await invoice('txn_4242424242424242');
    const end = (id: string) =>
      running.checkout.endCollection({ invoiceId: id, subscriptionId, writeOff: true }, context);
    await eventually(async () => {
      const { invoice: ended } = await end(invoiceId);
      expect(ended?.status).toBe(InvoiceStatus.INVOICE_STATUS_PAID);
    });
    await expect(end(newId())).rejects.toMatchObject({ reason: 'INVOICE_NOT_FOUND' });
  });
});
