import type { CallContext } from '@billing/chassis/call-context';
import { parseCurrency } from '@billing/kernel/currency';
import { invalidInput, notFound, unlessNotFound } from '@billing/kernel/domain-error';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import { Price, type Product } from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, fromProtoTiers, pricingTypes } from '@billing/proto/values/catalog';
import type { Peers } from './peers';
import type { PriceTerms, ProductFacts } from './product-facts';
import { snapshotsOf } from './snapshot';

export const priceSnapshot = snapshotsOf(Price);

/** The bought product and the requested price version. */
export interface BoughtProduct {
  readonly facts: ProductFacts;
  readonly price: Price;
}

/** A price id may be a product's; then it selects the product's current price. */
export async function fetchProduct(
  { catalog, products }: Pick<Peers, 'catalog' | 'products'>,
  {
    priceId,
    productId,
  }: { readonly priceId: string | undefined; readonly productId: string | undefined },
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

/** Refuses unknown products of a link. */
export async function checkProducts(
  { catalog }: Peers,
  productIds: readonly string[],
  context: CallContext,
): Promise<void> {
  const problems = await Promise.all(
    productIds.map(async (id, index) => {
      const found = await unlessNotFound(catalog.getProduct({ id }, context));
      return found === undefined ? [`${String(index)}: Product not found`] : [];
    }),
  );
  if (problems.flat().length > 0) throw invalidInput({ productIds: problems.flat() });
}

/** True if a product or the discount of an open session was archived or deleted since. */
export async function isOfferGone(
  { products, discount: discounts }: Pick<Peers, 'products' | 'discount'>,
  { productIds, discountId }: { productIds: readonly string[]; discountId: string | undefined },
  context: CallContext,
): Promise<boolean> {
  const [sold, reduced] = await Promise.all([
    Promise.all(productIds.map((id) => products.find(id, context))),
    discountId === undefined
      ? undefined
      : unlessNotFound(discounts.getDiscount({ id: discountId }, context)),
  ]);
  if (sold.some((product) => product?.active !== true)) return true;
  if (discountId === undefined) return false;
  const discount = reduced?.discount;
  // A used-up discount does not count: one of its redemptions is reserved for the session.
  return (
    discount?.active !== true || (discount.endsAt !== undefined && discount.endsAt <= context.now)
  );
}

/**
 * Throws an Error for a kind of price that this version does not know, because guessing its terms
 * would be wrong.
 */
export function fromProtoPrice(price: Price): PriceTerms {
  const { id, amount, intervalCount, trialDays, active, tiers } = price;
  return {
    id,
    type: pricingTypes.nameOf(price.type),
    currency: parseCurrency(price.currency),
    amount,
    tiers: fromProtoTiers(tiers),
    billingInterval: billingIntervals.nameOf(price.billingInterval),
    intervalCount,
    trialDays: trialDays ?? 0,
    active,
  };
}

function bought(product: Product | undefined, price: Price | undefined): BoughtProduct {
  if (product === undefined || price === undefined) {
    throw new Error('Response without a product with a price');
  }
  const { id, name, description, active } = product;
  const taxCategory = product.taxCategory === STANDARD_CATEGORY ? undefined : product.taxCategory;
  const facts = { id, name, description, active, price: fromProtoPrice(price), taxCategory };
  return { facts, price };
}
