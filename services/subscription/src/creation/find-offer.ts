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
  const { otherItems, ...main } = await fetchItems(input, context, peers);
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
    otherItems: otherItems.map((item) => ({ id: newId(), ...item })),
  };
}

type BoughtItem = ReturnType<typeof offersOf>[number];

/** Reads the items of a purchase, the main one with the others. */
export async function fetchItems(
  wanted: Pick<WantedPurchase, 'productId' | 'quantity' | 'items' | 'priceId'>,
  context: CallContext,
  peers: Peers,
): Promise<BoughtItem & { readonly otherItems: readonly BoughtItem[] }> {
  const { productId, quantity, items, priceId } = wanted;
  if (items === null) {
    const [named = {}] = namedItems(wanted);
    const product =
      priceId === null
        ? await fetchProduct(peers, productId, context)
        : await fetchNamedProduct(peers, named, context);
    const offer = offerOf(product, quantity, fieldOf(wanted));
    return { productId: product.id, quantity, ...offer, otherItems: [] };
  }
  const products = await Promise.all(items.map((item) => fetchNamedProduct(peers, item, context)));
  const [main, ...otherItems] = offersOf(products, items);
  if (main === undefined) throw new Error('A purchase has no items');
  return { ...main, otherItems };
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
