import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type {
  MeterPrice,
  Price as ProtoPrice,
  Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  billingIntervals,
  fromProtoMeterPrice,
  fromProtoTiers,
  pricingTypes,
} from '@billing/proto/values/catalog';
import { notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { NamedItem } from '@billing/kernel/purchase-items';
import type { Peers } from './peers';
import type { ProductFacts } from '../subscription/product';
import { periodOf } from '../subscription/billing-cycle';
import { type TaxCategories, taxCategoriesOf } from '../subscription/command';
import { mainItem, type Subscription, type SubscriptionItem } from '../subscription/subscription';
import type { PeriodSets } from '../subscription/usage-billing';
import type { MeterRate } from '../usage/usage-line';
import { pinnedSets, ratesAt } from '../usage/usage-period';

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

function taxCategoryOf({ taxCategory }: Pick<Product, 'taxCategory'>): string | undefined {
  return taxCategory === STANDARD_CATEGORY ? undefined : taxCategory;
}

/** A set of a product's meter prices in the catalog's form. */
interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
  /** Present tax category of the product; undefined: `standard`, or the set was not read. */
  readonly taxCategory?: string | undefined;
}

/** A meter price, and the item whose product has it. */
export interface ItemMeterPrice {
  readonly item: SubscriptionItem;
  readonly price: MeterPrice;
}

/** The meter prices of a period. */
export interface PeriodPrices {
  readonly sets: PeriodSets;
  /**
   * In the order of the items and of their meter prices. A meter that several products price counts
   * for the first of them.
   */
  readonly prices: readonly ItemMeterPrice[];
  /** Present tax categories; `standard` where the set was not read. */
  readonly taxCategories: TaxCategories;
}

const noMeterPrices: MeterPrices = { set: 0, prices: [] };

/** Reads the meter prices of a billed period; null: the trial. */
export async function meterPricesOf(
  stored: Stored<Subscription>,
  periodIndex: number | null,
  context: CallContext,
  peers: Pick<Peers, 'meterPrices'>,
): Promise<PeriodPrices> {
  const { items } = stored.state;
  const found = await Promise.all(
    items.map(async (item) => ({
      item,
      ...(await itemPrices(item, { stored, periodIndex }, context, peers)),
    })),
  );
  return periodPricesOf(found);
}

/** Combines the meter prices of items, the main item first. */
function periodPricesOf(
  found: readonly ({ readonly item: SubscriptionItem } & MeterPrices)[],
): PeriodPrices {
  const [main, ...others] = found;
  const all = found.flatMap(({ item, prices }) => prices.map((price) => ({ item, price })));
  const { set, taxCategory } = main ?? noMeterPrices;
  const otherSets = others.map(({ item: { productId }, set: other }) => ({
    productId,
    set: other,
  }));
  return {
    sets: others.length === 0 ? { set } : { set, others: otherSets },
    prices: all.filter(
      ({ price: { meterId } }, index) =>
        all.findIndex(({ price }) => price.meterId === meterId) === index,
    ),
    taxCategories: taxCategoriesOf(
      taxCategory ?? null,
      others.map(({ item, taxCategory: category }) => [item.productId, category ?? null]),
    ),
  };
}

async function itemPrices(
  item: SubscriptionItem,
  {
    stored: { state, createdAt },
    periodIndex,
  }: { readonly stored: Stored<Subscription>; readonly periodIndex: number | null },
  context: CallContext,
  { meterPrices }: Pick<Peers, 'meterPrices'>,
): Promise<MeterPrices> {
  const { productId } = item;
  if (periodIndex === null) {
    return meterPrices.find({ productId, at: ratesAt(state.startAt, { createdAt }) }, context);
  }
  const set = pinnedSetOf(state, periodIndex, item);
  if (set === noMeterPrices.set) return noMeterPrices;
  if (set !== undefined) return meterPrices.find({ productId, at: undefined, set }, context);
  const at = ratesAt(periodOf(state, periodIndex).start, { createdAt });
  return meterPrices.find({ productId, at }, context);
}

function pinnedSetOf(
  state: Subscription,
  periodIndex: number,
  { id, productId }: SubscriptionItem,
): number | undefined {
  const pinned = pinnedSets(state, periodIndex);
  if (id === mainItem(state).id) return pinned?.set;
  return pinned?.others?.find((other) => other.productId === productId)?.set;
}

/** Throws an Error for a kind of price unknown to this version: a guessed amount would be wrong. */
export function fromProtoMeterRate(price: MeterPrice): MeterRate {
  return {
    id: price.id,
    meterId: price.meterId,
    ...fromProtoMeterPrice(price),
  };
}
