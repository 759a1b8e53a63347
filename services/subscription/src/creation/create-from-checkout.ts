import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { fixCurrency } from '../peer/customer';
import type { Peers } from '../peer/peers';
import type { Subscriptions } from '../subscription-store';
import type { Subscription } from '../subscription/subscription';
import { createFromCheckout, type Purchase } from './creation';

/** Creates the subscription that a session sold. A retry finds the stored one. */
export async function createSold(
  sold: Omit<Purchase, 'meterPriceSet' | 'now'>,
  context: CallContext,
  { subscriptions, peers }: { readonly subscriptions: Subscriptions; readonly peers: Peers },
): Promise<Stored<Subscription>> {
  const { productId, completedAt: at, customer, price } = sold;
  const { set } = await peers.catalog.getMeterPrices({ productId, at }, context);
  // A sold subscription keeps its currency, even if another one was fixed before.
  if (!customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: price.currency };
    await unlessNotFound(fixCurrency(peers, wanted, context));
  }
  return subscriptions.insert(
    createFromCheckout({ ...sold, meterPriceSet: set, now: context.now }),
    context,
  );
}
