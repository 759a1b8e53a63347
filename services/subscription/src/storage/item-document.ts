import type {
  PriceSnapshot,
  SubscriptionItem,
  SubscriptionItems,
} from '../subscription/subscription';

/** The driver gives whole numbers as it finds them, 32 or 64 bits wide. */
export type Count = number | bigint;

export type PriceDocument = Omit<
  PriceSnapshot,
  'amount' | 'intervalCount' | 'trialDays' | 'metadata'
> & {
  readonly amount: Count;
  readonly intervalCount: Count;
  readonly trialDays: Count | null;
  /** JSON text: keys may contain dots, which mean paths to the database. */
  readonly metadata: string;
};

export type ItemDocument = Omit<SubscriptionItem, 'price' | 'quantity'> & {
  readonly price: PriceDocument;
  readonly quantity: Count;
};

/** Converts an item to its stored form. */
export function toDocumentItem(item: SubscriptionItem): ItemDocument {
  return { ...item, price: toDocumentPrice(item.price) };
}

/** Converts a price version to its stored form. */
export function toDocumentPrice(price: PriceSnapshot): PriceDocument {
  return { ...price, metadata: JSON.stringify(price.metadata) };
}

/** Reads stored items; a subscription has at least one. */
export function fromDocumentItems(items: readonly ItemDocument[]): SubscriptionItems {
  const [main, ...others] = items.map(({ id, productId, productName, price, quantity }) => ({
    ...{ id, productId, productName },
    price: fromDocumentPrice(price),
    quantity: Number(quantity),
  }));
  if (main === undefined) throw new Error('A subscription has no items');
  return [main, ...others];
}

/** Reads a stored price version. */
export function fromDocumentPrice(price: PriceDocument): PriceSnapshot {
  const { amount, intervalCount, trialDays, metadata } = price;
  return {
    ...price,
    amount: BigInt(amount),
    intervalCount: Number(intervalCount),
    trialDays: trialDays === null ? null : Number(trialDays),
    tiers: price.tiers ?? null,
    metadata: readMetadata(metadata),
  };
}

/** Reads metadata, which is stored as JSON text. */
export function readMetadata(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
