import type { BillingInterval } from '@billing/kernel/billing-period';
import type { Tier } from '@billing/kernel/tiers';
import {
  BillingInterval as ProtoBillingInterval,
  type Price as ProtoPrice,
  PricingType as ProtoPricingType,
  type Tier as ProtoTier,
} from '@billing/proto/billing/catalog/v1/catalog';
import type { ProductFacts } from './creation-input';
import type { PriceSnapshot } from './subscription';

type CatalogPrice = ProductFacts['price'];

const protoPricingTypes: Readonly<Record<PriceSnapshot['type'], ProtoPricingType>> = {
  FLAT: ProtoPricingType.PRICING_TYPE_FLAT,
  PER_UNIT: ProtoPricingType.PRICING_TYPE_PER_UNIT,
  TIERED: ProtoPricingType.PRICING_TYPE_TIERED,
  VOLUME: ProtoPricingType.PRICING_TYPE_VOLUME,
};

const protoBillingIntervals: Readonly<Record<BillingInterval, ProtoBillingInterval>> = {
  DAILY: ProtoBillingInterval.BILLING_INTERVAL_DAILY,
  WEEKLY: ProtoBillingInterval.BILLING_INTERVAL_WEEKLY,
  MONTHLY: ProtoBillingInterval.BILLING_INTERVAL_MONTHLY,
  QUARTERLY: ProtoBillingInterval.BILLING_INTERVAL_QUARTERLY,
  YEARLY: ProtoBillingInterval.BILLING_INTERVAL_YEARLY,
  ONE_TIME: ProtoBillingInterval.BILLING_INTERVAL_ONE_TIME,
};

/** The price version as subscriptions show it. */
export function toProtoPrice(price: PriceSnapshot, productId: string): ProtoPrice {
  return {
    ...price,
    productId,
    type: protoPricingTypes[price.type],
    billingInterval: protoBillingIntervals[price.billingInterval],
    trialDays: price.trialDays ?? undefined,
    lookupKey: price.lookupKey ?? undefined,
    tiers: (price.tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
  };
}

/** Throws an Error for a kind of price that this version does not know: billing it by guess would be wrong. */
export function fromProtoPrice(price: ProtoPrice): CatalogPrice {
  const { id, currency, amount, intervalCount, trialDays, tiers, active, metadata, lookupKey } =
    price;
  return {
    id,
    type: known(protoPricingTypes, price.type),
    currency,
    amount,
    billingInterval: known(protoBillingIntervals, price.billingInterval),
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

/** An empty list is how a message says that there is none. */
export function fromProtoTiers(tiers: readonly ProtoTier[]): Tier[] | null {
  if (tiers.length === 0) return null;
  return tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo ?? null,
    unitAmount,
    flatAmount: flatAmount ?? '0',
  }));
}

export function known<T extends string>(names: Readonly<Record<T, number>>, value: number): T {
  const name = (Object.keys(names) as T[]).find((candidate) => names[candidate] === value);
  if (name === undefined) throw new Error(`A price has the unknown kind ${String(value)}`);
  return name;
}

function present(time: Date | undefined): Date {
  if (time === undefined) throw new Error('A price has no time');
  return time;
}
