import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { BillingInterval, PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import {
  ChangeAt,
  ChangeCollect,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '@billing/proto/billing/subscription/v1/change';
import type { ChangeItem } from '@billing/proto/billing/subscription/v1/change_service';
import { CollectionOutcome } from '@billing/proto/billing/subscription/v1/subscription';
import { aProtoCustomer } from '../testing/customer-facts';
import { day } from '../testing/fixtures';
import { anInvoice } from '../testing/invoice';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import { later } from '../testing/usage-scene';

// The largest amount of an invoice is just below 100 billion.
const billions = { b60: 60_000_000_000n, b80: 80_000_000_000n, b90: 90_000_000_000n };

const under = serviceForTests((peers) => {
  const type = PricingType.PRICING_TYPE_PER_UNIT;
  const yearly = { billingInterval: BillingInterval.BILLING_INTERVAL_YEARLY };
  const { products } = peers;
  products.set('base', aProduct({ id: 'base', name: 'Base' }, { id: 'p-base', type }));
  products.set('seats', aProduct({ id: 'seats', name: 'Seats' }, { id: 'p-seats', type }));
  products.set('extra', aProduct({ id: 'extra', name: 'Extra' }, { id: 'p-extra', type }));
  products.set('yearly', aProduct({ id: 'yearly' }, { id: 'p-yearly', ...yearly }));
  for (const [id, amount] of Object.entries(billions)) {
    products.set(id, aProduct({ id }, { id: `p-${id}`, amount }));
  }
  products.set('pounds', aProduct({ id: 'pounds' }, { id: 'p-pounds', currency: 'GBP' }));
});

const periodEnd = day('02-28');
/** A subscription of a base and two seats, whose first invoice is paid; asked on 14 February. */
async function running(list = [{ productId: 'base' }, { productId: 'seats', quantity: 2 }]) {
  const context = testContext({ now: day('01-31') });
  const items = { items: list };
  const { id, items: bought } = await under.create({ productId: '', items }, context);
  const first = await eventually(() => {
    const made = under.peers.invoices.find(({ request }) => request.subscriptionId === id);
    if (made === undefined) throw new Error('Not invoiced yet');
    return made.request;
  });
  under.peers.paid.add(first.invoiceId);
  const result = {
    ...{ subscriptionId: id, attempt: 1, resultNumber: 1, nextAttemptAt: undefined },
    invoice: anInvoice(first, InvoiceStatus.INVOICE_STATUS_PAID),
    outcome: CollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
  };
  await under.subscription.applyCollectionResult(result, context);
  const [base = '', seats = ''] = bought.map((item) => item.id);
  return { id, base, seats, context: later(context, day('02-14')) };
}

function asking(
  subscriptionId: string,
  [first, ...otherItems]: ChangeItem[],
  at = ChangeAt.CHANGE_AT_NOW,
) {
  const change = {
    ...{
      kind: ChangeKind.CHANGE_KIND_UPDATE,
      resumeAt: undefined,
      notBefore: undefined,
      at,
      requirePayment: false,
    },
    ...{ proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED },
    ...{ ...first, ofItems: true, otherItems },
  };
  return { subscriptionId, change };
}

const create = (asked: ReturnType<typeof asking>, context: CallContext, previewToken?: string) =>
  under.change.createChange({ ...asked, metadata: undefined, previewToken }, context);

test('a list keeps what it does not name, adds new items and removes the others', async () => {
  const { id, base, seats, context } = await running();
  const list = [{ productId: 'base' }, { productId: 'seats' }, { productId: 'extra', quantity: 3 }];
  const { change } = await create(asking(id, list), context);
  expect(change?.to?.items).toMatchObject([
    { id: base, productId: 'base', quantity: 1 },
    { id: seats, productId: 'seats', quantity: 2 },
    { productId: 'extra', priceId: 'p-extra', quantity: 3 },
  ]);
  expect(change?.from?.items.map((item) => item.id)).toEqual([base, seats]);
  const after = await under.get(id, context);
  expect(after.items).toEqual(change?.to?.items);
  const removal = asking(id, [{ quantity: 2 }, { productId: 'extra' }]);
  const removed = await create(removal, context);
  expect(removed.change?.to?.items).toMatchObject([
    { id: base, quantity: 2 },
    { id: after.items[2]?.id, quantity: 3 },
  ]);
});

test('the first element keeps the id of the main item, also for the product of another', async () => {
  const { id, base, seats, context } = await running();
  const list = [{ productId: 'seats' }, { productId: 'base' }];
  const { change } = await create(asking(id, list), context);
  expect(change?.to?.items).toMatchObject([
    { id: base, productId: 'seats', quantity: 2 },
    { productId: 'base', quantity: 1 },
  ]);
  expect([base, seats]).not.toContain(change?.to?.items[1]?.id);
});

test('a list that waits is stored as asked for, and the renewal bills it', async () => {
  const { id, base, context } = await running();
  const list = [{ productId: 'base' }, { productId: 'extra' }];
  const { change } = await create(asking(id, list, ChangeAt.CHANGE_AT_PERIOD_END), context);
  expect(change?.status).toBe(ChangeStatus.CHANGE_STATUS_PENDING);
  const { subscriptionId, change: more } = asking(id, [{ quantity: 5 }]);
  await create({ subscriptionId, change: { ...more, ofItems: false } }, context);
  const { environmentId } = context.tenant;
  const renewed = later(context, periodEnd);
  const workClass = WorkClass.WORK_CLASS_RENEWAL;
  await under.dueWork.runDue({ environmentId, until: periodEnd, workClass }, renewed);
  expect((await under.get(id, renewed)).items).toMatchObject([
    { id: base, productId: 'base', quantity: 5 },
    { productId: 'extra', quantity: 1 },
  ]);
});

test('a token is stale once the state of the subscription does not allow its change any more', async () => {
  const { id, context } = await running();
  const asked = asking(id, [{ productId: 'extra', quantity: 12 }]);
  const putOff = { ...asked.change, collect: ChangeCollect.CHANGE_COLLECT_NEXT_INVOICE };
  const { token } = await under.change.previewChange({ ...asked, change: putOff }, context);
  await create(asking(id, [{ productId: 'yearly' }]), context);
  const call = { subscriptionId: id, change: putOff };
  await expect(create(call, context)).rejects.toMatchObject({
    fields: { collect: ['A new cycle is collected now'] },
  });
  await expect(create(call, context, token)).rejects.toMatchObject({
    ...{ kind: 'failed_precondition', message: 'Preview is stale: subscription' },
  });
});

test('a token is stale once its amount would be charged in another way', async () => {
  const { customers } = under.peers;
  const paid = customers.get('customer') ?? aProtoCustomer();
  const { COLLECTION_METHOD_SEND_INVOICE: collectionMethod } = CollectionMethod;
  const { id, context } = await running();
  const asked = asking(id, [{ productId: 'base' }, { productId: 'extra', quantity: 12 }]);
  const ways = [
    [paid, { ...paid, collectionMethod }],
    [{ ...paid, collectionMethod }, paid],
  ] as const;
  for (const [before, after] of ways) {
    customers.set('customer', before);
    const { token, invoice, dueNow } = await under.change.previewChange(asked, context);
    expect(invoice?.amountDue).toBeGreaterThan(0n);
    expect(dueNow).toBe(before === paid ? invoice?.amountDue : 0n);
    customers.set('customer', after);
    await expect(create(asked, context, token)).rejects.toMatchObject({
      ...{ kind: 'failed_precondition', message: 'Preview is stale: customer' },
    });
  }
});

test('an unknown subscription or product is refused before an invalid token is', async () => {
  const { id, context } = await running();
  const extra = [{ productId: 'extra' }];
  await expect(create(asking(newId(), extra), context, 'invalid')).rejects.toMatchObject({
    ...{ kind: 'not_found', message: 'Subscription not found' },
  });
  const unknown = asking(id, [{ productId: newId() }]);
  await expect(create(unknown, context, 'invalid')).rejects.toMatchObject({
    ...{ kind: 'not_found', message: 'Product not found' },
  });
  await expect(create(asking(id, extra), context, 'invalid')).rejects.toMatchObject({
    fields: { previewToken: ['Preview token is not valid'] },
  });
});

test('an invalid token is refused after all other problems of the input', async () => {
  const { id, context } = await running();
  const { change: named } = asking(id, [{ productId: 'base' }, { productId: 'extra' }]);
  const resumeAt = day('02-13');
  const { CHANGE_KIND_PAUSE: kind } = ChangeKind;
  const fullCharge = ChangeProration.CHANGE_PRORATION_FULL_AND_RESET;
  const problems = [
    [{ ...named, notBefore: day('02-13') }, 'at'],
    [
      { ...named, proration: fullCharge, collect: ChangeCollect.CHANGE_COLLECT_NEXT_INVOICE },
      'collect',
    ],
    [{ ...named, discount: { id: newId() } }, 'discountId'],
    [{ ...asking(id, [{}]).change, ofItems: false, kind, resumeAt }, 'resumeAt'],
  ] as const;
  for (const [change, field] of problems) {
    const asked = { subscriptionId: id, change, metadata: undefined, previewToken: 'invalid' };
    await expect(under.change.createChange(asked, context)).rejects.toMatchObject({
      fields: { [field]: [expect.any(String)] },
    });
  }
});

test('a refusal names all that has moved, and the time if the token is too late', async () => {
  const { id, context } = await running();
  const { products } = under.peers;
  const asked = asking(id, [{ productId: 'base' }, { productId: 'extra', quantity: 12 }]);
  const extra = products.get('extra') ?? aProduct();
  const { token } = await under.change.previewChange(asked, context);
  const refused = (names: string, at = context) =>
    expect(create(asked, at, token)).rejects.toMatchObject({
      ...{ kind: 'failed_precondition', message: `Preview is stale: ${names}` },
    });
  const late = later(context, new Date(day('02-14').getTime() + 16 * 60_000));
  products.set('extra', { ...extra, name: 'Renamed' });
  await refused('price');
  products.delete('extra');
  await refused('price');
  await refused('time, price', late);
  await under.subscription.cancelSubscription(
    { id, atPeriodEnd: false, proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED },
    context,
  );
  await refused('time, subscription, price', late);
  products.set('extra', extra);
  await refused('subscription');
  await refused('time, subscription', late);
});

test('lines put off and the items together never exceed the limit of an invoice', async () => {
  const { id, context } = await running([{ productId: 'b60', quantity: 1 }]);
  const to = (productId: string, terms: object) => {
    const { subscriptionId, change } = asking(id, [{ productId }]);
    return { subscriptionId, change: { ...change, ...terms } };
  };
  const refused = async (asked: ReturnType<typeof to>) => {
    const tooMuch = { fields: { items: ['The total exceeds the maximum amount'] } };
    await expect(under.change.previewChange(asked, context)).rejects.toMatchObject(tooMuch);
    await expect(create(asked, context)).rejects.toMatchObject(tooMuch);
  };
  const collect = ChangeCollect.CHANGE_COLLECT_NEXT_INVOICE;
  await refused(to('b90', { collect }));
  const { change } = await create(to('b80', { collect }), context);
  expect(change?.status).toBe(ChangeStatus.CHANGE_STATUS_APPLIED);
  // 10 billion wait.
  await refused(to('b90', { at: ChangeAt.CHANGE_AT_PERIOD_END }));
  await refused(to('b90', { proration: ChangeProration.CHANGE_PRORATION_NONE }));
  await refused(to('b90', { proration: ChangeProration.CHANGE_PRORATION_FULL_AND_RESET }));
  // Collected now, they are billed before the next period.
  const taken = await create(to('b90', {}), context);
  expect(taken.change?.status).toBe(ChangeStatus.CHANGE_STATUS_APPLIED);
});

test('a preview is honored to the byte, for the same list alone', async () => {
  const { id, context } = await running();
  const asked = asking(id, [{ productId: 'base' }, { productId: 'extra', quantity: 9 }]);
  const { token, invoice } = await under.change.previewChange(asked, context);
  const other = asking(id, [{ productId: 'base' }, { productId: 'extra', quantity: 8 }]);
  await expect(create(other, context, token)).rejects.toMatchObject({
    fields: { previewToken: ['Preview is for another request'] },
  });
  const { change } = await create(asked, context, token);
  expect(change?.status).toBe(ChangeStatus.CHANGE_STATUS_APPLIED);
  const made = await eventually(() => {
    const found = under.peers.invoices.find(
      ({ request }) => request.invoiceId === change?.invoiceId,
    );
    if (found === undefined) throw new Error('Not invoiced yet');
    return found.request;
  });
  const known = (lines: readonly { itemId?: string | undefined; amount: bigint }[] = []) =>
    lines.map(({ itemId, amount }) => [itemId, amount]);
  expect(known(made.lineItems)).toEqual(known(invoice?.lineItems));
});

test.each<[string, ChangeItem[], string]>([
  ['a product twice', [{ productId: 'base' }, { productId: 'base' }], '1.productId: Product is'],
  ['another currency', [{}, { productId: 'pounds' }], '1.productId: Price has another currency'],
  ['another interval', [{}, { productId: 'yearly' }], '1.productId: Items must share one billing'],
  ['an element without a product', [{}, { quantity: 2 }], '1.productId: Required'],
  [
    'a product and a price',
    [{}, { productId: 'extra', priceId: 'p-extra' }],
    '1.priceId: Not together with productId',
  ],
  ['21 elements', Array.from({ length: 21 }, () => ({ productId: 'base' })), 'Must have at most'],
])('a list with %s is refused by name', async (_name, list, problem) => {
  const { id, context } = await running();
  await expect(create(asking(id, list), context)).rejects.toMatchObject({
    fields: { items: [expect.stringContaining(problem)] },
  });
});

test('an unknown product comes before all other problems', async () => {
  const { id, context } = await running();
  const list = [{ productId: 'base' }, { productId: 'base' }, { productId: 'unknown' }];
  await expect(create(asking(id, list), context)).rejects.toMatchObject({ kind: 'not_found' });
});

test('the same list changes nothing', async () => {
  const { id, context } = await running();
  const same = asking(id, [{ productId: 'base' }, { priceId: 'p-seats' }]);
  await expect(create(same, context)).rejects.toMatchObject({ reason: 'NOTHING_TO_CHANGE' });
});
