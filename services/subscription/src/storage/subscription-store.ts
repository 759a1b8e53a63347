import type { Completion, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { filterByIds } from '@billing/chassis/request-fields';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { parkedBy, type ParkReason, withUnparking } from '../parking/parking';
import { retriedWithChange } from '../over-limit/over-limit-bill';
import {
  mainItem,
  type Subscription,
  type SubscriptionPhase,
  type SubscriptionStatus,
} from '../subscription/subscription';
import { type SubscriptionRecord, tombstone } from '../subscription/tombstone';
import type { Decision, SubscriptionTransition } from '../subscription/transition';
import { renewalWarningMs, trialWarningMs } from '../subscription/warning-lead';

type StoredSubscription = Stored<Subscription>;
type Within = Pick<CallContext, 'tenant' | 'now'>;

const perPage = 100;
// A subscription before its start renews nothing, and an ended one neither.
const renewing: readonly SubscriptionPhase[] = ['TRIAL', 'REGULAR'];

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

  /** Like `get`, for a step that follows a write of this process; see AggregateStore. */
  async getRecent(id: string, context: Within): Promise<StoredSubscription> {
    return present(await this.records.within(context).getRecent(id));
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
    const changed = (current: Subscription, now: Date) =>
      retriedWithChange(current, rule(current, decisionOn(id, context.tenant, now)));
    return this.write(id, context, changed, expected);
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
    const recorded = (current: Subscription) => ({
      state: change(current),
      events: [],
      commands: [],
    });
    await this.write(id, context, recorded, { completes });
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

  private async write(
    id: string,
    context: Within,
    decide: (current: Subscription, now: Date) => SubscriptionTransition,
    options: { readonly expectedVersion?: number; readonly completes?: Completion | undefined },
  ): Promise<StoredSubscription> {
    const before: { state?: Subscription } = {};
    const written = await this.records.within(context).mutate(
      id,
      (record, now) => {
        before.state = subscriptionOf(record);
        const decided = decide(before.state, now);
        return { ...decided, state: withUnparking(before.state, decided.state, now) };
      },
      options,
    );
    const stored = present(written);
    const reason = parkedBy(before.state ?? stored.state, stored.state);
    if (reason !== null) this.onParked(id, reason, context.tenant);
    return stored;
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

/** Filter of a list; an absent field matches every subscription. */
export interface ListedSubscriptions {
  readonly ids?: { readonly ids: readonly string[] } | undefined;
  readonly customerId?: string | undefined;
  readonly customerIds?: { readonly ids: readonly string[] } | undefined;
  readonly productId?: string | undefined;
  readonly status?: SubscriptionStatus | undefined;
  readonly phase?: SubscriptionPhase | undefined;
  /** Subscriptions that enter a billed period before this time, by a renewal or from a trial. */
  readonly renewsBefore?: Date | undefined;
}

/**
 * Builds the filter of a list: subscriptions of a customer, to a product, in a status or phase, or
 * soon to renew.
 */
export function subscriptionsWith({
  ids,
  customerId,
  customerIds,
  productId,
  status,
  phase,
  renewsBefore,
}: ListedSubscriptions): Record<string, unknown> {
  return {
    isTombstone: false,
    ...filterByIds(ids),
    ...(customerIds !== undefined && { 'customer.id': { $in: customerIds.ids } }),
    ...(customerId !== undefined && { 'customer.id': customerId }),
    // Documents of earlier releases have one product, not items.
    ...(productId !== undefined && {
      $or: [{ 'items.productId': productId }, { productId }],
    }),
    ...(status !== undefined && { status }),
    ...(phase !== undefined && { phase }),
    ...(renewsBefore !== undefined && {
      // Bounds the index; the steps decide.
      dueAt: { $lt: renewsBefore },
      $and: [{ $or: renewalSteps(renewsBefore) }],
      phase: { $in: renewing.filter((one) => phase === undefined || one === phase) },
    }),
  };
}

// A renewal is the next step, or the one after its warning.
function renewalSteps(renewsBefore: Date): Record<string, unknown>[] {
  const dueBefore = (ms: number) => ({ dueAt: { $lt: new Date(renewsBefore.getTime() - ms) } });
  return [
    { ...dueBefore(0), dueClass: 'RENEWAL' },
    { ...dueBefore(trialWarningMs), dueClass: 'COLLECTION', phase: 'TRIAL' },
    { ...dueBefore(renewalWarningMs), dueClass: 'COLLECTION', phase: 'REGULAR' },
  ];
}

/** Inputs of a rule on the subscription that come from outside. */
export function decisionOn(id: string, { environmentId }: Tenant, now: Date): Decision {
  return {
    now,
    invoiceIdOf: (periodIndex) => derivedId(environmentId, id, 'period', periodIndex),
    pauseInvoiceIdOf: (periodIndex) => derivedId(environmentId, id, 'pause', periodIndex),
    usageInvoiceIdOf: (periodIndex) => usageInvoiceId({ environmentId }, id, periodIndex),
    resumeIdOf: (periodIndex) => derivedId(environmentId, id, 'resume', periodIndex),
  };
}

/** Derives the id of the invoice of usage of a period that is the last one of its cycle. */
export function usageInvoiceId(
  { environmentId }: Pick<Tenant, 'environmentId'>,
  id: string,
  periodIndex: number,
): string {
  return derivedId(environmentId, id, 'cut', periodIndex);
}

/**
 * Lists all subscriptions that a customer ever had, the earliest created first. While a clock
 * stands still, many have the same time of creation: their own ids may derive from a payment, but
 * the ids of their items follow the order of creation.
 */
export async function subscriptionsOf(
  customerId: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Stored<Subscription>[]> {
  const found: Stored<Subscription>[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total } = await subscriptions.list({ customerId }, { page, perPage }, context);
    found.push(...data);
    if (data.length === 0 || found.length >= total) return found.sort(byCreation);
  }
}

function byCreation(a: Stored<Subscription>, b: Stored<Subscription>): number {
  const apartMs = a.createdAt.getTime() - b.createdAt.getTime();
  if (apartMs !== 0) return apartMs;
  return mainItem(a.state).id < mainItem(b.state).id ? -1 : 1;
}

function present(stored: Stored<SubscriptionRecord>): StoredSubscription {
  return { ...stored, state: subscriptionOf(stored.state) };
}

function subscriptionOf(record: SubscriptionRecord): Subscription {
  if (record.isTombstone) throw notFound('Subscription');
  return record;
}
