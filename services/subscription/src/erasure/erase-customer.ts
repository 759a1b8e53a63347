import { type AggregateCollection, unfinishedPass } from '@billing/chassis/aggregate-collection';
import type { Erasing } from '@billing/chassis/erasure-rpc';
import type { Changes } from '../change/change-store';
import { cancel } from '../lifecycle/cancellation';
import { writeBuyer } from '../peer/buyer';
import { subscriptionsOf, type Subscriptions } from '../storage/subscription-store';
import type { SubscriptionRecord } from '../subscription/tombstone';
import {
  erased,
  lacksFormerBuyer,
  withFormerBuyer,
  withoutFormerBuyer,
} from '../subscription/erased';
import { billErased } from '../subscription/late-bill';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionTransition } from '../subscription/transition';
import { hasBills } from './settle-ended-subscriptions';

interface ErasureDependencies {
  readonly records: AggregateCollection<SubscriptionRecord>;
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
}

/** Erases deleted customers from their subscriptions. */
export function erasingSubscriptions(dependencies: ErasureDependencies): Erasing {
  const { records, subscriptions, changes } = dependencies;
  return {
    eraseData: async ({ customerId }, context) => {
      for (const { state } of await subscriptionsOf(customerId, context, subscriptions)) {
        await subscriptions.record(state.id, context, erased);
        await changes.erase(state.id, context);
      }
    },

    endLateWrites: async ({ customerId, customer }, context) => {
      const buyer = customer && writeBuyer(customer);
      const found = await subscriptionsOf(customerId, context, subscriptions);
      const isLeft = (state: Subscription) =>
        !isFinished(state) || (buyer !== undefined && lacksFormerBuyer(state));
      const left = found.filter(({ state }) => isLeft(state));
      for (const { state } of left) {
        await subscriptions.change(state.id, context, (current, decision) =>
          billedTo(
            buyer,
            current.status === 'CANCELED'
              ? billErased(current, buyer)
              : cancel(current, { ...decision, atPeriodEnd: false }),
          ),
        );
      }
      // The next pass finds what the ends have left. Checkout ends the open invoices afterwards.
      if (left.length > 0 || (await hasBills(customerId, context, dependencies))) {
        throw unfinishedPass();
      }
      for (const { state } of found) {
        if (state.formerBuyer === undefined) continue;
        await subscriptions.record(state.id, context, withoutFormerBuyer);
      }
    },

    announcers: [
      { collection: records, filterOf: (customerId) => ({ 'customer.id': customerId }) },
    ],
  };
}

/** The bills that a step has ordered, and those that wait, are of the customer as it was. */
function billedTo(
  buyer: string | undefined,
  transition: SubscriptionTransition,
): SubscriptionTransition {
  return { ...transition, state: withFormerBuyer(transition.state, buyer) };
}

/** True if a subscription has ended and its last usage is billed. */
function isFinished({ status, usage }: Subscription): boolean {
  return status === 'CANCELED' && usage.lateBillAt === null;
}
