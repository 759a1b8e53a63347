import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { unlessNotFound } from '@billing/kernel/domain-error';
import {
  type CatalogServiceServer,
  CatalogServiceService,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type SessionServiceServer,
  SessionServiceService,
} from '@billing/proto/billing/checkout/v1/session';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { DiscountConfiguration } from './config';

/** Clients of the services that this one calls. */
export interface Peers {
  readonly catalog: Peer<CatalogServiceServer>;
  readonly sessions: Peer<SessionServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
}

export function connectPeers(service: Service, config: DiscountConfiguration): Peers {
  return {
    catalog: service.peer<CatalogServiceServer>(CatalogServiceService, {
      address: config.CATALOG_ADDRESS,
    }),
    sessions: service.peer<SessionServiceServer>(SessionServiceService, {
      address: config.CHECKOUT_ADDRESS,
    }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: config.SUBSCRIPTION_ADDRESS,
    }),
  };
}

/** Returns the currency of a product; undefined if the product does not exist. */
export async function currencyOfProduct(
  { catalog }: Peers,
  id: string,
  context: CallContext,
): Promise<Currency | undefined> {
  const found = await unlessNotFound(catalog.getProduct({ id }, context));
  if (found === undefined) return undefined;
  const price = found.product?.price;
  if (price === undefined) throw new Error('An answer carries no product with a price');
  return parseCurrency(price.currency);
}

/** Problems of a list of products: unknown ids with their positions. */
export async function unknownProducts(
  peers: Peers,
  ids: readonly string[],
  context: CallContext,
): Promise<string[]> {
  const currencies = await Promise.all(ids.map((id) => currencyOfProduct(peers, id, context)));
  return currencies.flatMap((currency, place) =>
    currency === undefined ? [`${String(place)}: Product not found`] : [],
  );
}
