import type { CustomerFacts } from './creation-input';
import type { Subscription } from './subscription';

/** Returns the subscription with the present customer; undefined keeps the last snapshot. */
export function withCustomer(
  subscription: Subscription,
  customer: CustomerFacts | undefined,
): Subscription {
  if (customer === undefined) return subscription;
  const { id, email, name, collectionMethod } = customer;
  return { ...subscription, customer: { id, email, name }, collectionMethod };
}
