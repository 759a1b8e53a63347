import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { BillingInterval } from '@billing/proto/billing/catalog/v1/catalog';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import {
  CollectionOutcome,
  type Subscription,
  SubscriptionPhase,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import type { LoggedEvent } from '../testing/logged-events';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import { later } from '../testing/usage-scene';

const racersCount = 20;
const under = serviceForTests((peers) => {
  peers.products.set('trial', aProduct({ id: 'trial' }, { trialDays: 14 }));
  const billingInterval = BillingInterval.BILLING_INTERVAL_DAILY;
  peers.products.set('daily', aProduct({ id: 'daily' }, { billingInterval }));
});

async function run(
  context: CallContext,
  workClass = WorkClass.WORK_CLASS_RENEWAL,
): Promise<number> {
  const { environmentId } = context.tenant;
  const { processed } = await under.dueWork.runDue(
    { environmentId, until: context.now, workClass },
    context,
  );
  return processed;
}

/** Waits for a number of events, and returns their short names. */
async function announced(id: string, count: number): Promise<string[]> {
  const events = await eventually(async () => {
    const logged = await under.eventsOf(id);
    expect(logged).toHaveLength(count);
    return logged;
  });
  expect(events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  return events.map(({ type }) => type.replace('billing.subscription.', ''));
}

/** The orders to void an invoice of a subscription. */
const voidedOf = (subscriptionId: string) =>
  under.peers.voids
    .map(({ request }) => request)
    .filter((request) => request.subscriptionId === subscriptionId);

const periodsBilled = () =>
  under.peers.invoices.map(({ request }) => request.periodStart?.toISOString().slice(5, 10));

describe('a renewal', () => {
  test('takes place once when 20 scanners find it concurrently', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const due = later(context, day('02-28'));
    await Promise.all(Array.from({ length: racersCount }, () => run(due)));

    expect(await under.get(id, due)).toMatchObject({
      currentPeriodStart: day('02-28'),
      currentPeriodEnd: day('03-31'),
      nextInvoiceAt: day('03-31'),
      updatedAt: day('02-28'),
    });
    expect(await announced(id, 2)).toEqual(['created', 'renewed']);
    await eventually(() => {
      expect(periodsBilled()).toEqual(['01-31', '02-28']);
    });
    const [first, second] = under.peers.invoices;
    expect(second?.request.invoiceId).not.toBe(first?.request.invoiceId);
    expect(second?.context.now).toEqual(day('02-28'));
  });

  test('is caught up when it was missed, each at its own time', async () => {
    const context = testContext({ now: day('01-17') });
    const { id } = await under.create({ productId: 'trial' }, context);
    // Each pass takes one step of each subscription.
    const warnings = WorkClass.WORK_CLASS_COLLECTION;
    expect(await run(later(context, day('05-15')), warnings)).toBe(1);
    for (let step = 1; step <= 4; step += 1) {
      expect(await run(later(context, day('05-15')))).toBe(1);
    }
    expect(await run(later(context, day('05-15')))).toBe(0);

    const types = await announced(id, 6);
    expect(types).toEqual(['created', 'trial_ending', ...Array<string>(4).fill('renewed')]);
    const times = (await under.eventsOf(id)).map(({ time }) => time.slice(5, 10));
    expect(times).toEqual(['01-17', '01-28', '01-31', '02-28', '03-31', '04-30']);
    await eventually(() => {
      expect(periodsBilled()).toEqual(['01-31', '02-28', '03-31', '04-30']);
    });
  });

  test('is caught up for every one of forty days, while callers get a retriable error', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({ productId: 'daily' }, context);
    const now = later(context, day('03-12'));
    await expect(
      under.subscription.cancelSubscription({ id, atPeriodEnd: true }, now),
    ).rejects.toMatchObject({ kind: 'unavailable' });
    let steps = 0;
    while ((await run(now)) > 0) steps += 1;

    expect(steps).toBe(40);
    const types = await announced(id, 41);
    expect(types.filter((type) => type === 'renewed')).toHaveLength(40);
    await eventually(() => {
      expect(under.peers.invoices).toHaveLength(41);
    });
    const starts = under.peers.invoices.map(({ request }) => request.periodStart?.getTime());
    const dayMs = 86_400_000;
    expect(starts).toEqual(starts.map((_, index) => day('01-31').getTime() + index * dayMs));
    const { status } = await under.get(id, now);
    expect(status).toBe(SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE);
  });

  test('goes before the call that finds it late', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const { subscription } = await under.subscription.cancelSubscription(
      { id, atPeriodEnd: true },
      later(context, day('03-05')),
    );

    expect(subscription).toMatchObject({ currentPeriodEnd: day('03-31'), cancelAtPeriodEnd: true });
    expect(await announced(id, 3)).toEqual(['created', 'renewed', 'updated']);
  });

  test.each([1, 2, 3, 4, 5])(
    'races a cancellation and only one goes first (round %i)',
    async () => {
      const context = testContext({ now: day('01-31') });
      const { id } = await under.create({}, context);
      const due = later(context, day('02-28'));
      const cancelNow = () =>
        under.subscription.cancelSubscription({ id, atPeriodEnd: false }, due);
      await Promise.all(
        Array.from({ length: racersCount }, (_, index) =>
          index % 2 === 0 ? run(due) : cancelNow(),
        ),
      );

      const { currentPeriodStart, status, endedAt } = await under.get(id, due);
      expect(status).toBe(SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED);
      expect(endedAt).toEqual(day('02-28'));
      const hasRenewed = currentPeriodStart?.getTime() === day('02-28').getTime();
      expect(await announced(id, hasRenewed ? 3 : 2)).toEqual(
        hasRenewed ? ['created', 'renewed', 'canceled'] : ['created', 'canceled'],
      );
      // The invoice of the running period is voided; the renewal's is never created once the end
      // was decided, or voided after it was created.
      // Another subscription's orders may still be in flight.
      const { invoices } = under.peers;
      await eventually(() => {
        expect(voidedOf(id)).toHaveLength(1);
      });
      const [voided] = voidedOf(id);
      const ordered = invoices.filter(({ request }) => request.subscriptionId === id);
      const made = ordered.map(({ request }) => request.invoiceId);
      expect(made.slice(1).filter((invoiceId) => invoiceId !== voided?.invoiceId)).toEqual([]);
      if (!hasRenewed) expect(made).toEqual([voided?.invoiceId]);
    },
  );
});

describe('a cancellation', () => {
  test('now voids the running invoice, and retries while a payment runs', async () => {
    const context = testContext({ now: day('01-31') });
    const { id, latestInvoiceId } = await under.create({}, context);
    under.peers.isPaymentRunning = true;
    const { subscription } = await under.subscription.cancelSubscription(
      { id, atPeriodEnd: false },
      later(context, day('02-10')),
    );
    expect(subscription).toMatchObject({
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED,
      phase: SubscriptionPhase.SUBSCRIPTION_PHASE_ENDED,
      entitled: false,
      endedAt: day('02-10'),
      nextInvoiceAt: undefined,
    });
    expect(await announced(id, 2)).toEqual(['created', 'canceled']);
    expect(voidedOf(id)).toEqual([]);

    under.peers.isPaymentRunning = false;
    await eventually(() => {
      expect(voidedOf(id)).toMatchObject([
        { invoiceId: latestInvoiceId, customerId: 'customer', currency: 'USD' },
      ]);
    });
  });

  test('at the end of the period ends the subscription there, unless it is undone', async () => {
    const context = testContext({ now: day('01-31') });
    const [kept, ended] = [await under.create({}, context), await under.create({}, context)];
    const flag = (id: string) =>
      under.subscription.cancelSubscription(
        { id, atPeriodEnd: true },
        later(context, day('02-10')),
      );
    await Promise.all([flag(kept.id), flag(ended.id)]);
    await under.subscription.uncancelSubscription({ id: kept.id }, later(context, day('02-11')));
    const due = later(context, day('02-28'));

    expect(await run(due, WorkClass.WORK_CLASS_END)).toBe(1);
    expect(await run(due)).toBe(1);
    expect(await announced(kept.id, 4)).toEqual(['created', 'updated', 'updated', 'renewed']);
    expect(await announced(ended.id, 3)).toEqual(['created', 'updated', 'canceled']);
    expect(await under.get(ended.id, due)).toMatchObject({ endedAt: day('02-28') });
    await expect(
      under.subscription.uncancelSubscription({ id: ended.id }, due),
    ).rejects.toMatchObject({ kind: 'failed_precondition' });
  });
});

describe('results of a collection', () => {
  test('are applied once and in order, regardless of their order of arrival', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    const results = [
      CollectionOutcome.COLLECTION_OUTCOME_FAILED,
      CollectionOutcome.COLLECTION_OUTCOME_FAILED,
      CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
    ];
    // Each is sent several times, the last one first, and retried until it is answered, as checkout
    // does.
    const calls = [2, 1, 0, 2, 1, 0, 1, 2].map((index) =>
      eventually(() => apply(id, index + 1, results[index], context)),
    );
    await Promise.all(calls);

    expect(await announced(id, 6)).toEqual([
      'created',
      'payment_failed',
      'updated',
      'payment_failed',
      'payment_succeeded',
      'updated',
    ]);
    expect(await under.get(id, context)).toMatchObject({
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
    });
    const statuses = (await under.eventsOf(id)).map(statusOf);
    expect(statuses).toEqual(['ACTIVE', 'ACTIVE', 'PAST_DUE', 'PAST_DUE', 'PAST_DUE', 'ACTIVE']);
  });

  test('after the end announce nothing', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({}, context);
    await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, context);
    await apply(id, 1, CollectionOutcome.COLLECTION_OUTCOME_FAILED, context);
    await apply(id, 2, CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED, context);

    expect(await announced(id, 2)).toEqual(['created', 'canceled']);
  });

  test('of an unknown subscription are refused', async () => {
    const context = testContext({ now: day('01-31') });
    const created = await under.create({}, context);
    await expect(
      apply(created.id, 1, CollectionOutcome.COLLECTION_OUTCOME_FAILED, testContext()),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });
});

async function apply(
  subscriptionId: string,
  resultNumber: number,
  outcome: CollectionOutcome | undefined,
  context: CallContext,
): Promise<void> {
  const received = under.peers.invoices.find(
    ({ request }) => request.subscriptionId === subscriptionId,
  );
  if (received === undefined || outcome === undefined) throw new Error('No such invoice');
  const isPaid = outcome === CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED;
  const status = isPaid ? InvoiceStatus.INVOICE_STATUS_PAID : InvoiceStatus.INVOICE_STATUS_OPEN;
  await under.subscription.applyCollectionResult(
    {
      subscriptionId,
      resultNumber,
      outcome,
      attempt: resultNumber,
      invoice: anInvoice(received.request, status),
      nextAttemptAt: undefined,
    },
    context,
  );
}

function statusOf({ data }: LoggedEvent): string {
  const { status } = data.subscription as Record<keyof Subscription, string>;
  return status.replace('SUBSCRIPTION_STATUS_', '');
}
