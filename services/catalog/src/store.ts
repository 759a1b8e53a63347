import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Command } from '@billing/kernel/transition';
import type { PriceFilter } from '@billing/proto/billing/catalog/v1/catalog';
import { billingIntervals } from '@billing/proto/values/catalog';
import { type MeterPrice, type MeterPriceSet, noMeterPrices } from './meter-price';
import type { Price } from './price';
import {
  type StoreReplacedMeterPrices,
  type StoreSupersededPrice,
  lookupKeyTaken,
  type Product,
} from './product';

// Metadata is stored as JSON text: the keys may contain dots, which the database would read as
// paths. The driver returns 32-bit integers as number and 64-bit integers as bigint; the width
// depends on the server.

/** A stored price version. */
export type PriceDocument = Omit<
  Price,
  'number' | 'amount' | 'intervalCount' | 'trialDays' | 'metadata'
> & {
  readonly number: number | bigint;
  readonly amount: number | bigint;
  readonly intervalCount: number | bigint;
  readonly trialDays: number | bigint | null;
  readonly metadata: string;
};

type MeterPriceDocument = Omit<MeterPrice, 'minimumAmount' | 'maximumAmount' | 'metadata'> & {
  readonly minimumAmount: number | bigint | null;
  readonly maximumAmount: number | bigint | null;
  readonly metadata: string;
};

/** A stored set of meter prices. */
export type MeterPriceSetDocument = Omit<MeterPriceSet, 'number' | 'prices'> & {
  readonly number: number | bigint;
  readonly prices: readonly MeterPriceDocument[];
};

type ProductDocument = Omit<
  Product,
  'id' | 'metadata' | 'price' | 'meterPrices' | 'taxCategory'
> & {
  /** Absent in documents stored before this field existed. */
  readonly taxCategory?: string;
  readonly metadata: string;
  /** Value of the index by which lists filter. */
  readonly lookupKeyKey: string;
  readonly price: PriceDocument;
  /** Absent in documents stored before meter prices existed. */
  readonly meterPrices?: MeterPriceSetDocument;
};

/** Products as documents; the lookup key is unique in each environment. */
export const productDefinition: AggregateDefinition<Product> = {
  collection: 'products',
  aggregate: 'product',
  resource: 'Product',
  indexes: [
    { name: 'lookupKey', keys: { lookupKeyKey: 1 } },
    { name: 'active', keys: { active: 1, createdAt: -1, _id: -1 } },
    { name: 'price', keys: { 'price.id': 1 } },
    { name: 'meterPrices', keys: { 'meterPrices.since': 1, _id: 1 } },
  ],
  naturalKey: {
    field: 'lookupKey',
    valueOf: ({ lookupKey }) => lookupKey,
    taken: lookupKeyTaken,
  },
  search: {
    revision: 2,
    findableOf: ({ name, lookupKey }) => ({ texts: [name, lookupKey] }),
    isForgiving: true,
  },
  toDocument: toDocumentProduct,
  fromDocument: (document) => fromDocumentProduct(document as ProductDocument & { _id: string }),
  encodeCommand,
};

/** A superseded price, in the outbox and in its collection. */
export interface SupersededPriceDocument {
  readonly productId: string;
  readonly price: PriceDocument;
  readonly supersededAt: Date;
}

/** A replaced set of meter prices, in the outbox and in its collection. */
export interface ReplacedMeterPricesDocument {
  readonly productId: string;
  readonly set: MeterPriceSetDocument;
  readonly replacedAt: Date;
}

/** List filter by active, lookup key and terms of the current price. */
export function productsWith({
  active,
  lookupKey,
  price,
}: {
  readonly active?: boolean | undefined;
  readonly lookupKey?: string | undefined;
  readonly price?: PriceFilter | undefined;
}): Record<string, unknown> {
  return {
    ...(active !== undefined && { active }),
    ...(lookupKey !== undefined && { lookupKeyKey: lookupKeyKey(lookupKey) }),
    ...(price && withTerms(price)),
  };
}

// One condition for each field: a search adds operators of its own.
function withTerms({ currency, recurring, billingInterval, intervalCount }: PriceFilter) {
  const interval = {
    ...(billingInterval !== undefined && { $in: [billingIntervals.sentName(billingInterval)] }),
    ...(recurring === true && { $ne: 'ONE_TIME' }),
    ...(recurring === false && { $eq: 'ONE_TIME' }),
  };
  return {
    ...(currency !== undefined && { 'price.currency': currency }),
    ...(Object.keys(interval).length > 0 && { 'price.billingInterval': interval }),
    ...(intervalCount !== undefined && { 'price.intervalCount': intervalCount }),
  };
}

/** Filter for the product with the given current price. */
export function withCurrentPrice(priceId: string): Record<string, unknown> {
  return { 'price.id': priceId };
}

function toDocumentProduct({ id, ...product }: Product): ProductDocument {
  const { metadata, lookupKey, price } = product;
  return {
    ...product,
    metadata: JSON.stringify(metadata),
    lookupKeyKey: lookupKey === null ? `i:${id}` : lookupKeyKey(lookupKey),
    price: toDocumentPrice(price),
    meterPrices: toDocumentMeterPriceSet(product.meterPrices),
  };
}

function encodeCommand(command: Command): Command['payload'] {
  // Products emit no other commands.
  const { type, payload } = command as StoreSupersededPrice | StoreReplacedMeterPrices;
  switch (type) {
    case 'keepPrice':
      return { ...payload, price: toDocumentPrice(payload.price) };
    case 'keepMeterPrices':
      return { ...payload, set: toDocumentMeterPriceSet(payload.set) };
  }
}

function toDocumentMeterPriceSet({ prices, ...set }: MeterPriceSet): MeterPriceSetDocument {
  const documents = prices.map((price) => ({
    ...price,
    metadata: JSON.stringify(price.metadata),
  }));
  return { ...set, prices: documents };
}

/** Converts a stored set of meter prices. */
export function fromDocumentMeterPriceSet(document: MeterPriceSetDocument): MeterPriceSet {
  const { number, since, prices } = document;
  return { number: Number(number), since, prices: prices.map(fromDocumentMeterPrice) };
}

function fromDocumentMeterPrice(price: MeterPriceDocument): MeterPrice {
  const { minimumAmount, maximumAmount, metadata } = price;
  return {
    ...price,
    minimumAmount: minimumAmount === null ? null : BigInt(minimumAmount),
    maximumAmount: maximumAmount === null ? null : BigInt(maximumAmount),
    metadata: readMetadata(metadata),
  };
}

function toDocumentPrice(price: Price): PriceDocument {
  return { ...price, metadata: JSON.stringify(price.metadata) };
}

/** The prefix keeps a lookup key that looks like a product id apart from that id. */
function lookupKeyKey(lookupKey: string): string {
  return `v:${lookupKey}`;
}

function fromDocumentProduct(document: ProductDocument & { readonly _id: string }): Product {
  const { _id, name, description, active, metadata, lookupKey, price, meterPrices } = document;
  return {
    id: _id,
    name,
    description,
    active,
    metadata: readMetadata(metadata),
    lookupKey,
    taxCategory: document.taxCategory ?? STANDARD_CATEGORY,
    price: fromDocumentPrice(price),
    meterPrices: meterPrices === undefined ? noMeterPrices : fromDocumentMeterPriceSet(meterPrices),
  };
}

/** Converts a stored price version. */
export function fromDocumentPrice(price: PriceDocument): Price {
  const { number, amount, intervalCount, trialDays, metadata } = price;
  return {
    ...price,
    number: Number(number),
    amount: BigInt(amount),
    intervalCount: Number(intervalCount),
    trialDays: trialDays === null ? null : Number(trialDays),
    metadata: readMetadata(metadata),
  };
}

function readMetadata(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
