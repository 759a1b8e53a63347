import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import {
  checkMetadata,
  expectedVersionOf,
  filterByIds,
  maskedFields,
  readPage,
} from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type {
  CatalogServiceServer,
  CreateProductRequest,
  Product as ProtoProduct,
  UpdateProductRequest,
} from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import type { PriceIdOf } from './price';
import {
  fromProtoTiers,
  toProtoMeterPrice,
  toProtoPrice,
  toProtoSupersededPrice,
} from './price-message';
import {
  changeProduct,
  createProduct,
  type Product,
  type ProductChanges,
  type ProductInput,
} from './product';
import { productsWith, withCurrentPrice } from './store';
import type { SupersededPriceStore } from './superseded-price-store';

// Ids of one call, as catalog.proto says.
const idsMax = 100;

export interface ProductDependencies {
  readonly products: AggregateCollection<Product>;
  readonly supersededPricesOf: (environmentId: string) => SupersededPriceStore;
}

type ProductCalls = Pick<
  AsyncHandlers<CatalogServiceServer>,
  'createProduct' | 'getProduct' | 'getProducts' | 'listProducts' | 'updateProduct' | 'getPrice'
>;

/** RPCs for products and their prices. */
export function productCalls({ products, supersededPricesOf }: ProductDependencies): ProductCalls {
  return {
    createProduct: async (request, context) => {
      const id = newResourceId(context, 'product');
      const product = createProduct(fromProtoProductInput(request), {
        id,
        now: context.now,
        priceIdOf: priceIdsOf(id, context),
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

    getProducts: async ({ ids }, context) => {
      refuseProblems({
        ids: ids.length > idsMax ? [`Must have at most ${String(idsMax)} elements`] : [],
      });
      const found = await products.within(context).findAll(ids);
      return { products: found.map(toProtoProduct) };
    },

    listProducts: async (request, context) => {
      const { data, total } = await products.within(context).list({
        filter: { ...productsWith(request), ...filterByIds(request.ids) },
        ...readPage(request),
      });
      return { products: data.map(toProtoProduct), total };
    },

    updateProduct: async (request, context) => {
      const { id } = request;
      const changes = fromProtoProductChanges(request);
      const metadataProblems = checkMetadata(changes.metadata);
      const priceIdOf = priceIdsOf(id, context);
      const stored = await products
        .within(context)
        .mutate(
          id,
          (product, now) => changeProduct(product, changes, { now, priceIdOf, metadataProblems }),
          expectedVersionOf(request),
        );
      return { product: toProtoProduct(stored) };
    },

    getPrice: async ({ id }, context) => {
      const store = products.within(context);
      const current = await store.findBy(withCurrentPrice(id));
      if (current !== undefined) {
        const product = toProtoProduct(current);
        return { price: product.price, product };
      }
      const superseded = await supersededPricesOf(context.tenant.environmentId).find(id);
      if (superseded === undefined) throw notFound('Product');
      const product = toProtoProduct(await store.get(superseded.productId));
      return { price: toProtoSupersededPrice(superseded), product };
    },
  };
}

/** Derives price ids from product and version number, so that a retry creates no second version. */
function priceIdsOf(productId: string, { tenant }: CallContext): PriceIdOf {
  return (number) => derivedId(tenant.environmentId, 'price', productId, number);
}

function fromProtoProductInput(request: CreateProductRequest): ProductInput {
  return {
    ...request,
    type: pricingTypes.sentName(request.type),
    billingInterval: billingIntervals.sentName(request.billingInterval),
    tiers: fromProtoTiers(request.tiers),
  };
}

function fromProtoProductChanges(request: UpdateProductRequest): ProductChanges {
  const { name, description, active, metadata, lookupKey, amount } = request;
  const fields = {
    name: name ?? null,
    description: description ?? null,
    active: active ?? null,
    metadata: metadata ?? null,
    lookupKey: lookupKey ?? null,
    taxCategory: request.taxCategory ?? null,
    amount: amount ?? null,
    tiers: fromProtoTiers(request.tiers) ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

export function toProtoProduct({ state, ...stored }: Stored<Product>): ProtoProduct {
  const { id, name, description, active, metadata, lookupKey, price, meterPrices } = state;
  return {
    id,
    organizationId: stored.tenant.organizationId,
    name,
    description: description ?? undefined,
    active,
    metadata,
    lookupKey: lookupKey ?? undefined,
    taxCategory: state.taxCategory,
    price: toProtoPrice(price, id),
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
    meterPrices: meterPrices.prices.map((one) => toProtoMeterPrice(one, id)),
    meterPriceSet: meterPrices.number,
  };
}
