import { eventually } from '@billing/chassis/testing';
import { BillingReason } from '@billing/proto/billing/checkout/v1/checkout';
import { ChangeProration } from '@billing/proto/billing/subscription/v1/change';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import {
  aMeteredProduct,
  aMeterPrice,
  later,
  recurring,
  shownLines,
  usageScene,
} from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  peers.products.set('metered', aMeteredProduct('metered', [aMeterPrice()]));
});

const { reach, invoiced, subscribe } = usageScene(under);

test('a renewal bills the usage of the past period after its recurring charge, and late events on the next one', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id, context } = await subscribe();
  expect(metering.settlements).toEqual([]);

  await reach(later(context, day('02-28')));
  const [, first] = await invoiced(id, 2);
  expect(first?.lines).toEqual([recurring(day('02-28')), ['meter', '300', 100n, day('01-31')]]);
  expect(metering.settlements).toMatchObject([
    {
      subscriptionId: id,
      customerId: 'customer',
      key: 'period:0',
      windows: [
        {
          periodIndex: 0,
          start: day('01-31'),
          end: day('02-28'),
          meters: [{ meterId: 'meter', includedUnits: '100', taken: [] }],
        },
      ],
    },
  ]);

  metering.usageOf = ({ periodIndex }) => (periodIndex === 0 ? '340' : '10');
  await reach(later(context, day('03-31')));
  const [, , second] = await invoiced(id, 3);
  expect(second?.lines).toEqual([
    recurring(day('03-31')),
    ['meter', '10', 0n, day('02-28')],
    ['meter', '40', 20n, day('01-31')],
  ]);
  expect(metering.settlements.at(-1)?.windows.map(({ periodIndex }) => periodIndex)).toEqual([
    0, 1,
  ]);
});

test('a subscription to a product without meter prices never asks metering', async () => {
  const { id, context } = await subscribe('product');
  await reach(later(context, day('02-28')));
  await invoiced(id, 2);
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: false },
    later(context, day('03-01')),
  );
  await eventually(async () => {
    expect(under.peers.voids).toHaveLength(1);
  });
  expect(under.peers.metering.settlements).toEqual([]);
});

test('a cancellation bills the usage so far, including that of the invoice that it voids', async () => {
  under.peers.metering.usageOf = ({ periodIndex }) => (periodIndex === 0 ? '300' : '120');
  const { id, context } = await subscribe();
  await reach(later(context, day('02-28')));
  await invoiced(id, 2);
  const cancelAt = later(context, day('03-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  const [, , final] = await invoiced(id, 3);
  expect(final).toEqual({
    reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
    period: [day('02-28'), day('03-10')],
    lines: [
      ['meter', '120', 10n, day('02-28')],
      ['meter', '300', 100n, day('01-31')],
    ],
  });
  // The usage at the instant of the end counts.
  const afterwards = new Date(day('03-10').getTime() + 1);
  expect(under.peers.metering.settlements.at(-1)).toMatchObject({
    key: 'end',
    windows: [{ periodIndex: 0 }, { periodIndex: 1, start: day('02-28'), end: afterwards }],
  });
});

test('previews show the usage that the next invoice bills, and order no settlement', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id: subscriptionId, context } = await subscribe();
  const at = later(context, day('02-10'));
  const next = await under.change.previewNextInvoice({ subscriptionId }, at);
  expect(next.nextInvoiceEstimated).toBe(true);
  expect(shownLines(next.nextInvoice)).toEqual([
    recurring(day('02-28')),
    ['meter', '300', 100n, day('01-31')],
  ]);
  expect(metering.settlements).toEqual([]);
  await reach(later(context, day('02-28')));
  const [, billed] = await invoiced(subscriptionId, 2);
  expect(shownLines(next.nextInvoice)).toEqual(billed?.lines);
});

test('a preview of a cancellation shows the usage that it bills, including that of the invoice that it voids', async () => {
  under.peers.metering.usageOf = ({ periodIndex }) => (periodIndex === 0 ? '300' : '120');
  const { id, context } = await subscribe();
  await reach(later(context, day('02-28')));
  await invoiced(id, 2);
  const at = later(context, day('03-10'));
  const proration = ChangeProration.CHANGE_PRORATION_NONE;
  const ended = { subscriptionId: id, atPeriodEnd: false, proration };
  const shown = await under.change.previewCancellation(ended, at);
  expect(under.peers.metering.settlements.map(({ key }) => key)).toEqual(['period:0']);
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, at);
  const [, , final] = await invoiced(id, 3);
  expect(shownLines(shown.usageInvoice)).toEqual(final?.lines);
  expect(shown).toMatchObject({
    usageInvoiceEstimated: true,
    usageInvoice: {
      billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
      periodStart: day('02-28'),
      periodEnd: day('03-10'),
    },
  });
});

test('an end with its period bills the last usage, and late usage once after 36 days', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id, context } = await subscribe();
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: true },
    later(context, day('02-01')),
  );
  await reach(later(context, day('02-28')), WorkClass.WORK_CLASS_END);
  const [, final] = await invoiced(id, 2);
  expect(final).toMatchObject({
    reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
    period: [day('01-31'), day('02-28')],
    lines: [['meter', '300', 100n, day('01-31')]],
  });
  metering.usageOf = () => '302';
  // The bill of the end records that late events may follow, a moment after its invoice.
  await eventually(async () => {
    await reach(later(context, day('04-05')));
    expect(metering.settlements.map(({ key }) => key)).toEqual(['end', 'late']);
  });
  const [, , late] = await invoiced(id, 3);
  expect(late?.lines).toEqual([['meter', '2', 1n, day('01-31')]]);
  await reach(later(context, day('12-31')));
  await invoiced(id, 3);
});

test('late usage is billed before its customer is deleted, and later usage after 36 days if the customer stays', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id, context } = await subscribe();
  const cancelAt = later(context, day('02-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  const bill = (at: string) =>
    under.subscription.billEndedSubscriptions({ customerId: 'customer' }, later(context, day(at)));
  // Also waits for the bill of the end.
  await bill('02-10');
  await invoiced(id, 2);

  metering.usageOf = () => '302';
  await bill('02-12');
  const [, , late] = await invoiced(id, 3);
  expect(late?.lines).toEqual([['meter', '2', 1n, day('01-31')]]);
  await bill('02-12');
  await invoiced(id, 3);

  metering.usageOf = () => '306';
  await reach(later(context, day('03-19')));
  const [, , , last] = await invoiced(id, 4);
  expect(last?.lines).toEqual([['meter', '4', 2n, day('01-31')]]);
  await reach(later(context, day('12-31')));
  await bill('12-31');
  await invoiced(id, 4);
  await under.subscription.billEndedSubscriptions({ customerId: 'unknown' }, context);
});

test('late usage that arrives while an earlier late bill waits is billed, too', async () => {
  const { metering } = under.peers;
  metering.usageOf = () => '300';
  const { id, context } = await subscribe();
  const cancelAt = later(context, day('02-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  await under.subscription.billEndedSubscriptions({ customerId: 'customer' }, cancelAt);
  await invoiced(id, 2);

  const made = metering.settlements.length;
  metering.usageOf = () => '302';
  under.peers.isInvoicingDown = true;
  // The refusal comes two seconds before the deadline.
  await eventually(async () => {
    const asked = { ...later(context, day('02-12')), deadline: new Date(Date.now() + 8_000) };
    await expect(
      under.subscription.billEndedSubscriptions({ customerId: 'customer' }, asked),
    ).rejects.toMatchObject({ kind: 'unavailable' });
  });
  await eventually(() => {
    expect(metering.settlements.length).toBeGreaterThan(made);
  });
  metering.usageOf = () => '306';
  await reach(later(context, day('03-19')));
  under.peers.isInvoicingDown = false;
  const [, , first, second] = await invoiced(id, 4);
  expect(first?.lines).toEqual([['meter', '2', 1n, day('01-31')]]);
  expect(second?.lines).toEqual([['meter', '4', 2n, day('01-31')]]);
});

test('an end without usage creates no invoice', async () => {
  const { id, context } = await subscribe();
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: false },
    later(context, day('02-01')),
  );
  await eventually(async () => {
    expect(under.peers.metering.settlements).toHaveLength(1);
  });
  expect((await under.get(id, context)).status).toBe(
    SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED,
  );
  await invoiced(id, 1);
});

test('usage of a meter that an earlier subscription of the customer prices belongs to that one', async () => {
  const { id: first, context } = await subscribe();
  const { id } = await under.create({ productId: 'metered' }, later(context, day('02-10')));
  await reach(later(context, day('03-10')));
  await invoiced(id, 2);
  const ofSecond = under.peers.metering.settlements.find(
    ({ subscriptionId }) => subscriptionId === id,
  );
  expect(ofSecond?.windows[0]?.meters[0]?.taken).toEqual([
    { start: day('02-10'), end: day('02-28') },
    { start: day('02-28'), end: day('03-10') },
  ]);
  await invoiced(first, 2);
});

test('the running periods of a customer are listed with their prices, the earliest first', async () => {
  const { id: first, context } = await subscribe();
  const { id } = await under.create({ productId: 'metered' }, later(context, day('02-10')));
  const { periods } = await under.subscription.listUsagePeriods(
    { customerId: 'customer', since: undefined },
    later(context, day('02-11')),
  );
  expect(periods).toMatchObject([
    { subscriptionId: first, start: day('01-31'), end: day('02-28'), trial: false },
    { subscriptionId: id, start: day('02-10'), end: day('03-10'), currency: 'USD' },
  ]);
  expect(periods[0]?.meterPrices).toEqual([aMeterPrice()]);
});

test('the recent periods of a customer include those of ended subscriptions, cut off at the end', async () => {
  const { id: first, context } = await subscribe();
  const before = later(context, day('02-10'));
  const next = later(context, day('02-11'));
  await under.subscription.cancelSubscription(
    { id: first, atPeriodEnd: false, expectedVersion: undefined },
    before,
  );
  const { id } = await under.create({ productId: 'metered' }, next);
  const { periods, lived } = await under.subscription.listUsagePeriods(
    { customerId: 'customer', since: undefined },
    next,
  );
  expect(periods.map(({ subscriptionId }) => subscriptionId)).toEqual([id]);
  const afterwards = new Date(day('02-10').getTime() + 1);
  const ofSubscription = { productId: 'metered', meterPrices: [aMeterPrice()], periodIndex: 0 };
  expect(lived).toMatchObject([
    { subscriptionId: first, start: day('01-31'), end: afterwards, ...ofSubscription },
    { subscriptionId: id, start: day('02-11'), end: day('03-11'), ...ofSubscription },
  ]);

  const march = later(context, day('03-05'));
  const of = async (since: Date | undefined) => {
    const answer = await under.subscription.listUsagePeriods(
      { customerId: 'customer', since },
      march,
    );
    return answer.lived.map(({ subscriptionId }) => subscriptionId);
  };
  expect(await of(undefined)).toEqual([id]);
  expect(await of(day('02-01'))).toEqual([first, id]);
});
