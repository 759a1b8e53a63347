import { isSameInterval } from './billing-cycle';
import type { SubscriptionItem, SubscriptionItems } from './subscription';

/** Another price version for the item that has a given one, wherever it stands. */
export interface PriceExchange {
  readonly fromPriceId: string;
  /** Product and price version, pinned when the exchange is asked for. */
  readonly product: Pick<SubscriptionItem, 'productId' | 'productName' | 'price'>;
}

/** Reason why items cannot have the new price. */
export type ExchangeProblem = 'PRODUCT_TWICE' | 'INTERVALS_DIFFER';

/** Finds out why items cannot have the new price; null: they can, or none has the old one. */
export function exchangeProblem(
  items: SubscriptionItems,
  { fromPriceId, product }: PriceExchange,
): ExchangeProblem | null {
  const others = items.filter(({ price }) => price.id !== fromPriceId);
  if (others.length === items.length) return null;
  if (others.some(({ productId }) => productId === product.productId)) return 'PRODUCT_TWICE';
  const isSame = others.every(({ price }) => isSameInterval(price, product.price));
  return isSame ? null : 'INTERVALS_DIFFER';
}

/** The items after an exchange; those that cannot have the new price stay as they are. */
export function exchangedItems(
  items: SubscriptionItems,
  exchange: PriceExchange,
): SubscriptionItems {
  if (exchangeProblem(items, exchange) !== null) return items;
  const { fromPriceId, product } = exchange;
  const exchanged = (item: SubscriptionItem): SubscriptionItem =>
    item.price.id === fromPriceId ? { ...item, ...product } : item;
  const [main, ...others] = items;
  return [exchanged(main), ...others.map(exchanged)];
}
