import { invalidInput } from '@billing/kernel/domain-error';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { isSameProducts } from '../subscription/usage-stretch';
import { hasMeters } from '../usage/usage-period';
import type { ChangeInput } from './read-wanted-change';
import type { ResolvedItems } from './read-wanted-items';

/**
 * True if a change may change which product prices a meter. Refuses one during a pause and before
 * one: the period after it begins a new cycle. Before the first billed period there is no usage to
 * bill, and the products of then price that period.
 */
export function movesMeters(
  subscription: Subscription,
  {
    items,
    isMetered,
    input: { itemField, priceId },
  }: Pick<ResolvedItems, 'isMetered'> & {
    /** The items after the change. */
    readonly items: SubscriptionItems;
    readonly input: Pick<ChangeInput, 'itemField' | 'priceId'>;
  },
): boolean {
  if (isSameProducts(subscription.items, items)) return false;
  if (!isMetered && !hasMeters(subscription)) return false;
  const { phase, changes } = subscription;
  if (phase !== 'PAUSED' && changes.waiting?.kind !== 'PAUSE') return true;
  const field = itemField === 'items' ? 'items' : priceId === null ? 'productId' : 'priceId';
  const message = 'Changes between products with metered prices are not supported around a pause';
  throw invalidInput({ [field]: [message] });
}
