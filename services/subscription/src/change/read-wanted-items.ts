import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import type { NamedItem } from '@billing/kernel/purchase-items';
import { fetchNamedProduct } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import { isSameInterval } from '../subscription/billing-cycle';
import type { ProductFacts } from '../subscription/product';
import {
  currencyOf,
  mainItem,
  type PriceSnapshot,
  type Subscription,
  type SubscriptionItem,
} from '../subscription/subscription';
import type { WantedChange, WantedItem, WantedProduct } from '../subscription/subscription-change';

/** The items that a change asks for. */
export interface ResolvedItems {
  readonly item: Omit<WantedChange, 'discount'>;
  /** True if one of the products has metered prices now; false also where none is named. */
  readonly isMetered: boolean;
}

/** The items of a change as a caller lists them, the main one first. */
export type NamedItems = readonly [NamedItem, ...NamedItem[]];

/** An element of the list, with what it names. */
interface ReadItem {
  readonly named: NamedItem;
  /** Item of the product before the change; undefined: the product is new. */
  readonly held: SubscriptionItem | undefined;
  /** Absent: the item keeps its price version. */
  readonly product?: ProductFacts;
}

/**
 * Reads the items that a list asks for, and refuses a list that the subscription cannot have. An
 * item keeps its id, its price version and its quantity unless the list names others; the first
 * element is the main item and keeps its id.
 */
export async function resolveItems(
  subscription: Subscription,
  list: NamedItems,
  context: CallContext,
  peers: Pick<Peers, 'catalog' | 'products'>,
): Promise<ResolvedItems> {
  const read = await Promise.all(
    list.map((named, index) => readItem(subscription, { named, index }, context, peers)),
  );
  const problems = itemProblems(subscription, read);
  if (problems.length > 0) throw invalidInput({ items: problems });
  const { period } = subscription.changes;
  // A price migration may have moved the item with the product's id to another product, and an item
  // that was removed without proration keeps its charge.
  const taken = new Set([
    ...subscription.items.map(({ id }) => id),
    ...(period?.charges ?? []).map(({ itemId }) => itemId),
  ]);
  const newId = (productId: string): string => {
    let id = derivedId(context.tenant.environmentId, subscription.id, 'item', productId);
    while (taken.has(id)) id = derivedId(context.tenant.environmentId, id, 'item', productId);
    return id;
  };
  const isMetered = read.some(({ product }) => (product?.meterPriceSet ?? 0) > 0);
  return { item: wantedOf(subscription, read, newId), isMetered };
}

async function readItem(
  { items }: Subscription,
  { named, index }: { readonly named: NamedItem; readonly index: number },
  context: CallContext,
  peers: Pick<Peers, 'catalog' | 'products'>,
): Promise<ReadItem> {
  const { productId, priceId } = named;
  const isUnnamed = productId === undefined && priceId === undefined;
  if (isUnnamed && index === 0) return { named, held: items[0] };
  const kept = items.find((item) =>
    priceId === undefined ? item.productId === productId : item.price.id === priceId,
  );
  if (kept !== undefined) return { named, held: kept };
  const product = await fetchNamedProduct(peers, named, context);
  return { named, product, held: items.find((item) => item.productId === product.id) };
}

/** Problems of a list, each with the index and the field that it is about. */
function itemProblems(subscription: Subscription, read: readonly ReadItem[]): string[] {
  const currency = currencyOf(subscription);
  const products = read.map(productIdOf);
  const [first] = read;
  const main = first === undefined ? undefined : priceOf(first);
  return read.flatMap((item, index) => {
    const price = priceOf(item);
    const field = item.named.priceId === undefined ? 'productId' : 'priceId';
    const at = (isWrong: boolean, message: string) =>
      isWrong ? [`${String(index)}.${field}: ${message}`] : [];
    const isRecurring = price.billingInterval !== 'ONE_TIME';
    const isOther = main !== undefined && isRecurring && !isSameInterval(price, main);
    return [
      ...at(!isRecurring, 'Price is not recurring'),
      ...at(price.currency !== currency, 'Price has another currency'),
      ...at(products.indexOf(productIdOf(item)) < index, 'Product is there twice'),
      ...at(isOther && main.billingInterval !== 'ONE_TIME', sharedInterval),
    ];
  });
}

const sharedInterval = 'Items must share one billing interval';

function priceOf({ held, product }: ReadItem): ProductFacts['price'] {
  const price = product?.price ?? held?.price;
  if (price === undefined) throw new Error('An item has no price');
  return price;
}

function productIdOf({ held, product }: ReadItem): string | undefined {
  return product?.id ?? held?.productId;
}

/** Another product of the main item keeps its quantity, as where it is named alone. */
function quantityOf(
  subscription: Subscription,
  {
    item: { named, held },
    index,
  }: { readonly item: Pick<ReadItem, 'named' | 'held'>; readonly index: number },
): number {
  const present = held ?? (index === 0 ? mainItem(subscription) : undefined);
  return named.quantity ?? present?.quantity ?? 1;
}

function wantedOf(
  subscription: Subscription,
  [first, ...others]: readonly ReadItem[],
  newId: (productId: string) => string,
): Omit<WantedChange, 'discount'> {
  if (first === undefined) throw new Error('A subscription has no items');
  const main = mainItem(subscription);
  const isMain = first.held === undefined || first.held.id === main.id;
  const otherItems = others.map((item, index): WantedItem => {
    const { held, named } = item;
    // The main item gives its id to the first element.
    const isKept = held !== undefined && held.id !== main.id;
    if (isKept) {
      return { id: held.id, product: productOf(item), quantity: named.quantity ?? null };
    }
    const product = productOf(item) ?? withoutId(held);
    const quantity = quantityOf(subscription, { item, index: index + 1 });
    return { id: newId(product.productId), product, quantity };
  });
  return {
    product: isMain ? productOf(first) : (productOf(first) ?? withoutId(first.held)),
    quantity: isMain
      ? (first.named.quantity ?? null)
      : quantityOf(subscription, { item: first, index: 0 }),
    otherItems,
  };
}

function productOf({ product }: ReadItem): WantedProduct | null {
  if (product === undefined) return null;
  const { id: productId, name: productName, price } = product;
  return { productId, productName, price: recurring(price) };
}

function recurring(price: ProductFacts['price']): PriceSnapshot {
  const { billingInterval } = price;
  if (billingInterval === 'ONE_TIME') throw new Error('A price of an item is not recurring');
  return { ...price, billingInterval };
}

function withoutId(held: SubscriptionItem | undefined): WantedProduct {
  if (held === undefined) throw new Error('An item has no product');
  const { productId, productName, price } = held;
  return { productId, productName, price };
}
