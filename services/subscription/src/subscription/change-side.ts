import { monthlyAmount } from './monthly-amount';
import { isSameInterval } from './billing-cycle';
import { exchangedItems } from './price-exchange';
import {
  currentPeriod,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionItems,
} from './subscription';
import type { ChangeSide, WantedChange, WantedItem } from './subscription-change';

/** The items after a change; what it does not name stays. */
export function itemsAfter(
  { items }: Pick<Subscription, 'items'>,
  { product, quantity, otherItems, exchange }: Omit<WantedChange, 'discount'>,
): SubscriptionItems {
  const [main, ...others] = items;
  const next = { ...main, ...product, quantity: quantity ?? main.quantity };
  const changed: SubscriptionItems = [
    next,
    ...(otherItems === undefined
      ? others
      : otherItems.flatMap((wanted) => itemAfter(others, wanted))),
  ];
  return exchange === undefined ? changed : exchangedItems(changed, exchange);
}

function itemAfter(
  others: readonly SubscriptionItem[],
  { id, product, quantity }: WantedItem,
): SubscriptionItem[] {
  const present = others.find((item) => item.id === id);
  const held = product ?? present;
  if (held === undefined) return [];
  const { productId, productName, price } = held;
  const kept = quantity ?? present?.quantity ?? 1;
  return [{ id, productId, productName, price, quantity: kept }];
}

/**
 * True if a change of items ends another one of items that waits: it changes the products, or the
 * items after both would not have one billing interval.
 */
export function endsWaitingItems(
  { from, to }: { readonly from: SubscriptionItems; readonly to: SubscriptionItems },
  waiting: WantedChange,
): boolean {
  const [before, after] = [from, to].map((items) => items.map(({ productId }) => productId).join());
  return before !== after || !isOneInterval(itemsAfter({ items: to }, waiting));
}

/** True if all items have one billing interval. */
function isOneInterval([main, ...others]: SubscriptionItems): boolean {
  return others.every(({ price }) => isSameInterval(price, main.price));
}

/** The subscription with the discount after a change; one that it does not name stays. */
export function withDiscountAfter(
  subscription: Subscription,
  { discount: wanted }: WantedChange,
): Subscription {
  if (wanted === null) return subscription;
  const { discount, changes } = subscription;
  const replacedId = discount?.holderId === null ? discount.id : null;
  const startedDiscountId = changes.startedDiscountId ?? replacedId;
  return { ...subscription, discount: wanted.next, changes: { ...changes, startedDiscountId } };
}

/** A reserved redemption, and its holder. */
export interface HeldRedemption {
  readonly discountId: string;
  readonly holderId: string;
}

/** The redemption that a change has reserved; null: none. */
export function heldRedemption({ discount }: WantedChange): HeldRedemption | null {
  const next = discount?.next ?? null;
  if (next === null || next.holderId === null) return null;
  return { discountId: next.id, holderId: next.holderId };
}

/** True if items have the same price versions and quantities. */
export function isSameItems(left: SubscriptionItems, right: SubscriptionItems): boolean {
  const [a, b] = [left, right].map((items) =>
    items.map(({ productId, price, quantity }) => [productId, price.id, quantity].join()),
  );
  return a?.join(' ') === b?.join(' ');
}

/** Recurring amount a month of items; 0 while nothing is billed. */
export function monthlyAmountOf(
  { phase }: Pick<Subscription, 'phase'>,
  items: SubscriptionItems,
): bigint {
  return phase === 'REGULAR' ? monthlyAmount(items) : 0n;
}

/** The subscription as one side of a change. */
export function sideOf(subscription: Subscription): ChangeSide {
  const { start, end } = currentPeriod(subscription);
  return {
    items: subscription.items,
    discountId: subscription.discount?.id ?? null,
    currentPeriodStart: start,
    currentPeriodEnd: end,
  };
}
