import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';

/** Creates a checkout link; returns the path of its public page. */
export async function linkPath(api: ApiClient): Promise<string> {
  const { id } = await api.expect(201, api.post('/products', product));
  const link = { label: 'Plans', productIds: [id] };
  const { url } = await api.expect(201, api.post('/checkout-links', link));
  return new URL(url as string).pathname;
}
