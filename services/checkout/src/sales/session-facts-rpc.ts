import type { CallContext } from '@billing/chassis/call-context';
import { notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { Price, Product } from '@billing/proto/billing/catalog/v1/catalog';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../peers';
import { discountNotValid, type ProductFacts, type SessionInput } from './session-input';
import { fromProtoPrice } from './session-snapshot-rpc';

/** The bought product and the requested price version. */
export interface BoughtProduct {
  readonly facts: ProductFacts;
  readonly price: Price;
}

/** Throws for an unknown customer. */
export async function fetchCustomer(
  { customers }: Pick<Peers, 'customers'>,
  id: string,
  context: CallContext,
): Promise<Customer> {
  const customer = await customers.find(id, context);
  if (customer === undefined) throw notFound('Customer');
  return customer;
}

/** A price id may be a product's; then it selects the product's current price. */
export async function fetchProduct(
  { catalog, products }: Pick<Peers, 'catalog' | 'products'>,
  { priceId, productId }: Pick<SessionInput, 'priceId' | 'productId'>,
  context: CallContext,
): Promise<BoughtProduct> {
  if (priceId !== undefined) {
    const found = await unlessNotFound(catalog.getPrice({ id: priceId }, context));
    if (found !== undefined) return bought(found.product, found.price);
  }
  const product = await products.find(priceId ?? productId ?? '', context);
  if (product === undefined) throw notFound('Product');
  return bought(product, product.price);
}

/** Refuses an unknown discount. The reservation decides if it can be redeemed. */
export async function checkDiscountIsKnown(
  { discount }: Peers,
  id: string | undefined,
  context: CallContext,
): Promise<void> {
  if (id === undefined) return;
  if ((await unlessNotFound(discount.getDiscount({ id }, context))) === undefined) {
    throw discountNotValid();
  }
}

/** True if the product or the discount of an open session was archived or deleted since. */
export async function isOfferGone(
  { products, discount: discounts }: Pick<Peers, 'products' | 'discount'>,
  { productId, discountId }: { productId: string; discountId: string | undefined },
  context: CallContext,
): Promise<boolean> {
  const [product, reduced] = await Promise.all([
    products.find(productId, context),
    discountId === undefined
      ? undefined
      : unlessNotFound(discounts.getDiscount({ id: discountId }, context)),
  ]);
  if (product?.active !== true) return true;
  if (discountId === undefined) return false;
  const discount = reduced?.discount;
  // A used-up discount does not count: one of its redemptions is reserved for the session.
  return (
    discount?.active !== true || (discount.endsAt !== undefined && discount.endsAt <= context.now)
  );
}

function bought(product: Product | undefined, price: Price | undefined): BoughtProduct {
  if (product === undefined || price === undefined) {
    throw new Error('Response without a product with a price');
  }
  const { id, name, description, active } = product;
  return { facts: { id, name, description, active, price: fromProtoPrice(price) }, price };
}
