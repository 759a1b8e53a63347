import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Scan, scanAggregates } from '@billing/chassis/export-rpc';
import { isWithin } from '@billing/chassis/scan-page';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { SubscriptionChange } from '@billing/proto/billing/subscription/v1/change';
import { Subscription as ProtoSubscription } from '@billing/proto/billing/subscription/v1/subscription';
import type { Changes } from './change/change-store';
import { toProtoChange, toProtoSubscription } from './message/subscription-message';
import { subscriptionsWith } from './storage/subscription-store';
import type { Subscription } from './subscription/subscription';
import type { SubscriptionRecord } from './subscription/tombstone';

// A subscription may have many changes.
const changedPerPage = 20;

/** Scans of the exported resources. */
export function exportedResources({
  records,
  changes,
}: {
  readonly records: AggregateCollection<SubscriptionRecord>;
  readonly changes: Changes;
}): Partial<Record<Resource, Scan>> {
  const filter = subscriptionsWith({});
  return {
    [Resource.RESOURCE_SUBSCRIPTION]: scanAggregates(records, {
      filter,
      messagesOf: (found) => found.map((stored) => shown(stored).map(toProtoSubscription)),
      encoder: ProtoSubscription,
    }),
    [Resource.RESOURCE_CHANGE]: scanAggregates(records, {
      filter,
      pageMax: changedPerPage,
      isRangeOfMessages: true,
      messagesOf: async (found, context, range) => {
        const owners = found.flatMap(shown).map(({ state }) => state);
        const all = await changes.listAll(owners, context);
        return owners.map((owner) =>
          (all.get(owner.id) ?? [])
            .filter(({ createdAt }) => isWithin(createdAt, range))
            .map((change) => toProtoChange(change, owner)),
        );
      },
      encoder: SubscriptionChange,
    }),
  };
}

/** The filter excludes tombstones. */
function shown({ state, ...stored }: Stored<SubscriptionRecord>): Stored<Subscription>[] {
  return state.isTombstone ? [] : [{ ...stored, state }];
}
