import type { CallContext } from '@billing/chassis/call-context';
import { eventually } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
} from '@billing/proto/billing/subscription/v1/change';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import type { UsageWindow } from '@billing/proto/billing/metering/v1/metering';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import {
  aMeteredProduct,
  asking,
  later,
  meterPriceOf as priceOf,
  recurring,
  shownLines,
  usageScene,
} from '../testing/usage-scene';

const basicPrice = priceOf('basic', '2', '1000');
const proPrice = priceOf('pro', '1', '10000');

const under = serviceForTests(({ products }) => {
  products.set('basic', aMeteredProduct('basic', [basicPrice]));
  products.set('pro', aMeteredProduct('pro', [proPrice]));
  products.set('free', aProduct({ id: 'free' }, { id: 'price-of-free' }));
});

const { reach, invoiced, subscribe } = usageScene(under);
const changedAt = day('02-14');

/** Usage by the end of the window, in February and later. */
function usedBy(units: Readonly<Record<string, string>>): (window: UsageWindow) => string {
  return ({ periodIndex, end }) =>
    periodIndex > 0 ? '0' : (units[end?.toISOString().slice(5, 10) ?? ''] ?? '0');
}

const change = (asked: ReturnType<typeof asking>, context: CallContext) =>
  under.change.createChange({ ...asked, metadata: undefined, previewToken: undefined }, context);

test('a change now bills the usage before by the rates before, and a preview shows it', async () => {
  const { metering } = under.peers;
  const { id, context } = await subscribe('basic');
  metering.usageOf = usedBy({ '02-14': '5000', '02-28': '12000' });
  const at = later(context, changedAt);
  const shown = await under.change.previewChange(asking(id, 'pro'), at);
  await change(asking(id, 'pro'), at);
  const next = await under.change.previewNextInvoice({ subscriptionId: id }, at);
  await reach(later(context, day('02-28')));
  const [, billed] = await invoiced(id, 2);
  expect(billed?.lines).toEqual([
    recurring(day('02-28')),
    ['meter', '5000', 8000n, day('01-31')],
    ['meter', '7000', 2000n, changedAt],
  ]);
  expect(shownLines(shown.nextInvoice)).toEqual(billed?.lines);
  expect(shownLines(next.nextInvoice)).toEqual(billed?.lines);
  const lines = under.peers.invoices.at(-1)?.request.lineItems;
  expect(lines?.map(({ itemProductId, priceId }) => [itemProductId, priceId])).toEqual([
    ['pro', expect.any(String)],
    ['basic', 'price-of-basic'],
    ['pro', 'price-of-pro'],
  ]);
  // The window has no end: a release that does not know stretches refuses it.
  expect(metering.settlements.at(-1)?.windows).toEqual([
    { periodIndex: 0, start: day('01-31'), end: day('02-28'), meters: [] },
    {
      ...{ periodIndex: 0, start: day('01-31'), end: undefined },
      meters: [
        {
          ...{ meterId: 'meter', includedUnits: '', taken: [] },
          stretches: [
            { end: changedAt, includedUnits: '1000', continues: false },
            { end: day('02-28'), includedUnits: '10000', continues: false },
          ],
        },
      ],
    },
  ]);

  metering.usageOf = usedBy({ '02-14': '5100', '02-28': '12100' });
  await reach(later(context, day('03-31')));
  const [, , late] = await invoiced(id, 3);
  expect(late?.lines).toEqual([
    recurring(day('03-31')),
    ['meter', '100', 200n, day('01-31')],
    ['meter', '0', 100n, changedAt],
  ]);
});

test('a change at the end of the period bills the past period by the product before', async () => {
  const { id, context } = await subscribe('basic');
  under.peers.metering.usageOf = usedBy({ '02-28': '5000' });
  const atEnd = asking(id, 'pro', { at: ChangeAt.CHANGE_AT_PERIOD_END });
  const shown = await under.change.previewChange(atEnd, later(context, changedAt));
  await change(atEnd, later(context, changedAt));
  await reach(later(context, day('02-28')));
  const [, billed] = await invoiced(id, 2);
  expect(billed?.lines).toEqual([recurring(day('02-28')), ['meter', '5000', 8000n, day('01-31')]]);
  expect(shownLines(shown.nextInvoice)).toEqual(billed?.lines);
  under.peers.metering.usageOf = usedBy({ '02-28': '5100' });
  await reach(later(context, day('03-31')));
  const [, , late] = await invoiced(id, 3);
  expect(late?.lines).toEqual([recurring(day('03-31')), ['meter', '100', 200n, day('01-31')]]);
});

test('a meter that no product prices any more is billed up to the change', async () => {
  const { id, context } = await subscribe('basic');
  under.peers.metering.usageOf = usedBy({ '02-14': '5000', '02-28': '12000' });
  await change(asking(id, 'free'), later(context, changedAt));
  await reach(later(context, day('02-28')));
  const [, billed] = await invoiced(id, 2);
  expect(billed?.lines).toEqual([recurring(day('02-28')), ['meter', '5000', 8000n, day('01-31')]]);
});

test('a meter that joins is billed from the change on, also when the subscription is canceled', async () => {
  const { id, context } = await subscribe('free');
  const canceledAt = day('02-20');
  under.peers.metering.usageOf = usedBy({ '02-20': '3000' });
  await change(asking(id, 'basic'), later(context, changedAt));
  const { lived, periods } = await under.subscription.listUsagePeriods(
    { customerId: 'customer', since: undefined },
    later(context, changedAt),
  );
  const stretches = [
    { start: day('01-31'), end: changedAt, meterPrices: [] },
    { start: changedAt, end: day('02-28'), meterPrices: [basicPrice] },
  ];
  const ofSubscription = { subscriptionId: id, meterPrices: [basicPrice], stretches };
  expect(periods.filter(({ subscriptionId }) => subscriptionId === id)).toMatchObject([
    ofSubscription,
  ]);
  expect(lived.filter(({ subscriptionId }) => subscriptionId === id)).toMatchObject([
    ofSubscription,
  ]);
  const at = later(context, canceledAt);
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, at);
  const [, final] = await invoiced(id, 2);
  expect(final?.lines).toEqual([['meter', '3000', 4000n, changedAt]]);
  const afterwards = new Date(canceledAt.getTime() + 1);
  const [, window] = under.peers.metering.settlements.at(-1)?.windows ?? [];
  expect(window).toMatchObject({ start: changedAt, end: afterwards, meters: [{ stretches: [] }] });
});

test('a change that is declined bills as if it had not been asked for', async () => {
  const { id, context } = await subscribe('basic');
  const [first] = under.peers.invoices.filter(({ request }) => request.subscriptionId === id);
  if (first === undefined) throw new Error('Not invoiced');
  const collected = (invoiceId: string, outcome: CollectionOutcome, status: InvoiceStatus) => {
    const made = under.peers.invoices.find(({ request }) => request.invoiceId === invoiceId);
    if (made === undefined) throw new Error('Not invoiced');
    const invoice = anInvoice(made.request, status);
    const result = { subscriptionId: id, attempt: 1, resultNumber: 1, nextAttemptAt: undefined };
    const at = later(context, changedAt);
    return under.subscription.applyCollectionResult({ ...result, invoice, outcome }, at);
  };
  under.peers.paid.add(first.request.invoiceId);
  const { COLLECTION_OUTCOME_SUCCEEDED, COLLECTION_OUTCOME_FAILED } = CollectionOutcome;
  const { INVOICE_STATUS_PAID, INVOICE_STATUS_VOID } = InvoiceStatus;
  await collected(first.request.invoiceId, COLLECTION_OUTCOME_SUCCEEDED, INVOICE_STATUS_PAID);
  Object.assign(under.peers, { isCollecting: true, isPaymentRunning: true });
  under.peers.products.set(
    'dear',
    aProduct(
      { id: 'dear', meterPriceSet: 1, meterPrices: [priceOf('dear', '1', '0')] },
      { id: 'price-of-dear', amount: 9900n },
    ),
  );
  const paid = { requirePayment: true, proration: ChangeProration.CHANGE_PRORATION_PRORATE };
  const asked = change(asking(id, 'dear', paid), later(context, changedAt));
  const made = await eventually(() => {
    const all = under.peers.invoices.filter(({ request }) => request.subscriptionId === id);
    const ofChange = all[1]?.request;
    if (ofChange === undefined) throw new Error('Not invoiced yet');
    return ofChange;
  });
  await collected(made.invoiceId, COLLECTION_OUTCOME_FAILED, INVOICE_STATUS_VOID);
  expect((await asked).change?.failure).toBeDefined();
  Object.assign(under.peers, { isCollecting: false, isPaymentRunning: false });
  under.peers.metering.usageOf = usedBy({ '02-14': '5000', '02-28': '12000' });
  await reach(later(context, day('02-28')));
  const [, , billed] = await invoiced(id, 3);
  expect(billed?.lines).toEqual([
    recurring(day('02-28')),
    ['meter', '12000', 22000n, day('01-31')],
  ]);
});

test('a product that is changed before the first billed period prices that period alone', async () => {
  const context = later(await subscribe('free').then((one) => one.context), day('02-01'));
  const startAt = day('03-01');
  const { id } = await under.create({ productId: 'basic', startAt }, context);
  await change(asking(id, 'pro'), context);
  await reach(later(context, startAt));
  await invoiced(id, 1);
  under.peers.metering.usageOf = usedBy({ '04-01': '12000' });
  await reach(later(context, day('04-01')));
  const [, billed] = await invoiced(id, 2);
  expect(billed?.lines).toEqual([recurring(day('04-01')), ['meter', '12000', 2000n, startAt]]);
});

test('a change in the trial, also at its end, prices the first period by the new product', async () => {
  const priced = aMeteredProduct('tried', [basicPrice]);
  const { products } = under.peers;
  const price = priced.price && { ...priced.price, trialDays: 3 };
  products.set('tried', { ...priced, price });
  for (const at of [ChangeAt.CHANGE_AT_NOW, ChangeAt.CHANGE_AT_PERIOD_END]) {
    const context = later(await subscribe('free').then((one) => one.context), day('02-01'));
    const { id } = await under.create({ productId: 'tried' }, context);
    await change(asking(id, 'pro', { at }), later(context, day('02-03')));
    await reach(later(context, day('02-04')));
    const [first] = await invoiced(id, 1);
    expect(first?.lines).toEqual([recurring(day('02-04'))]);
    under.peers.metering.usageOf = usedBy({ '03-04': '12000' });
    await reach(later(context, day('03-04')));
    const [, billed] = await invoiced(id, 2);
    const line = ['meter', '12000', 2000n, day('02-04')];
    expect(billed?.lines).toEqual([recurring(day('03-04')), line]);
  }
});

test('products that change in a pause price the periods after it alone', async () => {
  const { id, context } = await subscribe('basic');
  under.peers.metering.usageOf = ({ periodIndex, end }) =>
    periodIndex === 0 ? '5000' : end?.getUTCMonth() === 3 ? '12000' : '0';
  const at = later(context, changedAt);
  await change(asking(id, 'free'), later(context, day('02-10')));
  await change(asking(id, '', { kind: ChangeKind.CHANGE_KIND_PAUSE }), at);
  await change(asking(id, 'pro'), at);
  const [, paused] = await invoiced(id, 2);
  expect(paused?.lines).toEqual([['meter', '5000', 8000n, day('01-31')]]);
  const proration = ChangeProration.CHANGE_PRORATION_PRORATE;
  const resume = { kind: ChangeKind.CHANGE_KIND_RESUME, proration };
  const resumed = later(context, day('03-10'));
  await change(asking(id, '', resume), resumed);
  await reach(later(context, day('04-10')));
  const [, , , billed] = await invoiced(id, 4);
  expect(billed?.lines).toEqual([recurring(day('04-10')), ['meter', '12000', 2000n, day('03-10')]]);
});
