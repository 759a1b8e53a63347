import type { Price as ProtoPrice } from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, fromProtoTiers, pricingTypes } from '@billing/proto/values/catalog';
import type { ProductFacts } from './product';
import type { PriceSnapshot } from './subscription';

type CatalogPrice = ProductFacts['price'];

/** Maps the price version to its public form. */
export function toProtoPrice(price: PriceSnapshot, productId: string): ProtoPrice {
  return {
    ...price,
    productId,
    type: pricingTypes.valueOf(price.type),
    billingInterval: billingIntervals.valueOf(price.billingInterval),
    trialDays: price.trialDays ?? undefined,
    lookupKey: price.lookupKey ?? undefined,
    tiers: (price.tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
  };
}

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
