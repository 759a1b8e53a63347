import type { CallContext } from '@billing/chassis/call-context';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type { Price as ProtoPrice, Product } from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, fromProtoTiers, pricingTypes } from '@billing/proto/values/catalog';
import { notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { NamedItem } from '@billing/kernel/purchase-items';
import type { Peers } from './peers';
import type { ProductFacts } from '../subscription/product';
import { type TaxCategories, taxCategoriesOf } from '../subscription/command';
import type { Subscription, SubscriptionItem } from '../subscription/subscription';

type CatalogPrice = ProductFacts['price'];

/** Throws an Error for a kind of price unknown to this version: a guessed amount would be wrong. */
export function fromProtoPrice(price: ProtoPrice): CatalogPrice {
  const { id, currency, amount, intervalCount, trialDays, tiers, active, metadata, lookupKey } =
    price;
  return {
    id,
    type: pricingTypes.nameOf(price.type),
    currency,
    amount,
    billingInterval: billingIntervals.nameOf(price.billingInterval),
    intervalCount,
    trialDays: trialDays ?? null,
    tiers: fromProtoTiers(tiers),
    active,
    metadata: metadata ?? {},
    lookupKey: lookupKey ?? null,
    createdAt: present(price.createdAt),
    updatedAt: present(price.updatedAt),
  };
}

function present(time: Date | undefined): Date {
  if (time === undefined) throw new Error('A price has no time');
  return time;
}

/** Throws not_found for an unknown id. */
export async function fetchProduct(
  { products }: Pick<Peers, 'products'>,
  id: string,
  context: CallContext,
): Promise<ProductFacts> {
  const product = await products.find(id, context);
  if (product === undefined) throw notFound('Product');
  if (product.price === undefined) throw new Error('A product has no price');
  const { name, active, price, meterPriceSet } = product;
  const taxCategory = taxCategoryOf(product);
  return { id: product.id, name, active, price: fromProtoPrice(price), meterPriceSet, taxCategory };
}

/**
 * Reads the product that a caller names by its id, by its current price version, or by both. Throws
 * not_found where it is not sold so.
 */
export async function fetchNamedProduct(
  peers: Pick<Peers, 'catalog' | 'products'>,
  { productId, priceId }: NamedItem,
  context: CallContext,
): Promise<ProductFacts> {
  const found =
    priceId === undefined
      ? undefined
      : await unlessNotFound(peers.catalog.getPrice({ id: priceId }, context));
  const id = priceId === undefined ? productId : found?.price?.productId;
  if (id === undefined) throw notFound('Product');
  const product = await fetchProduct(peers, id, context);
  const isOther = (productId ?? id) !== id || (priceId ?? product.price.id) !== product.price.id;
  if (!product.active || isOther) throw notFound('Product');
  return product;
}

/** Present tax category of a product; undefined: `standard`, also for an unknown product. */
async function fetchTaxCategory(
  { products }: Pick<Peers, 'products'>,
  productId: string,
  context: CallContext,
): Promise<string | undefined> {
  const product = await products.find(productId, context);
  return product === undefined ? undefined : taxCategoryOf(product);
}

/** Present tax categories of the products of items, the main item first. */
export async function fetchTaxCategories(
  peers: Pick<Peers, 'products'>,
  [main, ...others]: Subscription['items'],
  context: CallContext,
): Promise<TaxCategories> {
  const read = async ({ productId }: Pick<SubscriptionItem, 'productId'>) =>
    (await fetchTaxCategory(peers, productId, context)) ?? null;
  const [taxCategory, ...rest] = await Promise.all([read(main), ...others.map(read)]);
  return taxCategoriesOf(
    taxCategory,
    others.map(({ productId }, index) => [productId, rest[index] ?? null]),
  );
}

/**
 * Adds the categories of lines for usage of products that the subscription does not have any more.
 */
export async function withLineCategories<Categories extends TaxCategories>(
  peers: Pick<Peers, 'products'>,
  categories: Categories,
  {
    items,
    lines,
  }: {
    readonly items: Subscription['items'];
    readonly lines: readonly { readonly productId?: string | undefined }[];
  },
  context: CallContext,
): Promise<Categories> {
  const named = new Set(lines.flatMap(({ productId }) => productId ?? []));
  const missing = [...named].filter((id) => items.every(({ productId }) => productId !== id));
  if (missing.length === 0) return categories;
  const found = await Promise.all(
    missing.map(async (id) => [id, (await fetchTaxCategory(peers, id, context)) ?? null] as const),
  );
  const { otherTaxCategories: others } = categories;
  return { ...categories, otherTaxCategories: { ...others, ...Object.fromEntries(found) } };
}

function taxCategoryOf({ taxCategory }: Pick<Product, 'taxCategory'>): string | undefined {
  return taxCategory === STANDARD_CATEGORY ? undefined : taxCategory;
}
