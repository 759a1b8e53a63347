import type { CallContext } from '@billing/chassis/call-context';
import { type DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { NamedItem } from '@billing/kernel/purchase-items';
import { fetchNamedProduct } from '../peer/catalog';
import { otherProductIdsOf, quoteRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import type { ProductFacts } from '../subscription/product';
import { isSameInterval } from '../subscription/billing-cycle';
import {
  currencyOf,
  mainItem,
  type Subscription,
  type SubscriptionItems,
} from '../subscription/subscription';
import type {
  ChangeAt,
  ChangeCollect,
  ChangeKind,
  ChangeProration,
  WantedChange,
} from '../subscription/subscription-change';
import { type ResolvedItems, resolveItems } from './read-wanted-items';

/** The item that a change asks for. */
interface WantedItem {
  readonly productId: string | null;
  readonly priceId: string | null;
  readonly quantity: number | null;
}

/** A change as asked for; the form of its fields is valid. */
export interface ChangeInput extends WantedItem {
  /** The items after the main one, if all are listed; null: they stay. */
  readonly otherItems: readonly NamedItem[] | null;
  /** Null: no discount from the next period on; undefined: it stays. */
  readonly discountId: string | null | undefined;
  readonly at: ChangeAt | 'AUTO';
  /** Instant that PERIOD_END waits for; absent: the end of the running period. */
  readonly notBefore?: Date;
  readonly requirePayment: boolean;
  readonly kind: ChangeKind;
  readonly resumeAt: Date | null;
  readonly proration: ChangeProration;
  readonly collect: ChangeCollect;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Reads the product that a change asks for, and refuses one that the subscription cannot have. A
 * product that the subscription has keeps its price version.
 */
export async function resolveItem(
  subscription: Subscription,
  input: ChangeInput,
  context: CallContext,
  peers: Peers,
): Promise<ResolvedItems> {
  if (input.kind !== 'UPDATE') return unmetered({ product: null, quantity: null });
  const main = mainItem(subscription);
  const { priceId, quantity, otherItems } = input;
  if (otherItems !== null) {
    const first = {
      productId: input.productId ?? undefined,
      priceId: priceId ?? undefined,
      quantity: quantity ?? undefined,
    };
    return resolveItems(subscription, [first, ...otherItems], context, peers);
  }
  const keepsPrice = priceId === null || priceId === main.price.id;
  if (keepsPrice && (input.productId ?? main.productId) === main.productId) {
    return unmetered({ product: null, quantity });
  }
  const named = { productId: input.productId ?? undefined, priceId: priceId ?? undefined };
  const product = await fetchNamedProduct(peers, named, context);
  const item = { product: checkProduct(subscription, product, input), quantity };
  return { item, isMetered: product.meterPriceSet > 0 };
}

function unmetered(item: ResolvedItems['item']): ResolvedItems {
  return { item, isMetered: false };
}

/**
 * Reads the discount that a change asks for, and refuses one that the change could not redeem. A
 * discount that the subscription has stays, and so does its span.
 */
export async function resolveDiscount(
  subscription: Subscription,
  {
    discountId,
    items,
    holderId,
  }: Pick<ChangeInput, 'discountId'> & {
    /** The items after the change. */
    readonly items: SubscriptionItems;
    readonly holderId: string;
  },
  context: CallContext,
  peers: Peers,
): Promise<WantedChange['discount']> {
  if (discountId === null) return { next: null };
  if (discountId === undefined || discountId === subscription.discount?.id) return null;
  const currency = currencyOf(subscription);
  const [{ productId }] = items;
  const otherProductIds = otherProductIdsOf({ items });
  const redemption = { discountId, productId, otherProductIds, currency, holderId };
  const found = await quoteRedemption(peers, redemption, context);
  return { next: { ...found, firstPeriodStart: null, holderId } };
}

function checkProduct(
  subscription: Subscription,
  { id: productId, name: productName, price }: ProductFacts,
  input: ChangeInput,
): NonNullable<WantedChange['product']> {
  const { billingInterval } = price;
  const main = mainItem(subscription);
  if (billingInterval === 'ONE_TIME') throw problem(input, 'Price is not recurring');
  if (price.currency !== currencyOf(subscription)) {
    throw problem(input, 'Price has another currency');
  }
  const recurring = { ...price, billingInterval };
  const [, ...others] = subscription.items;
  if (others.some((item) => item.productId === productId)) {
    throw problem(input, 'Product is there twice');
  }
  if (others.length > 0 && !isSameInterval(recurring, main.price)) {
    throw problem(input, 'Items must share one billing interval');
  }
  return { productId, productName, price: recurring };
}

function problem({ priceId }: ChangeInput, message: string): DomainError {
  return invalidInput({ [priceId === null ? 'productId' : 'priceId']: [message] });
}
