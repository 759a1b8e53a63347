import type { Subscription } from './subscription';
import type { SubscriptionChange } from './subscription-change';

/** True if the subscription's customer was deleted. Every other customer has an email address. */
function isErased({ customer }: Pick<Subscription, 'customer'>): boolean {
  return customer.email === '';
}

/** The subscription without personal data of its customer. */
export function erased(subscription: Subscription): Subscription {
  const { customer, changes } = subscription;
  if (isErased(subscription) && Object.keys(subscription.metadata).length === 0) {
    return subscription;
  }
  const { waiting, paying, finished } = changes;
  return {
    ...subscription,
    customer: { id: customer.id, email: '', name: null },
    metadata: {},
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

/** The subscription of a deleted customer, with the customer as it was, for bills still owed. */
export function withFormerBuyer(
  subscription: Subscription,
  buyer: string | undefined,
): Subscription {
  return buyer === undefined ? subscription : { ...subscription, formerBuyer: buyer };
}

/** Forgets the deleted customer once the last bill is created. */
export function withoutFormerBuyer(subscription: Subscription): Subscription {
  const { status, usage, formerBuyer } = subscription;
  if (formerBuyer === undefined || status !== 'CANCELED') return subscription;
  if (usage.overLimit !== null || usage.lateBillAt !== null) return subscription;
  return { ...subscription, formerBuyer: undefined };
}

/** True if a bill over the limit is still owed, and does not know the deleted customer yet. */
export function lacksFormerBuyer({ usage, formerBuyer }: Subscription): boolean {
  return usage.overLimit !== null && formerBuyer === undefined;
}
