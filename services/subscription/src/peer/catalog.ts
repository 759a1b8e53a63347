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
import { notFound } from '@billing/kernel/domain-error';
import type { Peers } from './peers';
import type { ProductFacts } from '../subscription/product';
import { periodOf } from '../subscription/billing-cycle';
import { mainItem, type Subscription } from '../subscription/subscription';
import type { MeterRate } from '../usage/usage-line';
import { pinnedSet, ratesAt } from '../usage/usage-period';

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

/** Present tax category of a product; undefined: `standard`, also for an unknown product. */
export async function fetchTaxCategory(
  { products }: Pick<Peers, 'products'>,
  productId: string,
  context: CallContext,
): Promise<string | undefined> {
  const product = await products.find(productId, context);
  return product === undefined ? undefined : taxCategoryOf(product);
}

function taxCategoryOf({ taxCategory }: Pick<Product, 'taxCategory'>): string | undefined {
  return taxCategory === STANDARD_CATEGORY ? undefined : taxCategory;
}

/** A set of meter prices in the catalog's form. */
export interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
  /** Present tax category of the product; undefined: `standard`, or the set was not read. */
  readonly taxCategory?: string | undefined;
}

const noMeterPrices: MeterPrices = { set: 0, prices: [] };

/** Reads the meter prices of a billed period; null: the trial. */
export async function meterPricesOf(
  { state, createdAt }: Stored<Subscription>,
  periodIndex: number | null,
  context: CallContext,
  { meterPrices }: Peers,
): Promise<MeterPrices> {
  const { productId } = mainItem(state);
  if (periodIndex === null) {
    return meterPrices.find({ productId, at: ratesAt(state.startAt, { createdAt }) }, context);
  }
  const set = pinnedSet(state, periodIndex);
  if (set === noMeterPrices.set) return noMeterPrices;
  if (set !== undefined) return meterPrices.find({ productId, at: undefined, set }, context);
  const at = ratesAt(periodOf(state, periodIndex).start, { createdAt });
  return meterPrices.find({ productId, at }, context);
}

/** Throws an Error for a kind of price unknown to this version: a guessed amount would be wrong. */
export function fromProtoMeterRate(price: MeterPrice): MeterRate {
  return {
    id: price.id,
    meterId: price.meterId,
    ...fromProtoMeterPrice(price),
  };
}
