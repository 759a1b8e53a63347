import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { activeFilter, listShape, readQuery } from '../../api/input/input';
import { listQuery, page } from '../../api/input/list';
import type { Peers } from '../../peer/peers';
import type { EnvironmentRoute } from '../route/route';

// As many as one call of a peer can ask for.
const idsMax = 100;

const ListCheckoutLinks = z.object({ ...listShape, active: activeFilter });

/** Checkout links: the list of the public API with the names of products and discounts. */
export const checkoutLinkRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/checkout-links',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(ListCheckoutLinks, { query });
      const asked = { ...listQuery(wanted), ids: undefined };
      const { checkoutLinks, total } = await peers.checkoutLink.listCheckoutLinks(asked, context);
      const names = await namesOf(checkoutLinks, context, peers);
      return page(checkoutLinks, { ...wanted, total }, (link) => toJsonListedLink(link, names));
    },
  },
];

/** Checkout link in a list; null for the name of a resource that is gone. */
export function toJsonListedLink(link: CheckoutLink, names: ReadonlyMap<string, string>) {
  const json = toJsonCheckoutLink(link);
  const named = (id: string) => ({ id, name: names.get(id) ?? null });
  return {
    ...json,
    products: json.productIds.map(named),
    discount: json.discountId === null ? null : named(json.discountId),
  };
}

/** Names of the products and discounts of links, by id. */
async function namesOf(
  links: readonly CheckoutLink[],
  context: CallContext,
  peers: Peers,
): Promise<ReadonlyMap<string, string>> {
  const [products, discounts] = await Promise.all([
    inBatches(
      links.flatMap(({ productIds }) => productIds),
      async (range) => {
        const wanted = { ...range, active: undefined, lookupKey: undefined };
        return (await peers.catalog.listProducts(wanted, context)).products;
      },
    ),
    inBatches(
      links.flatMap(({ discountId }) => discountId ?? []),
      async (range) => {
        const wanted = { ...range, active: undefined, code: undefined };
        return (await peers.discount.listDiscounts(wanted, context)).discounts;
      },
    ),
  ]);
  return new Map([...products, ...discounts].map(({ id, name }) => [id, name]));
}

async function inBatches<T>(
  ids: readonly string[],
  read: (range: { page: number; perPage: number; ids: { ids: string[] } }) => Promise<T[]>,
): Promise<T[]> {
  const different = [...new Set(ids)];
  const batches = Array.from({ length: Math.ceil(different.length / idsMax) }, (_, index) =>
    different.slice(index * idsMax, (index + 1) * idsMax),
  );
  const found = await Promise.all(
    batches.map((batch) => read({ page: 1, perPage: batch.length, ids: { ids: batch } })),
  );
  return found.flat();
}
