import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { BillingReason, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { DiscountDuration } from '@billing/proto/billing/discount/v1/discount';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
} from '@billing/proto/billing/subscription/v1/change';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { aProtoDiscount } from '../testing/customer-facts';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { serviceForTests } from '../testing/service-for-tests';
import {
  aMeteredProduct,
  asking,
  later,
  meterPriceOf,
  recurring,
  shownLines,
  usageScene,
} from '../testing/usage-scene';

const under = serviceForTests();

const basic = aMeteredProduct('basic', [meterPriceOf('basic', '2', '1000')]);
const pro = aMeteredProduct('pro', [meterPriceOf('pro', '1', '10000')]);

beforeEach(() => {
  for (const product of [basic, pro]) under.peers.products.set(product.id, product);
});

const { reach, pass, settled, invoiced, subscribe } = usageScene(under);
const cutAt = day('02-14');
const { CHANGE_KIND_PAUSE: PAUSE, CHANGE_KIND_RESUME: RESUME } = ChangeKind;
const { BILLING_REASON_SUBSCRIPTION_CHANGE: ofChange } = BillingReason;

const resume = { kind: RESUME, proration: ChangeProration.CHANGE_PRORATION_PRORATE };

/** Usage of each period, and so of its only meter. */
function used(...byPeriod: string[]) {
  under.peers.metering.usageOf = ({ periodIndex }) => byPeriod[periodIndex] ?? '0';
}

const change = (asked: ReturnType<typeof asking>, context: CallContext) =>
  under.change.createChange({ ...asked, metadata: undefined, previewToken: undefined }, context);

const keys = () => under.peers.metering.settlements.map(({ key }) => key);

describe('a new cycle that begins now', () => {
  const toPro = { proration: ChangeProration.CHANGE_PRORATION_FULL_AND_RESET };

  test('bills the usage so far right after its own invoice, as its preview shows', async () => {
    const { id, context } = await subscribe('basic');
    used('5000', '12000');
    const at = later(context, cutAt);
    const shown = await under.change.previewChange(asking(id, 'pro', toPro), at);
    await change(asking(id, 'pro', toPro), at);
    const [, ofCycle, usage] = await invoiced(id, 3);
    expect(ofCycle).toEqual({
      reason: ofChange,
      period: [cutAt, day('03-14')],
      lines: [recurring(cutAt)],
    });
    expect(usage).toEqual({
      reason: ofChange,
      period: [day('01-31'), cutAt],
      lines: [['meter', '5000', 8000n, day('01-31')]],
    });
    expect(shownLines(shown.usageInvoice)).toEqual(usage?.lines);
    expect(shown.usageInvoiceEstimated).toBe(true);
    expect(shownLines(shown.nextInvoice)).toEqual([
      recurring(day('03-14')),
      ['meter', '12000', 2000n, cutAt],
    ]);
    const found = await under.get(id, context);
    expect(found.latestInvoiceId).toBe(under.peers.invoices[1]?.request.invoiceId);
  });

  const changeAsShown = (id: string, previewToken: string | undefined, context: CallContext) =>
    under.change.createChange(
      { ...asking(id, 'pro', toPro), metadata: undefined, previewToken },
      context,
    );
  const setProduct = (product: typeof basic, parts: object) =>
    under.peers.products.set(product.id, { ...product, ...parts });

  test.each<[string, move: () => void]>([
    [
      'more usage',
      () => {
        used('6000');
      },
    ],
    ['a price of it', () => setProduct(basic, { meterPrices: [meterPriceOf('basic', '3', '0')] })],
    ['its tax category', () => setProduct(basic, { taxCategory: 'reduced' })],
  ])('is honored when %s moves the bill of usage alone', async (_name, move) => {
    const { id, context } = await subscribe('basic');
    used('5000');
    const shown = await under.change.previewChange(asking(id, 'pro', toPro), later(context, cutAt));
    move();
    const { change: made } = await changeAsShown(id, shown.token, later(context, cutAt));
    expect(made).toMatchObject({ effectiveAt: cutAt });
    const [, ofCycle] = await invoiced(id, 3);
    expect(ofCycle?.lines).toEqual(shownLines(shown.invoice));
  });

  const plainly = { proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED } as const;

  test.each<[string, move: (id: string, context: CallContext) => unknown, seconds?: number]>([
    ['time', () => undefined, 16 * 60],
    [
      'subscription',
      (id, context) =>
        under.subscription.cancelSubscription({ id, atPeriodEnd: false, ...plainly }, context),
    ],
    ['price', () => setProduct(pro, { active: false })],
  ])('orders no bill of usage when its preview is stale: %s', async (name, move, seconds = 0) => {
    const { id, context } = await subscribe('basic');
    used('5000');
    const at = later(context, cutAt);
    const { token } = await under.change.previewChange(asking(id, 'pro', toPro), at);
    await move(id, at);
    const late = later(context, new Date(cutAt.getTime() + seconds * 1_000));
    await expect(changeAsShown(id, token, late)).rejects.toMatchObject({
      ...{ kind: 'failed_precondition', message: `Preview is stale: ${name}` },
    });
    const listed = { subscriptionId: id, status: undefined, page: 1, perPage: 10 };
    expect(await under.change.listChanges(listed, at)).toEqual({ changes: [], total: 0 });
    expect(keys()).not.toContain('cut:0');
  });

  test('bills late usage of the period before with the next renewal', async () => {
    const { id, context } = await subscribe('basic');
    used('5000');
    await change(asking(id, 'pro', toPro), later(context, cutAt));
    await invoiced(id, 3);
    used('5100', '12000');
    await reach(later(context, day('03-14')));
    const [, , , next] = await invoiced(id, 4);
    expect(next?.lines).toEqual([
      recurring(day('03-14')),
      ['meter', '12000', 2000n, cutAt],
      ['meter', '100', 200n, day('01-31')],
    ]);
    expect(keys()).toEqual(['cut:0', 'period:1']);
  });

  test('bills usage of a subscription that is created in a running period', async () => {
    const created = testContext({ now: day('02-14') });
    used('5000');
    const { id } = await under.create({ productId: 'basic', startAt: day('01-31') }, created);
    await invoiced(id, 1);
    await change(asking(id, 'pro', toPro), created);
    const [, , usage] = await invoiced(id, 3);
    expect(usage?.lines).toEqual([['meter', '5000', 8000n, day('01-31')]]);
  });

  test('makes no second invoice if nothing was used', async () => {
    const { id, context } = await subscribe('basic');
    await change(asking(id, 'pro', toPro), later(context, cutAt));
    await settled(context, cutAt);
    await invoiced(id, 2);
    expect(keys()).toEqual(['cut:0']);
  });

  test.each([
    ['FOREVER, which both invoices have', DiscountDuration.DISCOUNT_DURATION_FOREVER, 'half'],
    [
      'ONCE, which the first period has used up',
      DiscountDuration.DISCOUNT_DURATION_ONCE,
      undefined,
    ],
  ])('bills the usage so far with a discount %s', async (_name, duration, expected) => {
    under.peers.discounts.set('half', aProtoDiscount({ id: 'half', duration }));
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({ productId: 'basic', discountId: 'half' }, context);
    await invoiced(id, 1);
    used('5000');
    await change(asking(id, 'pro', toPro), later(context, cutAt));
    await invoiced(id, 3);
    const [, ofCycle, usage] = under.peers.invoices.map(({ request }) => request);
    expect(usage?.discount?.discountId).toBe(expected);
    const off = expected === undefined ? 0n : 4000n;
    expect(usage?.lineItems.map(({ discountAmount }) => discountAmount)).toEqual([off]);
    expect(ofCycle?.lineItems[0]?.discountAmount).toBe(expected === undefined ? 0n : 1450n);
  });

  test('that is paid first bills usage once it is paid', async () => {
    const { id, context } = await subscribe('basic');
    Object.assign(under.peers, { isCollecting: true, isPaymentRunning: true });
    used('5000');
    const at = later(context, cutAt);
    const asked = change(asking(id, 'pro', { ...toPro, requirePayment: true }), at);
    const [, ofCycle] = await invoiced(id, 2).then(() =>
      under.peers.invoices.map(({ request }) => request),
    );
    expect(keys()).toEqual([]);
    if (ofCycle === undefined) throw new Error('Not invoiced');
    const invoice = anInvoice(ofCycle, InvoiceStatus.INVOICE_STATUS_PAID);
    const outcome = CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED;
    const result = { subscriptionId: id, attempt: 1, resultNumber: 1, nextAttemptAt: undefined };
    await under.subscription.applyCollectionResult({ ...result, invoice, outcome }, at);
    await asked;
    const [, , usage] = await invoiced(id, 3);
    expect(usage?.lines).toEqual([['meter', '5000', 8000n, day('01-31')]]);
    used('5000', '12000');
    await reach(later(context, day('03-14')));
    const [, , , next] = await invoiced(id, 4);
    expect(next?.lines).toEqual([recurring(day('03-14')), ['meter', '12000', 2000n, cutAt]]);
  });

  test('bills usage over the limit once it was corrected, and no change until then', async () => {
    const { id, context } = await subscribe('basic');
    used('1000000000000');
    await change(asking(id, 'pro', toPro), later(context, cutAt));
    await settled(context, cutAt);
    await invoiced(id, 2);
    const next = asking(id, 'basic', toPro);
    await expect(change(next, later(context, cutAt))).rejects.toMatchObject({
      reason: 'SUBSCRIPTION_PARKED',
    });
    used('5000');
    await pass(context, day('02-15'));
    const [, , usage] = await invoiced(id, 3);
    expect(usage?.lines).toEqual([['meter', '5000', 8000n, day('01-31')]]);
    expect(under.peers.metering.settlements.at(-1)).toMatchObject({
      key: 'cut:0/2',
      unbilledKeys: ['cut:0'],
    });
    await pass(context, day('02-20'));
    await invoiced(id, 3);
  });
});

describe('a pause', () => {
  test('that begins now bills the usage so far; what is used in it is never billed', async () => {
    const { id, context } = await subscribe('basic');
    used('5000', '3000');
    const at = later(context, cutAt);
    const shown = await under.change.previewChange(asking(id, '', { kind: PAUSE }), at);
    await change(asking(id, '', { kind: PAUSE }), at);
    const [, usage] = await invoiced(id, 2);
    expect(usage).toEqual({
      reason: ofChange,
      period: [day('01-31'), cutAt],
      lines: [['meter', '5000', 8000n, day('01-31')]],
    });
    expect(shownLines(shown.usageInvoice)).toEqual(usage?.lines);
    expect(shown.nextInvoice).toBeUndefined();
    await change(asking(id, '', resume), later(context, day('05-01')));
    await reach(later(context, day('06-01')));
    const [, , resumed, renewed] = await invoiced(id, 4);
    expect(resumed?.lines).toEqual([recurring(day('05-01'))]);
    expect(renewed?.lines).toEqual([
      recurring(day('06-01')),
      ['meter', '3000', 4000n, day('05-01')],
    ]);
    const [, last] = under.peers.metering.settlements;
    expect(last?.windows.map(({ start, end }) => [start, end])).toEqual([
      [day('01-31'), cutAt],
      [day('05-01'), day('06-01')],
    ]);
  });

  test('leaves late usage of the period before to the first renewal after it', async () => {
    const { id, context } = await subscribe('basic');
    used('5000');
    await change(asking(id, '', { kind: PAUSE }), later(context, cutAt));
    await invoiced(id, 2);
    used('5100', '0');
    await change(asking(id, '', resume), later(context, day('05-01')));
    await reach(later(context, day('06-01')));
    const [, , , renewed] = await invoiced(id, 4);
    expect(renewed?.lines).toEqual([recurring(day('06-01')), ['meter', '100', 200n, day('01-31')]]);
  });

  test('that begins at the end of the period bills all of it', async () => {
    const { id, context } = await subscribe('basic');
    used('5000');
    const atEnd = asking(id, '', { kind: PAUSE, at: ChangeAt.CHANGE_AT_PERIOD_END });
    await change(atEnd, later(context, cutAt));
    await reach(later(context, day('02-28')));
    const [, usage] = await invoiced(id, 2);
    expect(usage).toEqual({
      reason: ofChange,
      period: [day('01-31'), day('02-28')],
      lines: [['meter', '5000', 8000n, day('01-31')]],
    });
  });

  test('that ends by time pins the meter prices of the period that follows', async () => {
    const { id, context } = await subscribe('basic');
    const resumeAt = day('03-10');
    await change(asking(id, '', { kind: PAUSE, resumeAt }), later(context, cutAt));
    used('0', '5000');
    await reach(later(context, resumeAt));
    await reach(later(context, day('04-10')));
    const [, , renewed] = await invoiced(id, 3);
    expect(renewed?.lines).toEqual([recurring(day('04-10')), ['meter', '5000', 8000n, resumeAt]]);
  });

  test('that begins and ends at the instant of a change of products is billed once', async () => {
    const { id, context } = await subscribe('basic');
    used('5000');
    const at = later(context, cutAt);
    await change(asking(id, 'pro'), at);
    await change(asking(id, '', { kind: PAUSE }), at);
    await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, at);
    await settled(context, cutAt);
    const [, usage, ...none] = await invoiced(id, 2);
    expect(usage?.lines).toEqual([['meter', '5000', 8000n, day('01-31')]]);
    expect(none).toEqual([]);
    expect(keys()).toEqual(['cut:0', 'end']);
  });

  test('that is canceled bills late usage alone', async () => {
    const { id, context } = await subscribe('basic');
    used('5000');
    await change(asking(id, '', { kind: PAUSE }), later(context, cutAt));
    await invoiced(id, 2);
    used('5100');
    const canceledAt = later(context, day('02-20'));
    await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, canceledAt);
    await reach(canceledAt, WorkClass.WORK_CLASS_END);
    const [, , final] = await invoiced(id, 3);
    expect(final).toMatchObject({
      reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
      lines: [['meter', '100', 200n, day('01-31')]],
    });
  });
});
