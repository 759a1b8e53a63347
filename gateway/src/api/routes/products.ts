import { z } from 'zod';
import type { InputProblems } from '@billing/kernel/input-problems';
import { productProblems } from '@billing/kernel/input/product';
import type { Tier } from '@billing/proto/billing/catalog/v1/catalog';
import { ProductJson, toJsonProduct } from '@billing/proto/json/product';
import { billingIntervals, pricingTypes } from '@billing/proto/values/catalog';
import { decimal, rate } from '../input/decimal-input';
import {
  activeFilter,
  amount,
  metadata,
  optional,
  lookupShape,
  readBody,
  readQuery,
} from '../input/input';
import type { Sound } from '../input/field-rules';
import { lookupQuery, page } from '../input/list';
import { listOf } from '../schemas/list';
import { changeable, frozen, readPatch, required } from '../input/patch';
import { created, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

// A proto message cannot distinguish an empty list from an absent one, so the length is checked
// here.
export const tiers = z
  .array(z.object({ upTo: decimal.nullable(), unitAmount: rate, flatAmount: optional(rate) }))
  .min(1, 'Must have 1 to 50 tiers')
  .max(50, 'Must have 1 to 50 tiers');

const taxCategory = z.string().meta({
  description: 'Decides the tax rate. Defaults to `standard`; `exempt` is never taxed.',
});

const CreateProduct = z
  .object({
    name: z.string(),
    description: optional(z.string()),
    type: z.enum(['FLAT', 'PER_UNIT', 'TIERED', 'VOLUME']),
    currency: z.string(),
    amount,
    billingInterval: z.enum(['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ONE_TIME']),
    intervalCount: optional(z.int().min(1).max(365)),
    trialDays: optional(z.int().min(0).max(730)),
    active: optional(z.boolean()),
    metadata: optional(metadata),
    lookupKey: optional(z.string()),
    taxCategory: optional(taxCategory),
    tiers: optional(tiers),
  })
  .meta({
    id: 'CreateProduct',
    examples: [
      {
        name: 'Pro',
        type: 'FLAT',
        currency: 'USD',
        amount: 2900,
        billingInterval: 'MONTHLY',
      },
    ],
  });

const UpdateProduct = z
  .object({
    name: required(z.string()),
    description: changeable(z.string()),
    active: required(z.boolean()),
    metadata: changeable(metadata),
    lookupKey: changeable(z.string()),
    taxCategory: required(taxCategory),
    amount: required(amount),
    tiers: changeable(tiers),
    type: frozen,
    currency: frozen,
    billingInterval: frozen,
    intervalCount: frozen,
    trialDays: frozen,
    priceId: frozen,
    meterPrices: frozen,
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateProduct', examples: [{ amount: 3900 }] });

const ListProducts = z.object({
  ...lookupShape,
  active: activeFilter,
  lookupKey: z.string().optional(),
});

export const productRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/products',
    operation: {
      id: 'createProduct',
      summary: 'Create a product and its price',
      body: CreateProduct,
      answer: { status: 201, schema: ProductJson, isVersioned: true },
      errors: ['lookup_key_taken'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateProduct, request, problemsOf);
      const answer = await peers.catalog.createProduct(
        {
          ...input,
          type: pricingTypes.valueOf(input.type),
          amount: BigInt(input.amount),
          billingInterval: billingIntervals.valueOf(input.billingInterval),
          tiers: toProtoTiers(input.tiers),
        },
        request.context,
      );
      const product = present(answer.product);
      return created(`/products/${product.id}`, toJsonProduct(product), etag(product.version));
    },
  },
  {
    method: 'GET',
    path: '/products',
    operation: {
      id: 'listProducts',
      summary: 'List products, newest first',
      query: ListProducts,
      answer: { status: 200, schema: listOf(ProductJson, 'ProductList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListProducts, request);
      const { products, total } = await peers.catalog.listProducts(
        lookupQuery(query),
        request.context,
      );
      return page(products, { ...query, total }, toJsonProduct);
    },
  },
  {
    method: 'GET',
    path: '/products/:id',
    operation: {
      id: 'getProduct',
      summary: 'Get a product',
      answer: { status: 200, schema: ProductJson, isVersioned: true },
      errors: ['product_not_found'],
    },
    handle: async (request, peers) => {
      const { product } = await peers.catalog.getProduct(
        { id: param(request, 'id') },
        request.context,
      );
      const current = present(product);
      return ok(toJsonProduct(current), etag(current.version));
    },
  },
  {
    method: 'PATCH',
    path: '/products/:id',
    operation: {
      id: 'updateProduct',
      summary: 'Update a product',
      description:
        'A change of the amount creates a new price version. Existing subscriptions keep their price.',
      body: UpdateProduct,
      answer: { status: 200, schema: ProductJson, isVersioned: true },
      errors: ['product_not_found', 'lookup_key_taken'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateProduct, request, problemsOf);
      const { product } = await peers.catalog.updateProduct(
        {
          ...input,
          id: param(request, 'id'),
          metadata: input.metadata,
          amount: input.amount === undefined ? undefined : BigInt(input.amount),
          tiers: toProtoTiers(input.tiers),
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const changed = present(product);
      return ok(toJsonProduct(changed), etag(changed.version));
    },
  },
];

function problemsOf({
  amount,
  tiers,
  ...fields
}: Sound<z.infer<typeof CreateProduct>>): InputProblems {
  return productProblems({
    // The schema reports missing required fields.
    name: fields.name ?? '',
    currency: fields.currency ?? '',
    type: fields.type ?? 'UNKNOWN',
    billingInterval: fields.billingInterval ?? 'UNKNOWN',
    amount: BigInt(amount ?? 0),
    ...fields,
    tiers,
  });
}

/** Proto messages represent absent tiers as an empty list. */
export function toProtoTiers(sent: z.infer<typeof tiers> | undefined): Tier[] {
  return (sent ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined }));
}
