import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Completion } from '@billing/chassis/outbox-progress';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import type { SubscriptionTransition } from './announcement';
import type { Decision } from './billing';
import { isAlarming, triedWith } from './held-bill';
import { type ParkReason, parkReason } from './parking';
import { decisionOn, type ListedSubscriptions, subscriptionsWith } from './store';
import type { Subscription } from './subscription';
import { type SubscriptionRecord, tombstone } from './tombstone';

type StoredSubscription = Stored<Subscription>;
type Within = Pick<CallContext, 'tenant' | 'now'>;

/** The subscriptions, as callers and rules see them: one that was given up before it was made is unknown to both. */
export class Subscriptions {
  constructor(
    private readonly records: AggregateCollection<SubscriptionRecord>,
    private readonly onParked: (id: string, reason: ParkReason, tenant: Tenant) => void,
  ) {}

  /** Throws not_found for an id that the environment does not have. */
  async get(id: string, context: Within): Promise<StoredSubscription> {
    return present(await this.records.within(context).get(id));
  }

  /** What stands under the id of a subscription that may have been made before. */
  find(id: string, context: Within): Promise<Stored<SubscriptionRecord> | undefined> {
    return this.records.within(context).find(id);
  }

  async list(
    listed: ListedSubscriptions,
    page: { readonly page: number; readonly perPage: number },
    context: Within,
  ): Promise<{ data: StoredSubscription[]; total: number }> {
    const store = this.records.within(context);
    const { data, total } = await store.list({ filter: subscriptionsWith(listed), ...page });
    return { data: data.map(present), total };
  }

  /** Stores a new subscription, or finds the one that was stored under its id before; refused where it was given up meanwhile. */
  async insert(transition: SubscriptionTransition, context: Within): Promise<StoredSubscription> {
    const { stored } = await this.records.within(context).insert(transition);
    return madeBefore(stored);
  }

  /** Makes sure that a subscription that does not exist yet never will; returns what stands under its id. */
  async forestall(id: string, context: Within): Promise<SubscriptionRecord> {
    const { stored } = await this.records.within(context).insert(tombstone(id));
    return stored.state;
  }

  /** Changes a subscription by a rule; where a version is expected, that version alone. */
  async change(
    id: string,
    context: Within,
    rule: (current: Subscription, decision: Decision) => SubscriptionTransition,
    expected: { readonly expectedVersion?: number } = {},
  ): Promise<StoredSubscription> {
    const before = { isParked: false };
    const changed = await this.records.within(context).mutate(
      id,
      (record, now) => {
        const current = subscriptionOf(record);
        before.isParked = parkReason(current) !== null;
        return triedWith(current, rule(current, decisionOn(id, context.tenant, now)));
      },
      expected,
    );
    const stored = present(changed);
    const reason = parkReason(stored.state);
    if (reason !== null && !before.isParked) this.onParked(id, reason, context.tenant);
    return stored;
  }

  /**
   * Notes what has become of something that the subscription ordered; that is no decision and waits for nothing that is due. `completes`
   * is the order, where nothing is left to do for it.
   */
  async note(
    id: string,
    context: Within,
    note: (current: Subscription) => Subscription,
    { completes }: { readonly completes?: Completion } = {},
  ): Promise<void> {
    const before: { state?: Subscription } = {};
    const noted = (record: SubscriptionRecord) => {
      const current = subscriptionOf(record);
      before.state = current;
      return { state: note(current), events: [], commands: [] };
    };
    const stored = present(await this.records.within(context).mutate(id, noted, { completes }));
    if (before.state !== undefined && isAlarming(before.state, stored.state)) {
      this.onParked(id, 'USAGE_TOO_LARGE', context.tenant);
    }
  }

  /** Waits until the subscription satisfies `isReached` or `until` (real time) has come, and returns it as it stands then. */
  async waitFor(
    id: string,
    context: Within & Pick<CallContext, 'signal'>,
    { isReached, until }: { isReached: (current: Subscription) => boolean; until: Date },
  ): Promise<StoredSubscription> {
    const isRecordReached = ({ state }: Stored<SubscriptionRecord>) =>
      isReached(subscriptionOf(state));
    return present(await this.records.waitFor(id, context, { isReached: isRecordReached, until }));
  }
}

/** Whether nothing was ever made here, and nothing may be. */
export function isGivenUp({ state }: Stored<SubscriptionRecord>): boolean {
  return state.isTombstone;
}

/** What a creation may find in its place. One that was given up while the creation was under way is to be repeated: under the next id. */
export function madeBefore(stored: Stored<SubscriptionRecord>): StoredSubscription {
  const { state } = stored;
  if (!state.isTombstone) return { ...stored, state };
  throw new DomainError('unavailable', 'SUBSCRIPTION_ABANDONED', 'Service unavailable');
}

function present(stored: Stored<SubscriptionRecord>): StoredSubscription {
  return { ...stored, state: subscriptionOf(stored.state) };
}

function subscriptionOf(record: SubscriptionRecord): Subscription {
  if (record.isTombstone) throw notFound('Subscription');
  return record;
}
