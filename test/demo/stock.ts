import { discounts, linkOffers, meterPrices, meters, products } from './catalogue';
import type { DemoClient } from './demo-client';

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
  client: DemoClient,
  { seed, metadata }: { seed: string; metadata: object },
): Promise<Stock> {
  const key = (name: string) => `demo/${seed}/stock/${name}`;
  const productIds = new Map<string, string>();
  for (const product of products) {
    const { data } = await client.get(`/products?lookupKey=${product.lookupKey}`);
    const body = productIds.size === 0 ? { ...product, metadata } : product;
    const { id } = data[0] ?? (await client.post('/products', body, key(product.lookupKey)));
    productIds.set(product.lookupKey, id);
  }
  const meterIds = new Map<string, string>();
  for (const meter of meters) {
    const known = await client.get(`/meters?search=${encodeURIComponent(meter.name)}`);
    const { id } = known[0] ?? (await client.post('/meters', meter, key(meter.name)));
    meterIds.set(meter.name, id);
  }
  await priceMeters(client, {
    productId: productIds.get('api') ?? '',
    meterIds,
    key: key('rates'),
  });
  const discountIds = await createDiscounts(client, productIds, key);
  const link = { label: 'Plans', productIds: linkOffers.map((one) => productIds.get(one)) };
  const { url } = await client.post('/checkout-links', link, key('link'));
  return { productIds, meterIds, discountIds, linkUrl: url };
}

async function priceMeters(
  client: DemoClient,
  { productId, meterIds, key }: { productId: string; meterIds: Stock['meterIds']; key: string },
): Promise<void> {
  const { meterPrices: known } = await client.get(`/products/${productId}`);
  if (known.length > 0) return;
  const prices = meterPrices.map(({ meter, ...rate }) => ({
    meterId: meterIds.get(meter),
    ...rate,
  }));
  await client.patch(`/products/${productId}/meter-prices`, { prices }, key);
}

async function createDiscounts(
  client: DemoClient,
  productIds: Stock['productIds'],
  key: (name: string) => string,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { for: offers, ...discount } of discounts) {
    const { data } = await client.get(`/discounts?code=${discount.code}`);
    const body = { ...discount, productIds: offers?.map((offer) => productIds.get(offer)) ?? null };
    const { id } = data[0] ?? (await client.post('/discounts', body, key(discount.code)));
    ids.set(discount.code, id);
  }
  return ids;
}
