import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { fetchNamedProduct, fetchProduct } from '../peer/catalog';
import { billedCurrency } from '../peer/checkout';
import { fetchCustomer } from '../peer/customer';
import type { Peers } from '../peer/peers';
import type { CustomerFacts } from '../subscription/customer';
import type { Creation } from './creation';
import { type CheckedInput, namedItems, type SubscriptionInput } from './input';
import { checkCurrency, type Offer, type OfferedItem, offerOf, offersOf } from './offer';

/** The payer, and the items at their present terms; the main one stands by its fields. */
export type PurchaseFacts = Pick<Creation, 'customer' | 'itemId' | 'otherItems'> &
  Offer &
  Pick<OfferedItem, 'productId' | 'quantity'>;

/** Input of a creation, or of a preview for any customer. */
export type WantedPurchase = Omit<CheckedInput, 'customerId'> & {
  /** Null: any. */
  readonly customerId: string | null;
};

/** Reads the payer and the products; refuses what cannot be subscribed to. */
export async function fetchOffer(
  input: WantedPurchase,
  context: CallContext,
  peers: Peers,
): Promise<PurchaseFacts> {
  const { customerId } = input;
  const known =
    customerId === null ? undefined : await fetchCustomer(peers.customers, customerId, context);
  const [main, ...others] = await fetchItems(input, context, peers);
  if (main === undefined) throw new Error('A purchase has no items');
  const { currency } = main.price;
  const customer = known ?? { ...unknownCustomer(), currency };
  if (currency !== customer.currency) {
    const billed = await billedCurrency(peers, customer, context);
    checkCurrency(main.price, billed, currencyField(input));
  }
  const itemId = newId();
  return {
    ...main,
    customer,
    itemId,
    otherItems: others.map((item) => ({ id: newId(), ...item })),
  };
}

async function fetchItems(
  wanted: WantedPurchase,
  context: CallContext,
  peers: Peers,
): Promise<ReturnType<typeof offersOf>> {
  const { productId, quantity, items, priceId } = wanted;
  if (items === null) {
    const [named = {}] = namedItems(wanted);
    const product =
      priceId === null
        ? await fetchProduct(peers, productId, context)
        : await fetchNamedProduct(peers, named, context);
    return [{ productId: product.id, quantity, ...offerOf(product, quantity, fieldOf(wanted)) }];
  }
  const products = await Promise.all(items.map((item) => fetchNamedProduct(peers, item, context)));
  return offersOf(products, items);
}

/** The field that names what is bought. */
export function currencyField({
  items,
  priceId,
}: Pick<SubscriptionInput, 'items' | 'priceId'>): 'productId' | 'priceId' | 'items' {
  return items === null ? fieldOf({ priceId }) : 'items';
}

function fieldOf({ priceId }: Pick<SubscriptionInput, 'priceId'>): 'productId' | 'priceId' {
  return priceId === null ? 'productId' : 'priceId';
}

function unknownCustomer(): Omit<CustomerFacts, 'currency'> {
  const collectionMethod = 'CHARGE_AUTOMATICALLY';
  return { id: newId(), email: '', name: null, isCurrencyFixed: true, collectionMethod };
}
