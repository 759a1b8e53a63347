import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { fixCurrency } from '../peer/customer';
import type { Peers } from '../peer/peers';
import type { Subscriptions } from '../storage/subscription-store';
import type { Subscription } from '../subscription/subscription';
import { createFromCheckout, type Purchase } from './creation';
import type { OfferedItem } from './offer';

/** A purchase as the session describes it. */
export interface SoldPurchase extends Omit<Purchase, 'meterPriceSet' | 'otherItems' | 'now'> {
  readonly otherItems: readonly Omit<OfferedItem, 'meterPriceSet'>[];
}

/** Creates the subscription that a session sold. A retry finds the stored one. */
export async function createSold(
  sold: SoldPurchase,
  context: CallContext,
  { subscriptions, peers }: { readonly subscriptions: Subscriptions; readonly peers: Peers },
): Promise<Stored<Subscription>> {
  const { productId, completedAt: at, customer, price } = sold;
  const setOf = async (id: string) =>
    (await peers.catalog.getMeterPrices({ productId: id, at }, context)).set;
  const [meterPriceSet, otherItems] = await Promise.all([
    setOf(productId),
    Promise.all(
      sold.otherItems.map(async (item) => ({
        ...item,
        meterPriceSet: await setOf(item.productId),
      })),
    ),
  ]);
  // A sold subscription keeps its currency, even if another one was fixed before.
  if (!customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: price.currency };
    await unlessNotFound(fixCurrency(peers, wanted, context));
  }
  return subscriptions.insert(
    createFromCheckout({ ...sold, meterPriceSet, otherItems, now: context.now }),
    context,
  );
}
