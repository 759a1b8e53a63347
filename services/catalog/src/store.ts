import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Command } from '@billing/kernel/transition';
import { type MeterPrice, type MeterPriceSet, noMeterPrices } from './meter-price';
import type { Price } from './price';
import { type KeepMeterPrices, type KeepPrice, lookupKeyTaken, type Product } from './product';

// Metadata is stored as JSON text: its keys may contain dots, which mean paths to the database. Whole numbers come back 32 or 64 bits
// wide, as the server has kept them.

/** A price version as it is stored. */
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

/** A set of meter prices as it is stored. */
export type MeterPriceSetDocument = Omit<MeterPriceSet, 'number' | 'prices'> & {
  readonly number: number | bigint;
  readonly prices: readonly MeterPriceDocument[];
};

type ProductDocument = Omit<Product, 'id' | 'metadata' | 'price' | 'meterPrices'> & {
  readonly metadata: string;
  /** Never null, because a unique index counts documents without a lookup key too. */
  readonly lookupKeyKey: string;
  readonly price: PriceDocument;
  /** Absent in documents that were stored before there were meter prices. */
  readonly meterPrices?: MeterPriceSetDocument;
};

/** Products as documents; the lookup key is unique in each environment. */
export const productDefinition: AggregateDefinition<Product> = {
  collection: 'products',
  aggregate: 'product',
  resource: 'Product',
  indexes: [
    { name: 'lookupKey', keys: { lookupKeyKey: 1 }, unique: true },
    { name: 'active', keys: { active: 1, createdAt: -1, _id: -1 } },
    { name: 'price', keys: { 'price.id': 1 } },
  ],
  conflicts: { lookupKey: lookupKeyTaken },
  toDocument: toDocumentProduct,
  fromDocument: (document) => fromDocumentProduct(document as ProductDocument & { _id: string }),
  encodeCommand,
};

/** A superseded price as it waits in the outbox and as it is kept. */
export interface SupersededPriceDocument {
  readonly productId: string;
  readonly price: PriceDocument;
  readonly supersededAt: Date;
}

/** A replaced set of meter prices as it waits in the outbox and as it is kept. */
export interface ReplacedMeterPricesDocument {
  readonly productId: string;
  readonly set: MeterPriceSetDocument;
  readonly replacedAt: Date;
}

/** The filter of a list: what may be sold or not, the one with a lookup key. */
export function productsWith({
  active,
  lookupKey,
}: {
  readonly active?: boolean | undefined;
  readonly lookupKey?: string | undefined;
}): Record<string, unknown> {
  return {
    ...(active !== undefined && { active }),
    ...(lookupKey !== undefined && { lookupKeyKey: lookupKeyKey(lookupKey) }),
  };
}

/** The filter of the product whose current price this is. */
export function pricedBy(priceId: string): Record<string, unknown> {
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
  // Products decide no other commands.
  const { type, payload } = command as KeepPrice | KeepMeterPrices;
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

/** A set of meter prices as the rules know it. */
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
    price: fromDocumentPrice(price),
    meterPrices: meterPrices === undefined ? noMeterPrices : fromDocumentMeterPriceSet(meterPrices),
  };
}

/** A price version as the rules know it. */
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
