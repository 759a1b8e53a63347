import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { subscriptionsOf, type Subscriptions } from '../storage/subscription-store';
import { billLateNow } from '../subscription/late-bill';
import type { SubscriptionRecord } from '../subscription/tombstone';

export interface FinalBillDependencies {
  readonly records: AggregateCollection<SubscriptionRecord>;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
}

// The gateway's deadline is 10 s. The answer must be sent before that.
const billedWithinMs = 8_000;
const pollEveryMs = 100;

/**
 * Bills the late usage of a customer's ended subscriptions now, and waits until no bill of the
 * customer is in progress.
 */
export async function billEndedSubscriptions(
  customerId: string,
  context: CallContext,
  dependencies: FinalBillDependencies,
): Promise<void> {
  const { subscriptions, clock } = dependencies;
  const until = waitAtMost(billedWithinMs, context, clock.now());
  for (const { state } of await subscriptionsOf(customerId, context, subscriptions)) {
    if (state.usage.lateBillAt === null) continue;
    await subscriptions.change(state.id, context, billLateNow);
  }
  while (await hasBills(customerId, context, dependencies)) {
    if (clock.now() >= until || context.signal.aborted) {
      throw new DomainError('unavailable', 'BILLS_UNFINISHED', 'Service unavailable');
    }
    await sleep(pollEveryMs, context.signal);
  }
}

/** True while a command of one of the customer's subscriptions waits. */
export function hasBills(
  customerId: string,
  { tenant: { environmentId } }: Pick<CallContext, 'tenant'>,
  { records }: Pick<FinalBillDependencies, 'records'>,
): Promise<boolean> {
  return records.hasPending({ environmentId, 'customer.id': customerId });
}
