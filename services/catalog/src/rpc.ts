import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newResourceId } from '@billing/chassis/call-context';
import { checkMetadata } from '@billing/chassis/metadata';
import { rpcService } from '@billing/chassis/rpc';
import type { BillingInterval } from '@billing/kernel/billing-period';
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateProductRequest,
  type Price as ProtoPrice,
  type Product as ProtoProduct,
  BillingInterval as ProtoBillingInterval,
  PricingType as ProtoPricingType,
} from '@billing/proto/billing/catalog/v1/catalog';
import type { PriceTerms, SentChoice } from './price';
import { createProduct, type Product, type ProductInput } from './product';

/** The service's calls, on its products. */
export function catalogRpc(products: AggregateCollection<Product>) {
  return rpcService<CatalogServiceServer>(CatalogServiceService, {
    createProduct: async (request, context) => {
      const product = createProduct(fromProtoProductInput(request), {
        id: newResourceId(context, 'product'),
        priceId: newResourceId(context, 'price'),
        now: context.now,
        metadataProblems: checkMetadata(request.metadata),
      });
      const { stored } = await products
        .within(context)
        .insert({ state: product, events: [], commands: [] });
      return { product: toProtoProduct(stored) };
    },

    getProduct: async ({ id }, context) => ({
      product: toProtoProduct(await products.within(context).get(id)),
    }),
  });
}

const protoPricingTypes: Readonly<Record<PriceTerms['type'], ProtoPricingType>> = {
  FLAT: ProtoPricingType.PRICING_TYPE_FLAT,
};

const protoBillingIntervals: Readonly<Record<BillingInterval, ProtoBillingInterval>> = {
  DAILY: ProtoBillingInterval.BILLING_INTERVAL_DAILY,
  WEEKLY: ProtoBillingInterval.BILLING_INTERVAL_WEEKLY,
  MONTHLY: ProtoBillingInterval.BILLING_INTERVAL_MONTHLY,
  QUARTERLY: ProtoBillingInterval.BILLING_INTERVAL_QUARTERLY,
  YEARLY: ProtoBillingInterval.BILLING_INTERVAL_YEARLY,
  ONE_TIME: ProtoBillingInterval.BILLING_INTERVAL_ONE_TIME,
};

function fromProtoProductInput(request: CreateProductRequest): ProductInput {
  return {
    ...request,
    type: fromProtoChoice(protoPricingTypes, request.type),
    billingInterval: fromProtoChoice(protoBillingIntervals, request.billingInterval),
  };
}

/** Enum values count from 1; 0 stands for "not sent". */
function fromProtoChoice<T extends string>(
  choices: Readonly<Record<T, number>>,
  sent: number,
): SentChoice<T> {
  if (sent === 0) return undefined;
  const names = Object.keys(choices) as T[];
  return names.find((name) => choices[name] === sent) ?? 'UNKNOWN';
}

function toProtoProduct({ state, ...stored }: Stored<Product>): ProtoProduct {
  const { id, name, description, active, metadata, lookupKey, price } = state;
  return {
    id,
    organizationId: stored.tenant.organizationId,
    name,
    description: description ?? undefined,
    active,
    metadata,
    lookupKey: lookupKey ?? undefined,
    price: toProtoPrice(price, id),
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
  };
}

/** A product's current price: active because no later version has replaced it, and therefore never changed. */
function toProtoPrice(price: Product['price'], productId: string): ProtoPrice {
  return {
    id: price.id,
    productId,
    type: protoPricingTypes[price.type],
    currency: price.currency,
    amount: price.amount,
    billingInterval: protoBillingIntervals[price.billingInterval],
    intervalCount: price.intervalCount,
    trialDays: price.trialDays ?? undefined,
    active: true,
    createdAt: price.createdAt,
    updatedAt: price.createdAt,
    metadata: price.metadata,
    lookupKey: price.lookupKey ?? undefined,
  };
}
