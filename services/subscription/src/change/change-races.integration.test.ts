import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { BillingReason, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '@billing/proto/billing/subscription/v1/change';
import {
  CollectionOutcome,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { Subscriptions } from '../storage/subscription-store';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import { later } from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  const type = PricingType.PRICING_TYPE_PER_UNIT;
  peers.products.set('seats', aProduct({ id: 'seats' }, { type, amount: 1000n }));
});

const prorate = ChangeProration.CHANGE_PRORATION_UNSPECIFIED;
const update = { kind: ChangeKind.CHANGE_KIND_UPDATE, resumeAt: undefined, notBefore: undefined };
const auto = ChangeAt.CHANGE_AT_UNSPECIFIED;
const [periodEnd, changedAt] = [day('02-28'), day('02-14')];

/** An upgrade whose payment is in flight: PAYING after the call's wait. */
async function upgrade(context: CallContext) {
  const { id } = await under.create({ productId: 'seats' }, context);
  const first = await eventually(() => {
    const made = under.peers.invoices.find(({ request }) => request.subscriptionId === id);
    if (made === undefined) throw new Error('Not invoiced yet');
    return made.request;
  });
  under.peers.paid.add(first.invoiceId);
  await report(id, first, CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED, context);
  under.peers.isCollecting = true;
  under.peers.isPaymentRunning = true;
  const asked = later(context, changedAt);
  const { change } = await under.change.createChange(
    {
      subscriptionId: id,
      change: {
        ...update,
        quantity: 3,
        ofItems: false,
        otherItems: [],
        at: auto,
        proration: prorate,
      },
      metadata: undefined,
    },
    asked,
  );
  if (change?.invoiceId === undefined) throw new Error('The change has no invoice');
  expect(change.status).toBe(ChangeStatus.CHANGE_STATUS_PAYING);
  const invoice = await eventually(() => {
    const made = under.peers.invoices.find(
      ({ request }) => request.billingReason === BillingReason.BILLING_REASON_SUBSCRIPTION_CHANGE,
    );
    if (made === undefined) throw new Error('Not invoiced yet');
    return made.request;
  });
  return { id, changeId: change.id, invoice };
}

type Invoiced = Parameters<typeof anInvoice>[0];

async function report(
  id: string,
  made: Invoiced,
  outcome: CollectionOutcome,
  context: CallContext,
) {
  const invoice = anInvoice(made, InvoiceStatus.INVOICE_STATUS_PAID);
  const result = { subscriptionId: id, invoice, outcome, attempt: 1, resultNumber: 1 };
  await under.subscription.applyCollectionResult({ ...result, nextAttemptAt: undefined }, context);
}

test('a change whose wait cannot read the database is answered as it was stored', async () => {
  const context = testContext({ now: day('01-31') });
  const waitFor = Reflect.get(Subscriptions.prototype, 'waitFor');
  const waits = jest.spyOn(Subscriptions.prototype, 'waitFor');
  const failures: string[] = [];
  waits.mockImplementation(async function (this: Subscriptions, id, within, wait) {
    const { state } = await this.get(id, within);
    if (state.changes.paying === null) return waitFor.call(this, id, within, wait);
    failures.push(id);
    throw new Error('connection closed');
  });
  try {
    const { id } = await upgrade(context);
    expect(failures).toEqual([id]);
  } finally {
    waits.mockRestore();
  }
});

const steps: [string, (id: string, context: CallContext) => Promise<unknown>][] = [
  [
    'the renewal',
    async (_id, context) => {
      const { environmentId } = context.tenant;
      const workClass = WorkClass.WORK_CLASS_RENEWAL;
      await under.dueWork.runDue(
        { environmentId, until: periodEnd, workClass },
        later(context, periodEnd),
      );
    },
  ],
  [
    'a cancellation',
    (id, context) =>
      under.subscription.cancelSubscription(
        { id, atPeriodEnd: false },
        later(context, day('02-20')),
      ),
  ],
];

describe.each(steps)('%s while a change is being paid', (name, step) => {
  test.each(['VOID', 'CREDITED'] as const)(
    'comes first, and the invoice of the change ends %s',
    async (end) => {
      const context = testContext({ now: day('01-31') });
      const { id, changeId, invoice } = await upgrade(context);
      await step(id, context);
      const after = await under.get(id, context);
      const isRenewal = name === 'the renewal';
      expect(after.currentPeriodStart).toEqual(isRenewal ? periodEnd : day('01-31'));
      expect(after.status === SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED).toBe(!isRenewal);
      expect(after).toMatchObject({ quantity: 1, pendingChange: undefined });
      expect(await changeOf(id, changeId, context)).toMatchObject({
        status: ChangeStatus.CHANGE_STATUS_FAILED,
        failure: { code: 'superseded' },
      });

      // The payment has its outcome only now; the order to undo the change waits for it.
      if (end === 'CREDITED') under.peers.paid.add(invoice.invoiceId);
      under.peers.isPaymentRunning = false;
      await eventually(() => {
        const voided = under.peers.voids.map(({ request }) => request.invoiceId);
        expect(voided).toContain(invoice.invoiceId);
        const wanted = { invoiceId: invoice.invoiceId, changeId, lines: [], inFull: true };
        const credited = under.peers.creditNotes.map(({ request }) => request);
        expect(credited).toMatchObject(end === 'CREDITED' ? [wanted] : []);
      });
      // The late result of the payment changes nothing.
      await report(
        id,
        invoice,
        CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
        later(context, periodEnd),
      );
      expect(await changeOf(id, changeId, context)).toMatchObject({
        status: ChangeStatus.CHANGE_STATUS_FAILED,
      });
      expect((await under.get(id, context)).quantity).toBe(1);
      const wanted = ['created', 'payment_succeeded', isRenewal ? 'renewed' : 'canceled'];
      await eventually(async () => {
        const types = (await under.eventsOf(id)).map(({ type }) => type.split('.').at(-1));
        expect(types).toEqual(wanted);
      });
    },
  );
});

async function changeOf(subscriptionId: string, id: string, context: CallContext) {
  const { change } = await under.change.getChange({ subscriptionId, id }, context);
  return change;
}

test('a repeat of a call that has reserved and died is stored as it was previewed', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({ productId: 'seats', quantity: 3 }, context);
  const { peers } = under;
  await eventually(() => {
    const [made] = peers.invoices;
    if (made === undefined) throw new Error('Not invoiced yet');
    peers.paid.add(made.request.invoiceId);
  });
  const at = ChangeAt.CHANGE_AT_NOW;
  const change = { ...update, quantity: 1, ofItems: false, otherItems: [], at, proration: prorate };
  const retrySeed = { seed: newId(), isRetry: true };
  const call = { ...later(context, changedAt), retrySeed };
  const preview = { subscriptionId: id, change };
  const { token, creditNotes } = await under.change.previewChange(preview, call);
  expect(creditNotes).toHaveLength(1);
  const asked = { subscriptionId: id, change, metadata: undefined, previewToken: token };
  peers.credits.isAnswerLost = true;
  await expect(under.change.createChange(asked, call)).rejects.toMatchObject({
    kind: 'unavailable',
  });
  peers.credits.isAnswerLost = false;
  const stored = await under.change.createChange(asked, call);
  expect(stored.change?.status).toBe(ChangeStatus.CHANGE_STATUS_APPLIED);
  const ids = new Set(peers.credits.made.map(({ changeId }) => changeId));
  expect([...ids]).toEqual([stored.change?.id]);
});

describe('a change after the end of a period that is not renewed yet', () => {
  test('renews first, and is charged for the new period', async () => {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({ productId: 'seats' }, context);
    const changedLate = () => later(context, day('03-01'));
    const change = {
      ...update,
      quantity: 3,
      ofItems: false,
      otherItems: [],
      at: auto,
      proration: prorate,
      requirePayment: false,
    };
    const asked = { subscriptionId: id, change };
    // The refusal comes two seconds before the deadline.
    await eventually(async () => {
      const inTime = { ...changedLate(), deadline: new Date(Date.now() + 5_000) };
      await expect(under.change.previewChange(asked, inTime)).rejects.toMatchObject({
        kind: 'unavailable',
      });
    });
    const pay = async () => {
      const { invoices, paid } = under.peers;
      const [first, second] = await eventually(() => {
        expect(invoices.length).toBeGreaterThanOrEqual(2);
        return invoices.map(({ request }) => request);
      });
      for (const made of [first, second]) if (made !== undefined) paid.add(made.invoiceId);
    };
    const paying = pay();
    const made = await under.change.createChange({ ...asked, metadata: undefined }, changedLate());
    await paying;
    expect(made.change).toMatchObject({
      status: ChangeStatus.CHANGE_STATUS_APPLIED,
      from: { currentPeriodStart: periodEnd },
    });
    expect(await under.get(id, context)).toMatchObject({ quantity: 3 });
  });
});

test('a change waits until no other change has reserved credit on the invoice of the period', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({ productId: 'seats' }, context);
  const change = (deadlineMs: number) =>
    under.change.createChange(
      {
        subscriptionId: id,
        change: {
          ...update,
          quantity: 3,
          ofItems: false,
          otherItems: [],
          at: auto,
          proration: prorate,
        },
        metadata: undefined,
      },
      { ...later(context, changedAt), deadline: new Date(Date.now() + deadlineMs) },
    );
  under.peers.isReservedByAnother = true;
  // The refusal comes two seconds before the deadline.
  await eventually(async () => {
    await expect(change(3_000)).rejects.toMatchObject({ kind: 'unavailable' });
  });
  const waiting = change(100_000);
  setTimeout(() => (under.peers.isReservedByAnother = false), 300);
  const answer = await waiting;
  expect(answer.change?.status).not.toBe(ChangeStatus.CHANGE_STATUS_FAILED);
});

test('a change during a renewal takes effect in the period that has begun, at the time of the renewal', async () => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({ productId: 'seats' }, context);
  const [, renewal] = steps[0] ?? [];
  under.peers.onInvoiceRead = async () => {
    under.peers.onInvoiceRead = () => Promise.resolve();
    await renewal?.(id, context);
  };
  const before = new Date(periodEnd.getTime() - 1);
  const asked = later(context, before);
  const at = ChangeAt.CHANGE_AT_NOW;
  const change = { ...update, quantity: 3, ofItems: false, otherItems: [], at, proration: prorate };
  const made = await under.change.createChange(
    { subscriptionId: id, change: { ...change, requirePayment: false }, metadata: undefined },
    asked,
  );
  expect(made.change).toMatchObject({
    ...{ status: ChangeStatus.CHANGE_STATUS_APPLIED, effectiveAt: periodEnd },
    from: { currentPeriodStart: periodEnd },
  });
});
