import { applyPaidChange, failChange, requestChange } from '../lifecycle/apply-change';
import { pinnedSets, pinRates } from '../usage/usage-period';
import { aChangeRequest } from '../testing/change-request';
import { anOtherItem, aPrice, aSubscription, day } from '../testing/fixtures';
import { subscriptionDefinition } from '../subscription-document';
import { withItemsAtRenewal } from './change-at-renewal';
import type { Subscription, SubscriptionItems } from './subscription';
import {
  beginStretch,
  keepStretches,
  movedSet,
  stretchesOf,
  withoutPlanned,
} from './usage-stretch';

const metered = aSubscription({}, { meterPriceSet: 3 });
const changedAt = day('02-14');

/** The items of a subscription with another product as the main one. */
function moved({ items: [main, ...others] }: Subscription, productId: string): SubscriptionItems {
  return [{ ...main, productId, productName: productId }, ...others];
}

/** The subscription after a change of its main product now. */
function afterChange(subscription: Subscription, productId: string, at = changedAt): Subscription {
  const items = moved(subscription, productId);
  return { ...beginStretch(subscription, { at, items }), items };
}

/** Stretches of a period as `[start, [product, set or instant]…]`. */
function shown(subscription: Subscription, periodIndex: number) {
  return stretchesOf(subscription, periodIndex).map(({ start, items }) => [
    start,
    ...items.map(({ productId, set, pricedAt }) => [productId, set ?? pricedAt]),
  ]);
}

const [{ productId: pro }] = metered.items;

test('a change in a period keeps the set before, and prices the new product as of the change', () => {
  const changed = afterChange(metered, 'max');
  expect(shown(changed, 0)).toEqual([
    [null, [pro, 3]],
    [changedAt, ['max', changedAt]],
  ]);
});

test('an earlier release finds no set of a period with stretches', () => {
  expect(pinnedSets(afterChange(metered, 'max'), 0)).toEqual({
    from: 0,
    through: 0,
    set: movedSet,
  });
});

test('a product that comes back is priced as of its return, one that stays as before', () => {
  const other = anOtherItem({ productId: 'support', meterPriceSet: 7 });
  const two = aSubscription({}, { meterPriceSet: 3, otherItems: [other] });
  const away = afterChange(two, 'max');
  const back = afterChange(away, pro, day('02-20'));
  expect(shown(back, 0)).toEqual([
    [null, [pro, 3], ['support', 7]],
    [changedAt, ['max', changedAt], ['support', 7]],
    [day('02-20'), [pro, day('02-20')], ['support', 7]],
  ]);
});

test('a product without metered prices so far has a stretch without any', () => {
  expect(shown(afterChange(aSubscription(), 'max'), 0)).toEqual([
    [null, [pro, 0]],
    [changedAt, ['max', changedAt]],
  ]);
});

test('the periods before a change keep their sets, and the next one has none so far', () => {
  const renewed = pinRates({ ...metered, periodIndex: 1 }, { periodIndex: 1, set: 4 });
  const changed = afterChange(renewed, 'max', day('03-10'));
  expect(shown(changed, 0)).toEqual([[null, [pro, 3]]]);
  expect(shown(changed, 1)).toEqual([
    [null, [pro, 4]],
    [day('03-10'), ['max', day('03-10')]],
  ]);
  expect(shown(changed, 2)).toEqual([]);
  expect(pinnedSets(changed, 2)).toBeUndefined();
});

test('periods without metered prices before the running one stay as they are', () => {
  const free = aSubscription();
  const renewed = pinRates({ ...free, periodIndex: 1 }, { periodIndex: 1, set: 0 });
  expect(renewed.usage.rates).toEqual([{ from: 0, through: 1, set: 0 }]);
  const changed = afterChange(renewed, 'max', day('03-10'));
  expect(changed.usage.rates).toEqual([
    { from: 0, through: 0, set: 0 },
    { from: 1, through: 1, set: movedSet },
  ]);
  expect(shown(changed, 0)).toEqual([]);
});

test('a change at the end of the period keeps the products of the periods so far', () => {
  const changed = withItemsAtRenewal(metered, moved(metered, 'max'));
  expect(shown(changed, 0)).toEqual([[null, [pro, 3]]]);
  expect(pinnedSets(changed, 0)?.set).toBe(movedSet);
  expect(keepStretches(changed)).toBe(changed);
});

test('a change that waits keeps the products at once: an earlier release may take it', () => {
  const product = { productId: 'max', productName: 'Max', price: aPrice() };
  const wanted = { product, quantity: null, discount: null };
  const request = aChangeRequest({ wanted, at: 'PERIOD_END', movesMeters: true });
  const { state } = requestChange(metered, request, { now: changedAt });
  expect(shown(state, 0)).toEqual([[null, [pro, 3]]]);
  const taken = { ...state, items: moved(state, 'max'), periodIndex: 1 };
  expect(shown(taken, 0)).toEqual([[null, [pro, 3]]]);
  expect(pinnedSets(taken, 0)?.set).toBe(movedSet);
});

test('a change as of a previewed instant is refused once another one has begun a stretch after it', () => {
  const product = { productId: 'late', productName: 'Late', price: aPrice() };
  const wanted = { product, quantity: null, discount: null };
  const request = aChangeRequest({ wanted, at: 'NOW', movesMeters: true });
  const moment = { now: day('02-20') };
  const changed = afterChange(metered, 'max');
  const as = (instant: Date) => () => requestChange(changed, { ...request, instant }, moment);
  expect(as(changedAt)).not.toThrow();
  expect(as(day('02-13'))).toThrow(expect.objectContaining({ reason: 'CHANGED_SINCE' }));
});

test('a change of the quantity or the price version keeps no stretch', () => {
  const [main] = metered.items;
  const items = [{ ...main, quantity: 9, price: aPrice({ id: 'next' }) }] as const;
  expect(withItemsAtRenewal(metered, items).stretches).toBeUndefined();
});

test('stretches are removed with the sets of their periods', () => {
  const daily = aSubscription(
    {},
    { price: aPrice({ billingInterval: 'DAILY' }), meterPriceSet: 3 },
  );
  let subscription = afterChange(daily, 'max', day('01-31'));
  for (let periodIndex = 1; periodIndex <= 60; periodIndex += 1) {
    subscription = pinRates({ ...subscription, periodIndex }, { periodIndex, set: 1 });
  }
  expect(subscription.stretches).toEqual([]);
});

describe('a change that is paid first', () => {
  const product = { productId: 'max', productName: 'Max', price: aPrice({ amount: 9900n }) };
  const request = aChangeRequest({
    ...{ wanted: { product, quantity: null, discount: null }, movesMeters: true },
    facts: {
      periodIndex: 0,
      invoices: [
        {
          ...{ invoiceId: 'first', status: 'PAID', lines: [] },
          recurring: { lineItemId: 'line', amount: 2900n, discountAmount: 0n },
        },
      ],
    },
  });
  const { state: paying } = requestChange(metered, request, { now: changedAt });

  const aPeriod = (invoiceIds: readonly string[]) => ({
    ...{ periodIndex: 0, applied: 1, charges: [], invoiceIds, discount: null },
  });

  /** A release that does not know stretches has applied the change. */
  const paidByEarlierRelease = (): Subscription => {
    const period = aPeriod(['first', 'invoice-of-change']);
    const changes = { ...paying.changes, paying: null, period };
    return { ...paying, items: moved(paying, 'max'), changes };
  };

  const stored = (subscription: Subscription): Subscription => {
    const document = subscriptionDefinition.toDocument(subscription);
    const read = subscriptionDefinition.fromDocument({ ...document, _id: subscription.id });
    if (read.isTombstone) throw new Error('A tombstone was read');
    return read;
  };

  test('prices by the product before until it is paid', () => {
    expect(paying.changes.paying?.id).toBe('change');
    expect(shown(paying, 0)).toEqual([[null, [pro, 3]]]);
  });

  test('prices by the new product from the change on once it is paid, by any release', () => {
    const paid = paidByEarlierRelease();
    expect(shown(paid, 0)).toEqual([
      [null, [pro, 3]],
      [changedAt, ['max', changedAt]],
    ]);
    expect(withoutPlanned(paid)).toBe(paid);
    const read = stored(paid);
    expect(shown(read, 0)).toEqual(shown(paid, 0));
    expect(read.stretches?.map(({ paidBy }) => paidBy)).toEqual([undefined, undefined]);
    // The next period may belong to any products.
    const renewed = { ...read, items: moved(read, 'other'), periodIndex: 1 };
    expect(shown(renewed, 0)).toEqual(shown(paid, 0));
  });

  test('does not count if an earlier release has failed it and applied another one later', () => {
    const later = { ...paidByEarlierRelease(), changes: { ...paying.changes, paying: null } };
    expect(shown(later, 0)).toEqual([[null, [pro, 3]]]);
    expect(stored(later).stretches).toHaveLength(1);
    const other = { ...later.changes, period: aPeriod(['first', 'invoice-of-another']) };
    expect(stored({ ...later, changes: other }).stretches).toHaveLength(1);
  });

  test('counts after a renewal by an earlier release if its products stayed', () => {
    const paid = paidByEarlierRelease();
    const renewed = { ...paid, periodIndex: 1, changes: { ...paid.changes, period: null } };
    expect(shown(stored(renewed), 0)).toHaveLength(2);
    const failed = { ...renewed, items: paying.items };
    expect(shown(stored(failed), 0)).toEqual([[null, [pro, 3]]]);
  });

  test('is in force once this release has applied it', () => {
    const change = paying.changes.paying;
    if (change === null) throw new Error('Nothing is being paid');
    const payment = { invoice: undefined, attempt: 1, nextAttemptAt: null };
    const result = { payment, isCharged: true };
    const { state } = applyPaidChange(paying, change, result, day('02-15'));
    expect(state.stretches?.map(({ paidBy }) => paidBy)).toEqual([undefined, undefined]);
    expect(shown(state, 0)).toHaveLength(2);
  });

  test('leaves nothing of the new product when it fails', () => {
    const change = paying.changes.paying;
    if (change === null) throw new Error('Nothing is being paid');
    const failure = { code: 'card_declined', message: 'Declined' };
    const { state } = failChange(paying, change, { failure, payment: null }, day('02-15'));
    expect(state.stretches).toHaveLength(1);
    expect(shown(state, 0)).toEqual([[null, [pro, 3]]]);
    const next = { ...state, items: moved(state, 'max'), periodIndex: 1 };
    expect(shown(next, 0)).toEqual([[null, [pro, 3]]]);
  });

  test('leaves nothing either when an earlier release has failed it', () => {
    const changes = { ...paying.changes, paying: null };
    const stored = subscriptionDefinition.toDocument({ ...paying, changes });
    const read = subscriptionDefinition.fromDocument({ ...stored, _id: paying.id });
    expect(read.isTombstone ? undefined : read.stretches).toHaveLength(1);
  });
});

test('stretches are stored and read', () => {
  const changed = afterChange(metered, 'max');
  const stored = subscriptionDefinition.toDocument(changed);
  const read = subscriptionDefinition.fromDocument({ ...stored, _id: changed.id });
  expect(read).toEqual(changed);
});
