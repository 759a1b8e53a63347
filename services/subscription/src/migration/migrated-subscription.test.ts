import { requestChange } from '../lifecycle/apply-change';
import { cancel } from '../lifecycle/cancellation';
import { takeDueStep } from '../lifecycle/due-steps';
import {
  exchangedItems,
  exchangeProblem,
  type PriceExchange,
} from '../subscription/price-exchange';
import type { Subscription } from '../subscription/subscription';
import { stretchesOf } from '../subscription/usage-stretch';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, anOtherItem, at, day } from '../testing/fixtures';
import { migrate } from './migrate-subscription';
import { skipReason } from './migrated-subscription';

const old = aPrice();
const support = anOtherItem();
const product = {
  productId: aSubscription().items[0].productId,
  productName: 'Pro',
  price: aPrice({ id: 'new', amount: 3900n }),
};
const exchange: PriceExchange = { fromPriceId: old.id, product };
const yearly = {
  ...exchange,
  product: { ...product, price: aPrice({ billingInterval: 'YEARLY' }) },
};
const order = { migrationId: 'migration', exchange, movesMeters: false, changeId: 'change' };
const two = () => aSubscription({}, { otherItems: [support] });
const priced = (subscription: Subscription) =>
  subscription.items.map(({ price, quantity }) => [price.id, quantity]);

describe('a price migration', () => {
  test.each<[string, Subscription, PriceExchange, ReturnType<typeof skipReason>]>([
    ['moves a subscription', aSubscription(), exchange, null],
    ['moves one of several items', two(), exchange, null],
    ['moves a subscription to another interval', aSubscription(), yearly, null],
    [
      'skips an ended subscription',
      cancel(aSubscription(), { ...at(day('02-01')), atPeriodEnd: false }).state,
      exchange,
      'ENDED',
    ],
    [
      'skips a subscription with a change that waits',
      requestChange(
        aSubscription(),
        aChangeRequest({
          at: 'PERIOD_END',
          wanted: { product: null, quantity: 2, discount: null },
        }),
        at(day('02-01')),
      ).state,
      exchange,
      'CHANGE_PENDING',
    ],
    [
      'skips a subscription that ends with its period',
      cancel(aSubscription(), { ...at(day('02-01')), atPeriodEnd: true }).state,
      exchange,
      'SET_TO_CANCEL',
    ],
    ['skips other items of the old interval', two(), yearly, 'INTERVALS_DIFFER'],
    [
      'skips a product that another item has',
      two(),
      { ...exchange, product: { ...product, productId: support.productId } },
      'PRODUCT_TWICE',
    ],
    [
      'skips an amount over the limit',
      aSubscription({ quantity: 1_000_000 }),
      {
        ...exchange,
        product: { ...product, price: aPrice({ type: 'PER_UNIT', amount: 999_999_999n }) },
      },
      'AMOUNT_TOO_LARGE',
    ],
  ])('%s', (_name, subscription, wanted, reason) => {
    expect(skipReason(subscription, wanted)).toBe(reason);
  });

  test('waits for the next period, and keeps the quantity', () => {
    const { transition, row } = migrate(aSubscription({ quantity: 3 }), order, day('02-01'));
    const { waiting } = transition.state.changes;
    expect(waiting).toMatchObject({ id: 'change', migrationId: 'migration', status: 'PENDING' });
    expect(waiting?.to.items).toMatchObject([{ price: { id: 'new' }, quantity: 3 }]);
    expect(priced(transition.state)).toEqual([[old.id, 3]]);
    expect(row).toMatchObject({ result: 'SCHEDULED', effectiveAt: day('02-28'), reason: null });
    expect(transition.events).toHaveLength(1);
  });

  test.each([
    ['the period end', {}],
    ['an instant', { notBefore: day('02-20') }],
  ])('that reaches a subscription late, after %s, waits for its next period', (_name, instant) => {
    const { state } = takeDueStep(aSubscription(), at(day('02-28')));
    const { row, transition } = migrate(state, { ...order, ...instant }, day('03-05'));
    expect(row).toMatchObject({ result: 'SCHEDULED', effectiveAt: day('03-31') });
    expect(transition.commands).toEqual([]);
  });

  test('to another product with metered prices keeps the products of the periods so far', () => {
    const metered = aSubscription({}, { meterPriceSet: 3 });
    const max = { ...exchange, product: { ...product, productId: 'max' } };
    const moving = { ...order, exchange: max, movesMeters: true };
    const { transition, row } = migrate(metered, moving, day('02-01'));
    expect(row).toMatchObject({ result: 'SCHEDULED' });
    expect(stretchesOf(transition.state, 0)).toMatchObject([
      { start: null, items: [{ productId: product.productId, set: 3 }] },
    ]);
    const paused = { ...metered, phase: 'PAUSED' as const, pausedAt: day('02-01') };
    const { transition: now, row: changed } = migrate(paused, moving, day('02-02'));
    expect(changed).toMatchObject({ result: 'APPLIED' });
    expect(stretchesOf(now.state, 0)).toEqual(stretchesOf(transition.state, 0));
  });

  test('changes a scheduled subscription immediately', () => {
    const { transition, row } = migrate(
      aSubscription({ startAt: day('03-01') }),
      order,
      day('02-01'),
    );
    expect(priced(transition.state)).toEqual([['new', 1]]);
    expect(row).toMatchObject({ result: 'APPLIED', monthlyAmountBefore: 0n });
  });

  test('replaces the item of the price, wherever it stands', () => {
    const second = { ...exchange, fromPriceId: support.price.id };
    const price = { ...product, productId: 'third' };
    const { transition } = migrate(
      two(),
      { ...order, exchange: { ...second, product: price } },
      day('02-01'),
    );
    const [main, other] = transition.state.changes.waiting?.to.items ?? [];
    expect([main?.price.id, other?.price.id]).toEqual([old.id, 'new']);
  });

  test('leaves a subscription without the price alone', () => {
    const { transition, row } = migrate(
      aSubscription(),
      { ...order, exchange: { ...exchange, fromPriceId: 'unknown' } },
      day('02-01'),
    );
    expect([transition.events, row]).toEqual([[], undefined]);
  });
});

describe('an exchange of prices', () => {
  test('changes nothing once another item has the product', () => {
    const { items } = two();
    const twice = { ...exchange, product: { ...product, productId: support.productId } };
    expect(exchangeProblem(items, twice)).toBe('PRODUCT_TWICE');
    expect(exchangedItems(items, twice)).toBe(items);
  });
});
