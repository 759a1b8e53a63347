import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import {
  CancelReason,
  CollectionOutcome,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import fc from 'fast-check';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { aProtoCustomer } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { later } from '../testing/usage-scene';

const active = SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE;
const pastDue = SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE;
const canceled = SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED;

const under = serviceForTests((peers) => {
  const collectionMethod = CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
  peers.customers.set('sent', aProtoCustomer({ id: 'sent', collectionMethod }));
});

async function run(context: CallContext, workClass = WorkClass.WORK_CLASS_RENEWAL) {
  const { environmentId } = context.tenant;
  await under.dueWork.runDue({ environmentId, until: context.now, workClass }, context);
}

const invoicesOf = (subscriptionId: string) =>
  under.peers.invoices
    .map(({ request }) => request)
    .filter((request) => request.subscriptionId === subscriptionId);

/** Invoices of a subscription that were voided. Those of other tests may still be on their way. */
const voidedOf = (subscriptionId: string) =>
  under.peers.voids
    .map(({ request }) => request)
    .filter((request) => request.subscriptionId === subscriptionId)
    .map(({ invoiceId }) => invoiceId);

/** The orders to end the collection of an invoice of a subscription. */
const endingsOf = (subscriptionId: string) =>
  under.peers.endings
    .map(({ request }) => request)
    .filter((request) => request.subscriptionId === subscriptionId);

/** Bills periods, and waits until checkout knows their invoices. */
async function billed(id: string, periods: readonly Date[], context: CallContext) {
  for (const start of periods) await run(later(context, start));
  return eventually(() => {
    const invoices = invoicesOf(id);
    expect(invoices).toHaveLength(periods.length + 1);
    return invoices;
  });
}

interface Reported {
  readonly periodIndex: number;
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  readonly nextAttemptAt?: Date;
}

async function report(id: string, { periodIndex, ...reported }: Reported, context: CallContext) {
  const request = invoicesOf(id)[periodIndex];
  if (request === undefined) throw new Error('No such invoice');
  const statuses: Partial<Record<CollectionOutcome, InvoiceStatus>> = {
    [CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED]: InvoiceStatus.INVOICE_STATUS_PAID,
    [CollectionOutcome.COLLECTION_OUTCOME_UNCOLLECTIBLE]:
      InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
  };
  const status = statuses[reported.outcome] ?? InvoiceStatus.INVOICE_STATUS_OPEN;
  const invoice = anInvoice(request, status);
  await under.subscription.applyCollectionResult(
    {
      subscriptionId: id,
      attempt: reported.resultNumber,
      invoice,
      nextAttemptAt: undefined,
      ...reported,
    },
    context,
  );
}

async function announced(id: string, count: number) {
  const events = await eventually(async () => {
    const logged = await under.eventsOf(id);
    expect(logged).toHaveLength(count);
    return logged;
  });
  expect(events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  return events.map(({ type, data }) => ({
    type: type.replace('billing.subscription.', ''),
    data,
  }));
}

describe('an invoice abandoned by dunning', () => {
  test('ends its subscription, and has checkout abandon the other invoices', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const [, second, third] = await billed(id, [day('02-28'), day('03-31')], context);
    const now = later(context, day('04-01'));
    const failed = CollectionOutcome.COLLECTION_OUTCOME_FAILED;
    const nextAttemptAt = day('04-04');
    await report(id, { periodIndex: 0, resultNumber: 1, outcome: failed, nextAttemptAt }, now);
    const uncollectible = CollectionOutcome.COLLECTION_OUTCOME_UNCOLLECTIBLE;
    await report(id, { periodIndex: 0, resultNumber: 2, outcome: uncollectible }, now);

    const events = await announced(id, 6);
    expect(events.map(({ type }) => type)).toEqual([
      'created',
      'renewed',
      'renewed',
      'payment_failed',
      'updated',
      'canceled',
    ]);
    expect(events[3]?.data).toMatchObject({ nextAttemptAt: nextAttemptAt.toISOString() });
    expect(events[5]?.data).toMatchObject({
      attempt: 2,
      reason: 'CANCEL_REASON_PAYMENT_FAILED',
      canceledAt: day('04-01').toISOString(),
      invoice: { status: 'INVOICE_STATUS_UNCOLLECTIBLE' },
    });
    expect(await under.get(id, now)).toMatchObject({
      status: canceled,
      entitled: false,
      cancelReason: CancelReason.CANCEL_REASON_PAYMENT_FAILED,
      canceledAt: day('04-01'),
      endedAt: day('04-01'),
      nextInvoiceAt: undefined,
    });
    await eventually(() => {
      expect(endingsOf(id)).toEqual([
        { invoiceId: second?.invoiceId, subscriptionId: id, writeOff: true },
        { invoiceId: third?.invoiceId, subscriptionId: id, writeOff: true },
      ]);
    });
    expect(voidedOf(id)).toEqual([]);
  });

  test("before the running period's invoice is created, has that invoice's id taken", async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    under.peers.isInvoicingDown = true;
    const now = later(context, day('03-01'));
    await run(later(context, day('02-28')));
    const outcome = CollectionOutcome.COLLECTION_OUTCOME_UNCOLLECTIBLE;
    await report(id, { periodIndex: 0, resultNumber: 1, outcome }, now);

    await eventually(() => {
      expect(voidedOf(id)).toHaveLength(1);
    });
    expect(invoicesOf(id)).toHaveLength(1);
    expect(endingsOf(id)).toEqual([]);
  });
});

test('canceling now ends the retries of older invoices, and voids that of the running period', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({}, context);
  const [first, second] = await billed(id, [day('02-28')], context);
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: false },
    later(context, day('03-05')),
  );

  await eventually(() => {
    expect(endingsOf(id)).toEqual([
      { invoiceId: first?.invoiceId, subscriptionId: id, writeOff: false },
    ]);
    expect(voidedOf(id)).toEqual([second?.invoiceId]);
  });
});

describe('the answer to a cancellation now', () => {
  const cancelNow = (id: string, context: CallContext) =>
    under.subscription.cancelSubscription({ id, atPeriodEnd: false }, later(context, day('02-10')));

  test('is sent once the unpaid invoice of the running period is void', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const [first] = await billed(id, [], context);

    await cancelNow(id, context);

    expect(voidedOf(id)).toEqual([first?.invoiceId]);
  });

  test.each<['isPaymentRunning' | 'isCheckoutDown' | 'isVoidBroken', string]>([
    ['isPaymentRunning', 'an attempt of the invoice is running'],
    ['isCheckoutDown', 'checkout is unavailable'],
    ['isVoidBroken', 'checkout fails'],
  ])('does not wait while %s: %s', async (hindrance) => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const [first] = await billed(id, [], context);
    under.peers[hindrance] = true;

    const { subscription } = await cancelNow(id, context);
    expect(subscription?.status).toBe(canceled);
    expect(voidedOf(id)).toEqual([]);

    under.peers[hindrance] = false;
    await eventually(() => {
      expect(voidedOf(id)).toEqual([first?.invoiceId]);
    });
  });

  test('is sent to a second caller only once the invoice is void, too', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const [first] = await billed(id, [], context);
    under.peers.isPaymentRunning = true;
    await cancelNow(id, context);
    under.peers.isPaymentRunning = false;

    const { subscription } = await cancelNow(id, context);

    expect(subscription?.status).toBe(canceled);
    expect(new Set(voidedOf(id))).toEqual(new Set([first?.invoiceId]));
  });

  test('does not wait when the invoice is paid', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    await billed(id, [], context);
    const succeeded = CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED;
    await report(id, { periodIndex: 0, resultNumber: 1, outcome: succeeded }, context);
    under.peers.isCheckoutDown = true;

    const { subscription } = await cancelNow(id, context);

    expect(subscription?.status).toBe(canceled);
    under.peers.isCheckoutDown = false;
  });
});

test('canceling at period end ends the retries of all open invoices when the period ends', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({}, context);
  const [first, second] = await billed(id, [day('02-28')], context);
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: true },
    later(context, day('03-05')),
  );
  expect(endingsOf(id)).toEqual([]);
  await run(later(context, day('03-31')), WorkClass.WORK_CLASS_END);

  await eventually(() => {
    expect(endingsOf(id)).toEqual([
      { invoiceId: first?.invoiceId, subscriptionId: id, writeOff: false },
      { invoiceId: second?.invoiceId, subscriptionId: id, writeOff: false },
    ]);
  });
});

test('an invoice that is sent makes its subscription past due at its due date, until it is void', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({ customerId: 'sent' }, context);
  await billed(id, [day('02-28')], context);
  const now = later(context, day('03-02'));
  const overdue = CollectionOutcome.COLLECTION_OUTCOME_OVERDUE;
  await report(id, { periodIndex: 0, resultNumber: 1, outcome: overdue }, now);
  expect(await under.get(id, now)).toMatchObject({ status: pastDue, entitled: true });
  const voided = CollectionOutcome.COLLECTION_OUTCOME_VOIDED;
  await report(id, { periodIndex: 0, resultNumber: 2, outcome: voided }, now);
  expect(await under.get(id, now)).toMatchObject({ status: active });

  const events = await announced(id, 4);
  expect(events.map(({ type }) => type)).toEqual(['created', 'renewed', 'updated', 'updated']);
});

// Each call starts when the scheduler decides, without waiting for another: they race in the
// database.
test('canceling, renewing and every outcome of a collection race in any order without harm', async () => {
  const outcomes = [
    CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
    CollectionOutcome.COLLECTION_OUTCOME_UNCOLLECTIBLE,
    CollectionOutcome.COLLECTION_OUTCOME_VOIDED,
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(...outcomes),
      fc.boolean(),
      async (scheduler, last, atPeriodEnd) => {
        const context = testContext({ now: day('01-31') });
        const { id } = await under.create({}, context);
        const now = later(context, day('03-05'));
        const outcomeOf = (number: number) =>
          number === 3 ? last : CollectionOutcome.COLLECTION_OUTCOME_FAILED;
        const calls = [
          () => under.subscription.cancelSubscription({ id, atPeriodEnd }, now),
          () => under.subscription.uncancelSubscription({ id }, now).catch(ifRefused),
          () => run(later(context, day('02-28'))),
          () => run(later(context, day('02-28'))),
          ...[1, 2, 3, 1, 2, 3].map((resultNumber) => () => {
            const reported = { periodIndex: 0, resultNumber, outcome: outcomeOf(resultNumber) };
            return eventually(() => report(id, reported, now));
          }),
        ];
        const finished = calls.map(async (call, index) => {
          await scheduler.schedule(Promise.resolve(), `call ${String(index)}`);
          await call();
        });
        await scheduler.waitIdle();
        await Promise.all(finished);
        await expectSound(id, now);
      },
    ),
    { numRuns: 10 },
  );
});

function ifRefused(error: unknown): void {
  if (!(error instanceof DomainError) || error.kind !== 'failed_precondition') throw error;
}

/** Checks the invariants once all work is done. */
async function expectSound(id: string, context: CallContext): Promise<void> {
  const { status, currentPeriodStart } = await under.get(id, context);
  const isEnded = status === canceled;
  const events = await eventually(async () => {
    const logged = await under.eventsOf(id);
    const types = logged.map(({ type }) => type.replace('billing.subscription.', ''));
    expect(types.filter((type) => type === 'renewed').length).toBe(
      currentPeriodStart?.getTime() === day('01-31').getTime() ? 0 : 1,
    );
    expect(types.includes('canceled')).toBe(isEnded);
    return logged.map(({ sequence }, index) => ({ sequence, type: types[index] ?? '' }));
  });
  const types = events.map(({ type }) => type);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(types.indexOf('canceled')).toBe(isEnded ? types.length - 1 : -1);
  expect(types.filter((type) => type === 'payment_failed').length).toBeLessThanOrEqual(2);
  // All three results of the first invoice were applied: no late one is left.
  if (!isEnded) expect(status).toBe(active);
  const ids = invoicesOf(id).map(({ invoiceId }) => invoiceId);
  expect(new Set(ids).size).toBe(ids.length);
}
