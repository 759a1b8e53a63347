import type { CustomerFacts } from './creation-input';
import type { Subscription } from './subscription';

/** The subscription with its customer as they are now; undefined: nobody knows better than what it has. */
export function withCustomer(
  subscription: Subscription,
  customer: CustomerFacts | undefined,
): Subscription {
  if (customer === undefined) return subscription;
  const { id, email, name, collectionMethod } = customer;
  return { ...subscription, customer: { id, email, name }, collectionMethod };
}
