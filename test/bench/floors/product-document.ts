import {
  BillingInterval,
  PricingType,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';

/** The fields of a stored flat product that a response needs. */
export interface ProductDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly description: string | null;
  readonly active: boolean;
  readonly metadata: string;
  readonly lookupKey: string | null;
  readonly version: number | bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly price: {
    readonly id: string;
    readonly currency: string;
    readonly amount: number | bigint;
    readonly intervalCount: number | bigint;
    readonly trialDays: number | bigint | null;
    readonly lookupKey: string | null;
    readonly createdAt: Date;
  };
}

/** Converts a stored flat monthly product as the service does. */
export function toProtoProduct(document: ProductDocument): Product {
  const { price } = document;
  return {
    id: document._id,
    organizationId: document.organizationId,
    name: document.name,
    description: document.description ?? undefined,
    active: document.active,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
    lookupKey: document.lookupKey ?? undefined,
    price: {
      id: price.id,
      productId: document._id,
      type: PricingType.PRICING_TYPE_FLAT,
      currency: price.currency,
      amount: BigInt(price.amount),
      billingInterval: BillingInterval.BILLING_INTERVAL_MONTHLY,
      intervalCount: Number(price.intervalCount),
      trialDays: price.trialDays === null ? undefined : Number(price.trialDays),
      active: true,
      createdAt: price.createdAt,
      updatedAt: price.createdAt,
      metadata: {},
      lookupKey: price.lookupKey ?? undefined,
      tiers: [],
    },
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    version: BigInt(document.version),
    // A flat product without meters.
    meterPrices: [],
    meterPriceSet: 0,
  };
}
