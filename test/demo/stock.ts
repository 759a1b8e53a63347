import { discounts, linkOffers, meterPrices, meters, products } from './catalogue';
import type { Billing } from '@billing/client';
import type { DemoClient } from './demo-client';
import type { DemoMetadata } from './sandbox';

/** Ids of the shop's resources, by the names in the plan. */
export interface Stock {
  readonly productIds: ReadonlyMap<string, string>;
  readonly meterIds: ReadonlyMap<string, string>;
  readonly discountIds: ReadonlyMap<string, string>;
  readonly linkUrl: string;
}

/**
 * Creates the missing products, meters and discounts. `metadata` is stored with the first product.
 */
export async function stockUp(
  { api }: DemoClient,
  { seed, metadata }: { seed: string; metadata: DemoMetadata },
): Promise<Stock> {
  const key = (name: string) => `demo/${seed}/stock/${name}`;
  const productIds = new Map<string, string>();
  for (const product of products) {
    const { data } = await api.products.list({ lookupKey: product.lookupKey });
    const body = productIds.size === 0 ? { ...product, metadata } : product;
    const idempotencyKey = key(product.lookupKey);
    const { id } = data[0] ?? (await api.products.create(body, { idempotencyKey }));
    productIds.set(product.lookupKey, id);
  }
  const meterIds = new Map<string, string>();
  for (const meter of meters) {
    const [known] = await api.meters.list({ search: meter.name });
    const { id } = known ?? (await api.meters.create(meter, { idempotencyKey: key(meter.name) }));
    meterIds.set(meter.name, id);
  }
  await priceMeters(api, {
    productId: found(productIds, 'api'),
    meterIds,
    idempotencyKey: key('rates'),
  });
  const discountIds = await createDiscounts(api, productIds, key);
  const link = { label: 'Plans', productIds: linkOffers.map((one) => found(productIds, one)) };
  const { url } = await api.checkoutLinks.create(link, { idempotencyKey: key('link') });
  return { productIds, meterIds, discountIds, linkUrl: url };
}

async function priceMeters(
  api: Billing,
  {
    productId,
    meterIds,
    idempotencyKey,
  }: { productId: string; meterIds: Stock['meterIds']; idempotencyKey: string },
): Promise<void> {
  const { meterPrices: known } = await api.products.retrieve(productId);
  if (known.length > 0) return;
  const prices = meterPrices.map(({ meter, ...rate }) => ({
    meterId: found(meterIds, meter),
    ...rate,
  }));
  await api.products.setMeterPrices(productId, { prices }, { idempotencyKey });
}

async function createDiscounts(
  api: Billing,
  productIds: Stock['productIds'],
  key: (name: string) => string,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { for: offers, ...discount } of discounts) {
    const { data } = await api.discounts.list({ code: discount.code });
    const body = { ...discount, productIds: offers?.map((offer) => found(productIds, offer)) };
    const idempotencyKey = key(discount.code);
    const { id } = data[0] ?? (await api.discounts.create(body, { idempotencyKey }));
    ids.set(discount.code, id);
  }
  return ids;
}

/** The id of a resource of the shop. Throws an Error for a name that the shop lacks. */
export function found(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The shop has no ${name}`);
  return id;
}
