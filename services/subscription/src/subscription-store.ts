import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Completion } from '@billing/chassis/outbox-progress';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import type { SubscriptionTransition } from './announcement';
import type { Decision } from './billing';
import { isAlarming, retriedWithChange } from './over-limit-bill';
import { type ParkReason, parkReason } from './parking';
import { decisionOn, type ListedSubscriptions, subscriptionsWith } from './store';
import type { Subscription } from './subscription';
import { type SubscriptionRecord, tombstone } from './tombstone';

type StoredSubscription = Stored<Subscription>;
type Within = Pick<CallContext, 'tenant' | 'now'>;

/** The subscriptions as callers and rules see them: an abandoned creation is invisible to both. */
export class Subscriptions {
  constructor(
    private readonly records: AggregateCollection<SubscriptionRecord>,
    private readonly onParked: (id: string, reason: ParkReason, tenant: Tenant) => void,
  ) {}

  /** Throws not_found for an id that the environment does not have. */
  async get(id: string, context: Within): Promise<StoredSubscription> {
    return present(await this.records.within(context).get(id));
  }

  /** Finds the record under the id of a subscription that may exist already. */
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

  /**
   * Stores a new subscription, or finds the existing one under its id; refuses an id abandoned in
   * between.
   */
  async insert(transition: SubscriptionTransition, context: Within): Promise<StoredSubscription> {
    const { stored } = await this.records.within(context).insert(transition);
    return existingSubscription(stored);
  }

  /**
   * Inserts a tombstone under the id of a subscription that does not exist yet, so that a late
   * creation fails; returns the record under the id.
   */
  async preventCreation(id: string, context: Within): Promise<SubscriptionRecord> {
    const { stored } = await this.records.within(context).insert(tombstone(id));
    return stored.state;
  }

  /** Changes a subscription by a rule; an expected version restricts the change to that version. */
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
        return retriedWithChange(current, rule(current, decisionOn(id, context.tenant, now)));
      },
      expected,
    );
    const stored = present(changed);
    const reason = parkReason(stored.state);
    if (reason !== null && !before.isParked) this.onParked(id, reason, context.tenant);
    return stored;
  }

  /**
   * Records the outcome of something that the subscription ordered; such a record is no decision
   * and does not wait for due steps. `completes` names the command that has nothing left to do.
   */
  async record(
    id: string,
    context: Within,
    change: (current: Subscription) => Subscription,
    { completes }: { readonly completes?: Completion } = {},
  ): Promise<void> {
    const before: { state?: Subscription } = {};
    const noted = (record: SubscriptionRecord) => {
      const current = subscriptionOf(record);
      before.state = current;
      return { state: change(current), events: [], commands: [] };
    };
    const stored = present(await this.records.within(context).mutate(id, noted, { completes }));
    if (before.state !== undefined && isAlarming(before.state, stored.state)) {
      this.onParked(id, 'USAGE_TOO_LARGE', context.tenant);
    }
  }

  /**
   * Waits until the subscription satisfies `isReached` or `until` (real time) has passed, and
   * returns it as it is then.
   */
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

/** True for the tombstone of an abandoned creation. */
export function isAbandoned({ state }: Stored<SubscriptionRecord>): boolean {
  return state.isTombstone;
}

/**
 * Returns the subscription under a creation's id. If the id was abandoned during the creation, the
 * call has to be retried under the next id.
 */
export function existingSubscription(stored: Stored<SubscriptionRecord>): StoredSubscription {
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
