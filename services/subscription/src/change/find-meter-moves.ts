import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { isSameProducts } from '../subscription/usage-stretch';
import { hasMeters } from '../usage/usage-period';
import type { ResolvedItems } from './read-wanted-items';

/**
 * True if a change may change which product prices a meter. Before the first billed period there is
 * no usage to bill, and the products of then price that period.
 */
export function movesMeters(
  subscription: Subscription,
  {
    items,
    isMetered,
  }: Pick<ResolvedItems, 'isMetered'> & {
    /** The items after the change. */
    readonly items: SubscriptionItems;
  },
): boolean {
  if (isSameProducts(subscription.items, items)) return false;
  return isMetered || hasMeters(subscription);
}
