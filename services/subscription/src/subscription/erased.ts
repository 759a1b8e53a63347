import type { Subscription } from './subscription';
import type { SubscriptionChange } from './subscription-change';

/** True if the subscription's customer was deleted. Every other customer has an email address. */
export function isErased({ customer }: Pick<Subscription, 'customer'>): boolean {
  return customer.email === '';
}

/**
 * The subscription without personal data of its customer. Nothing is billed any more: the deletion
 * has billed the usage so far. What metering accepts between these bills and the moment when it has
 * forgotten the customer is never billed.
 */
export function erased(subscription: Subscription): Subscription {
  const { customer, changes, usage } = subscription;
  const isDone = isErased(subscription) && Object.keys(subscription.metadata).length === 0;
  if (isDone && usage.lateBillAt === null) return subscription;
  const { waiting, paying, finished } = changes;
  return {
    ...subscription,
    customer: { id: customer.id, email: '', name: null },
    metadata: {},
    usage: { ...usage, lateBillAt: null },
    changes: {
      ...changes,
      waiting: waiting && erasedChange(waiting),
      paying: paying && erasedChange(paying),
      finished: finished.map(erasedChange),
    },
  };
}

/** A change without its metadata. */
export function erasedChange<C extends Pick<SubscriptionChange, 'metadata'>>(change: C): C {
  return Object.keys(change.metadata).length === 0 ? change : { ...change, metadata: {} };
}
