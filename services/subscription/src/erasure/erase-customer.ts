import { type AggregateCollection, unfinishedPass } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Erasing } from '@billing/chassis/erasure-rpc';
import type { Changes } from '../change/change-store';
import { cancel } from '../lifecycle/cancellation';
import { subscriptionsOf, type Subscriptions } from '../subscription-store';
import type { SubscriptionRecord } from '../subscription/tombstone';
import { erased } from '../subscription/erased';
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

    endLateWrites: async ({ customerId }, context) => {
      const found = await subscriptionsOf(customerId, context, subscriptions);
      for (const { state } of found) {
        if (state.status === 'CANCELED') continue;
        await subscriptions.change(state.id, context, (current, decision) =>
          cancel(current, { ...decision, atPeriodEnd: false }),
        );
      }
      await waitForBills(customerId, context, dependencies);
    },

    announcers: [
      { collection: records, filterOf: (customerId) => ({ 'customer.id': customerId }) },
    ],
  };
}

// Checkout ends the open invoices afterwards, the last bills among them.
async function waitForBills(
  customerId: string,
  context: CallContext,
  dependencies: Pick<ErasureDependencies, 'records'>,
): Promise<void> {
  if (await hasBills(customerId, context, dependencies)) throw unfinishedPass();
}
