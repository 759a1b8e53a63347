import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Price } from './price';
import { lookupKeyTaken, type Product } from './product';

// Metadata is stored as JSON text: its keys may contain dots, which mean paths to the database. Whole numbers come back 32 or 64 bits
// wide, as the server has kept them.

type PriceDocument = Omit<Price, 'amount' | 'intervalCount' | 'trialDays' | 'metadata'> & {
  readonly amount: number | bigint;
  readonly intervalCount: number | bigint;
  readonly trialDays: number | bigint | null;
  readonly metadata: string;
};

type ProductDocument = Omit<Product, 'id' | 'metadata' | 'price'> & {
  readonly metadata: string;
  /** Never null, because a unique index counts documents without a lookup key too. */
  readonly lookupKeyKey: string;
  readonly price: PriceDocument;
};

/** Products as documents; the lookup key is unique in each environment. */
export const productDefinition: AggregateDefinition<Product> = {
  collection: 'products',
  aggregate: 'product',
  resource: 'Product',
  indexes: [{ name: 'lookupKey', keys: { lookupKeyKey: 1 }, unique: true }],
  conflicts: { lookupKey: lookupKeyTaken },
  toDocument: toDocumentProduct,
  fromDocument: (document) => fromDocumentProduct(document as ProductDocument & { _id: string }),
};

function toDocumentProduct({ id, ...product }: Product): ProductDocument {
  const { metadata, lookupKey, price } = product;
  return {
    ...product,
    metadata: JSON.stringify(metadata),
    lookupKeyKey: lookupKey === null ? `i:${id}` : `v:${lookupKey}`,
    price: { ...price, metadata: JSON.stringify(price.metadata) },
  };
}

function fromDocumentProduct(document: ProductDocument & { readonly _id: string }): Product {
  const { _id, name, description, active, metadata, lookupKey, price } = document;
  return {
    id: _id,
    name,
    description,
    active,
    metadata: readMetadata(metadata),
    lookupKey,
    price: fromDocumentPrice(price),
  };
}

function fromDocumentPrice(price: PriceDocument): Price {
  const { amount, intervalCount, trialDays, metadata } = price;
  return {
    ...price,
    amount: BigInt(amount),
    intervalCount: Number(intervalCount),
    trialDays: trialDays === null ? null : Number(trialDays),
    metadata: readMetadata(metadata),
  };
}

function readMetadata(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
