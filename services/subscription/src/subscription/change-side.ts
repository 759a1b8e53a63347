import { monthlyAmount } from './monthly-amount';
import { currentPeriod, type Subscription, type SubscriptionItems } from './subscription';
import type { ChangeSide, WantedChange } from './subscription-change';

/** The items after a change; what it does not name stays. */
export function itemsAfter(
  { items }: Pick<Subscription, 'items'>,
  { product, quantity }: WantedChange,
): SubscriptionItems {
  const [main, ...others] = items;
  return [{ ...main, ...product, quantity: quantity ?? main.quantity }, ...others];
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
