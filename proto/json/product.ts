import { type MeterPrice, type Price, type Product } from '../gen/billing/catalog/v1/catalog';
import { toJsonAmount, toJsonMetadata, toJsonTime } from './scalars';
import {
  billingIntervals,
  fromProtoTiers,
  meterPricingTypes,
  pricingTypes,
} from '../values/catalog';

/** Product in REST responses: its own fields and those of its current price. */
export function toJsonProduct(product: Product) {
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
    priceId: price.id,
    tiers: fromProtoTiers(price.tiers),
    meterPrices: product.meterPrices.map(toJsonMeterPrice),
    createdAt: toJsonTime(product.createdAt),
    updatedAt: toJsonTime(product.updatedAt),
  };
}

/** Price of a meter's units. */
export function toJsonMeterPrice(price: MeterPrice) {
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
export function toJsonPrice(price: Price) {
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

function toJsonTerms(price: Price) {
  return {
    type: pricingTypes.nameOf(price.type),
    currency: price.currency,
    amount: toJsonAmount(price.amount),
    billingInterval: billingIntervals.nameOf(price.billingInterval),
    intervalCount: price.intervalCount,
    trialDays: price.trialDays ?? null,
  };
}
