import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import {
  checkMetadata,
  filterByIds,
  readPage,
  expectedVersionOf,
  maskedFields,
} from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type CatalogServiceServer,
  CatalogServiceService,
  type CreateProductRequest,
  type GetMeterPricesRequest,
  type Price as ProtoPrice,
  type Product as ProtoProduct,
  type UpdateProductRequest,
} from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import { catalogCallers } from './callers';
import {
  checkMeterPriceQuestions,
  findMeterPriceSet,
  fromProtoMeterPrices,
  meterPriceMetadataProblems,
  toProtoMeterPrice,
  toProtoMeterPriceSetAnswers,
} from './meter-price-rpc';
import type { MeterPriceSetStore } from './meter-price-set-store';
import { fetchKnownMeterIds, type Peers } from './peers';
import type { PriceIdOf, SupersededPrice } from './price';
import { fromProtoTiers, toProtoTiers } from './price-rpc';
import {
  changeProduct,
  createProduct,
  type Product,
  type ProductChanges,
  type ProductInput,
  setMeterPrices,
} from './product';
import { pricedBy, productsWith } from './store';
import type { SupersededPriceStore } from './superseded-price-store';

// Limit of one call.
const idsMax = 100;

export interface CatalogDependencies {
  readonly products: AggregateCollection<Product>;
  readonly supersededPricesOf: (environmentId: string) => SupersededPriceStore;
  readonly meterPriceSetsOf: (environmentId: string) => MeterPriceSetStore;
  readonly peers: Peers;
}

/** gRPC handlers of the service. */
export function catalogRpc({
  products,
  supersededPricesOf,
  ...meterPriceParts
}: CatalogDependencies) {
  return rpcService<CatalogServiceServer>(
    CatalogServiceService,
    {
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
        const current = await store.findBy(pricedBy(id));
        if (current !== undefined) {
          const product = toProtoProduct(current);
          return { price: product.price, product };
        }
        const superseded = await supersededPricesOf(context.tenant.environmentId).find(id);
        if (superseded === undefined) throw notFound('Product');
        const product = toProtoProduct(await store.get(superseded.productId));
        return { price: toProtoSupersededPrice(superseded), product };
      },

      ...meterPriceCalls({ products, ...meterPriceParts }),
    },
    { callers: catalogCallers },
  );
}

function meterPriceCalls({
  products,
  meterPriceSetsOf,
  peers,
}: Omit<CatalogDependencies, 'supersededPricesOf'>): Pick<
  AsyncHandlers<CatalogServiceServer>,
  'setMeterPrices' | 'getMeterPrices' | 'getMeterPriceSets'
> {
  const getMeterPrices = async (
    { productId, ...wanted }: GetMeterPricesRequest,
    context: CallContext,
  ) => {
    const { state } = await products.within(context).get(productId);
    const replaced = meterPriceSetsOf(context.tenant.environmentId);
    const { number, prices } = await findMeterPriceSet(state, wanted, replaced);
    return { set: number, prices: prices.map((price) => toProtoMeterPrice(price, productId)) };
  };
  return {
    setMeterPrices: async (request, context) => {
      const { productId } = request;
      const { environmentId } = context.tenant;
      const store = products.within(context);
      // Reports an unknown product before unknown meters.
      await store.get(productId);
      const prices = fromProtoMeterPrices(request.prices);
      const meterIds = prices.map(({ meterId }) => meterId);
      const knownMeterIds = await fetchKnownMeterIds(peers, meterIds, context);
      const stored = await store.mutate(
        productId,
        (product, now) =>
          setMeterPrices(product, prices, {
            now,
            idOf: (set, index) => derivedId(environmentId, 'meterPrice', productId, set, index),
            knownMeterIds,
            metadataProblemsOf: meterPriceMetadataProblems,
          }),
        expectedVersionOf(request),
      );
      return { product: toProtoProduct(stored) };
    },

    getMeterPrices,

    getMeterPriceSets: async ({ questions }, context) => {
      checkMeterPriceQuestions(questions);
      const found = questions.map((question) => getMeterPrices(question, context));
      return { answers: toProtoMeterPriceSetAnswers(await Promise.allSettled(found)) };
    },
  };
}

/** Deterministic, so that a retried step creates no second version. */
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
    amount: amount ?? null,
    tiers: fromProtoTiers(request.tiers) ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

function toProtoProduct({ state, ...stored }: Stored<Product>): ProtoProduct {
  const { id, name, description, active, metadata, lookupKey, price, meterPrices } = state;
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
    meterPrices: meterPrices.prices.map((one) => toProtoMeterPrice(one, id)),
    meterPriceSet: meterPrices.number,
  };
}

/** A superseded version changed once: when it was replaced. */
function toProtoSupersededPrice({ price, productId, supersededAt }: SupersededPrice): ProtoPrice {
  return { ...toProtoPrice(price, productId), active: false, updatedAt: supersededAt };
}

/** The current price: active and never changed, because no later version has replaced it. */
function toProtoPrice(price: Product['price'], productId: string): ProtoPrice {
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
