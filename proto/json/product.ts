import { z } from 'zod';
import { type MeterPrice, type Price, type Product } from '../gen/billing/catalog/v1/catalog';
import {
  amount,
  currency,
  decimal,
  id,
  metadata,
  time,
  toJsonAmount,
  toJsonMetadata,
  toJsonTime,
  timestamps,
} from './scalars';
import {
  billingIntervals,
  fromProtoTiers,
  meterPricingTypes,
  pricingTypes,
} from '../values/catalog';

export const PricingTierJson = z
  .object({
    upTo: decimal
      .nullable()
      .meta({ description: 'Upper bound of the tier, inclusive. Null in the last tier.' }),
    unitAmount: decimal,
    // Documented as nullable, but always sent.
    flatAmount: decimal.nullable() as z.ZodType<string>,
  })
  .meta({ id: 'PricingTier' });

const tiers = z.array(PricingTierJson).nullable();

const terms = z.object({
  type: z.enum(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME']),
  currency,
  amount,
  billingInterval: z.enum(['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ONE_TIME']),
  intervalCount: z.int().min(1).max(365),
  trialDays: z.int().min(0).max(730).nullable(),
});

export const PriceJson = z
  .object({
    id,
    productId: id,
    nickname: z.string().nullable(),
    ...terms.shape,
    active: z.boolean(),
    metadata,
    lookupKey: z.string().nullable(),
    tiers,
    ...timestamps,
  })
  .meta({ id: 'Price', description: 'An immutable version of the price of a product.' });
export type PriceJson = z.infer<typeof PriceJson>;

export const MeterPriceJson = z
  .object({
    id,
    productId: id,
    meterId: id,
    type: z.enum(['PER_UNIT', 'TIERED', 'VOLUME', 'PACKAGE']),
    unitAmount: decimal.nullable(),
    tiers,
    includedUnits: decimal,
    packageSize: decimal.nullable(),
    minimumAmount: amount.nullable(),
    maximumAmount: amount.nullable(),
    metadata,
    createdAt: time,
  })
  .meta({ id: 'MeterPrice' });
export type MeterPriceJson = z.infer<typeof MeterPriceJson>;

export const ProductJson = z
  .object({
    id,
    organizationId: id,
    name: z.string(),
    description: z.string().nullable(),
    ...terms.shape,
    active: z.boolean(),
    metadata,
    lookupKey: z.string().nullable(),
    taxCategory: z.string().meta({ description: 'Decides the tax rate.' }),
    priceId: id.meta({ description: 'Id of the current price version.' }),
    tiers,
    meterPrices: z.array(MeterPriceJson),
    ...timestamps,
  })
  .meta({ id: 'Product' });
export type ProductJson = z.infer<typeof ProductJson>;

/** Product in REST responses: its own fields and those of its current price. */
export function toJsonProduct(product: Product): ProductJson {
  const { price } = product;
  if (price === undefined) throw new Error(`Product ${product.id} has no price`);
  return {
    id: product.id,
    organizationId: product.organizationId,
    name: product.name,
    description: product.description ?? null,
    ...toJsonTerms(price),
    active: product.active,
    metadata: toJsonMetadata(product.metadata),
    lookupKey: product.lookupKey ?? null,
    taxCategory: product.taxCategory ?? 'standard',
    priceId: price.id,
    tiers: fromProtoTiers(price.tiers),
    meterPrices: product.meterPrices.map(toJsonMeterPrice),
    createdAt: toJsonTime(product.createdAt),
    updatedAt: toJsonTime(product.updatedAt),
  };
}

/** Price of a meter's units. */
export function toJsonMeterPrice(price: MeterPrice): MeterPriceJson {
  return {
    id: price.id,
    productId: price.productId,
    meterId: price.meterId,
    type: meterPricingTypes.nameOf(price.type),
    unitAmount: price.unitAmount ?? null,
    tiers: fromProtoTiers(price.tiers),
    includedUnits: price.includedUnits ?? '0',
    packageSize: price.packageSize ?? null,
    minimumAmount: toJsonBound(price.minimumAmount),
    maximumAmount: toJsonBound(price.maximumAmount),
    metadata: toJsonMetadata(price.metadata),
    createdAt: toJsonTime(price.createdAt),
  };
}

/** Price version embedded in other resources. */
export function toJsonPrice(price: Price): PriceJson {
  return {
    id: price.id,
    productId: price.productId,
    nickname: null,
    ...toJsonTerms(price),
    active: price.active,
    metadata: toJsonMetadata(price.metadata),
    lookupKey: price.lookupKey ?? null,
    tiers: fromProtoTiers(price.tiers),
    createdAt: toJsonTime(price.createdAt),
    updatedAt: toJsonTime(price.updatedAt),
  };
}

function toJsonBound(amount: bigint | undefined): number | null {
  return amount === undefined ? null : toJsonAmount(amount);
}

function toJsonTerms(price: Price): z.infer<typeof terms> {
  return {
    type: pricingTypes.nameOf(price.type),
    currency: price.currency,
    amount: toJsonAmount(price.amount),
    billingInterval: billingIntervals.nameOf(price.billingInterval),
    intervalCount: price.intervalCount,
    trialDays: price.trialDays ?? null,
  };
}
