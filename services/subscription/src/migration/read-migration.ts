import type { CallContext } from '@billing/chassis/call-context';
import { type FieldErrors, invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import { fetchNamedProduct, fetchProduct, fromProtoPrice } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import type { ProductFacts } from '../subscription/product';
import type { PriceMigration } from './price-migration';

/** The prices of a migration as a caller names them. */
export interface NamedPrices {
  readonly fromPriceId: string;
  readonly toPriceId: string;
}

type CatalogPeers = Pick<Peers, 'catalog' | 'products'>;

/** Reads the prices of a migration; refuses those between which no subscription can move. */
export async function readExchange(
  { fromPriceId, toPriceId }: NamedPrices,
  context: CallContext,
  peers: CatalogPeers,
): Promise<Pick<PriceMigration, 'exchange' | 'fromProductId' | 'movesMeters'>> {
  const [from, to] = await Promise.all([
    findPrice(fromPriceId, context, peers),
    unlessNotFound(fetchNamedProduct(peers, { priceId: toPriceId }, context)),
  ]);
  const errors: FieldErrors = {
    ...(from === undefined && { fromPriceId: ['Price not found'] }),
    ...(from?.billingInterval === 'ONE_TIME' && { fromPriceId: ['Price is not recurring'] }),
    ...(to === undefined && { toPriceId: ['Price not found'] }),
  };
  if (from === undefined || to === undefined || Object.keys(errors).length > 0) {
    throw invalidInput(errors);
  }
  const { billingInterval } = to.price;
  if (from.currency !== to.price.currency) throw problem('Price has another currency');
  if (billingInterval === 'ONE_TIME') throw problem('Price is not recurring');
  if (from.id === to.price.id) throw problem('Same price');
  const movesMeters = await mayMoveMeters(from.productId, to, context, peers);
  const { id: productId, name: productName } = to;
  const price = { ...to.price, billingInterval };
  const exchange = { fromPriceId: from.id, product: { productId, productName, price } };
  return { exchange, fromProductId: from.productId, movesMeters };
}

async function findPrice(id: string, context: CallContext, { catalog }: CatalogPeers) {
  const found = await unlessNotFound(catalog.getPrice({ id }, context));
  if (found?.price === undefined) return undefined;
  return { ...fromProtoPrice(found.price), productId: found.price.productId };
}

/** True if another product prices the meters after the migration. */
async function mayMoveMeters(
  fromProductId: string,
  to: ProductFacts,
  context: CallContext,
  peers: CatalogPeers,
): Promise<boolean> {
  if (fromProductId === to.id) return false;
  const from = await fetchProduct(peers, fromProductId, context);
  return from.meterPriceSet > 0 || to.meterPriceSet > 0;
}

function problem(message: string) {
  return invalidInput({ toPriceId: [message] });
}
