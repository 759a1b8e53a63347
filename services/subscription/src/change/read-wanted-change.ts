import type { CallContext } from '@billing/chassis/call-context';
import { type DomainError, invalidInput } from '@billing/kernel/domain-error';
import { isAmount } from '@billing/kernel/money';
import { recurringCharge, type RecurringPrice } from '@billing/kernel/pricing';
import { fetchNamedProduct } from '../peer/catalog';
import { otherProductIdsOf, quoteRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import type { ProductFacts } from '../subscription/product';
import { isSameInterval } from '../subscription/billing-cycle';
import { currencyOf, mainItem, type Subscription } from '../subscription/subscription';
import type {
  ChangeAt,
  ChangeCollect,
  ChangeKind,
  ChangeProration,
  WantedChange,
} from '../subscription/subscription-change';

/** The item that a change asks for. */
interface WantedItem {
  readonly productId: string | null;
  readonly priceId: string | null;
  readonly quantity: number | null;
}

/** A change as asked for; the form of its fields is valid. */
export interface ChangeInput extends WantedItem {
  /** Name of the field under which problems of the item are reported. */
  readonly itemField: 'item' | 'items';
  /** Null: no discount from the next period on; undefined: it stays. */
  readonly discountId: string | null | undefined;
  readonly at: ChangeAt | 'AUTO';
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
): Promise<Omit<WantedChange, 'discount'>> {
  if (input.kind !== 'UPDATE') return { product: null, quantity: null };
  const main = mainItem(subscription);
  const { priceId, quantity } = input;
  // A list names all items, and this release changes the main one alone.
  if (input.itemField === 'items' && subscription.items.length > 1) {
    throw invalidInput({ items: ['Only the main item of several can be changed'] });
  }
  const keepsPrice = priceId === null || priceId === main.price.id;
  if (keepsPrice && (input.productId ?? main.productId) === main.productId) {
    checkTotal(main.price, quantity ?? main.quantity);
    return { product: null, quantity };
  }
  const named = { productId: input.productId ?? undefined, priceId: priceId ?? undefined };
  const product = await fetchNamedProduct(peers, named, context);
  return { product: checkProduct(subscription, product, input), quantity };
}

/**
 * Reads the discount that a change asks for, and refuses one that the change could not redeem. A
 * discount that the subscription has stays, and so does its span.
 */
export async function resolveDiscount(
  subscription: Subscription,
  {
    discountId,
    productId,
    holderId,
  }: Pick<ChangeInput, 'discountId'> & {
    /** Product of the main item after the change. */
    readonly productId: string;
    readonly holderId: string;
  },
  context: CallContext,
  peers: Peers,
): Promise<WantedChange['discount']> {
  if (discountId === null) return { next: null };
  if (discountId === undefined || discountId === subscription.discount?.id) return null;
  const currency = currencyOf(subscription);
  const otherProductIds = otherProductIdsOf(subscription);
  const redemption = { discountId, productId, otherProductIds, currency, holderId };
  const found = await quoteRedemption(peers, redemption, context);
  return { next: { ...found, firstPeriodStart: null, holderId } };
}

function checkProduct(
  subscription: Subscription,
  { id: productId, name: productName, price, meterPriceSet }: ProductFacts,
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
  if (productId !== main.productId) checkMeters(subscription, meterPriceSet, input);
  checkTotal(recurring, input.quantity ?? main.quantity);
  return { productId, productName, price: recurring };
}

// The usage of a period is billed by one set of meter prices.
function checkMeters({ usage }: Subscription, meterPriceSet: number, input: ChangeInput): void {
  if (meterPriceSet === 0 && usage.rates.every(({ set }) => set === 0)) return;
  throw problem(input, 'Changes between products with metered prices are not supported');
}

/** Refuses items whose charge for a period is over the limit. */
export function checkTotal(price: Omit<RecurringPrice, 'quantity'>, quantity: number): void {
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

function problem({ itemField, priceId }: ChangeInput, message: string): DomainError {
  if (itemField === 'items') {
    return invalidInput({ items: [`0.${priceId === null ? 'productId' : 'priceId'}: ${message}`] });
  }
  return invalidInput({ [priceId === null ? 'productId' : 'priceId']: [message] });
}
