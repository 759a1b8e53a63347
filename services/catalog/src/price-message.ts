import type { MeterPriceInput } from '@billing/kernel/input/meter-price';
import type { Tier, TierInput } from '@billing/kernel/tiers';
import type {
  MeterPrice as ProtoMeterPrice,
  Price as ProtoPrice,
  Tier as ProtoTier,
} from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, meterPricingTypes, pricingTypes } from '@billing/proto/values/catalog';
import type { MeterPrice } from './meter-price';
import type { Price, SupersededPrice } from './price';

/** A proto list cannot be absent: an empty list stands for no tiers. */
export function fromProtoTiers(tiers: readonly ProtoTier[]): TierInput[] | undefined {
  if (tiers.length === 0) return undefined;
  return tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? null }));
}

function toProtoTiers(tiers: readonly Tier[] | null): ProtoTier[] {
  return (tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined }));
}

/** A superseded version changed once: when it was replaced. */
export function toProtoSupersededPrice({
  price,
  productId,
  supersededAt,
}: SupersededPrice): ProtoPrice {
  return { ...toProtoPrice(price, productId), active: false, updatedAt: supersededAt };
}

/** The current price: active and never changed, because no later version has replaced it. */
export function toProtoPrice(price: Price, productId: string): ProtoPrice {
  return {
    id: price.id,
    productId,
    type: pricingTypes.valueOf(price.type),
    currency: price.currency,
    amount: price.amount,
    billingInterval: billingIntervals.valueOf(price.billingInterval),
    intervalCount: price.intervalCount,
    trialDays: price.trialDays ?? undefined,
    active: true,
    createdAt: price.createdAt,
    updatedAt: price.createdAt,
    metadata: price.metadata,
    lookupKey: price.lookupKey ?? undefined,
    tiers: toProtoTiers(price.tiers),
  };
}

export function fromProtoMeterPrices(prices: readonly ProtoMeterPrice[]): MeterPriceInput[] {
  return prices.map((price) => ({
    ...price,
    type: meterPricingTypes.sentName(price.type),
    tiers: fromProtoTiers(price.tiers),
  }));
}

export function toProtoMeterPrice(price: MeterPrice, productId: string): ProtoMeterPrice {
  return {
    id: price.id,
    productId,
    meterId: price.meterId,
    type: meterPricingTypes.valueOf(price.type),
    unitAmount: price.unitAmount ?? undefined,
    tiers: toProtoTiers(price.tiers),
    includedUnits: price.includedUnits,
    packageSize: price.packageSize ?? undefined,
    minimumAmount: price.minimumAmount ?? undefined,
    maximumAmount: price.maximumAmount ?? undefined,
    metadata: price.metadata,
    createdAt: price.createdAt,
  };
}
