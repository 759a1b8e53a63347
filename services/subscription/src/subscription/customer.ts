import type { CollectionMethod, CustomerSnapshot, Subscription } from './subscription';

/** The payer as described by the customer service. */
export interface CustomerFacts extends CustomerSnapshot {
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** True once the first invoice has set the currency. */
  readonly isCurrencyFixed: boolean;
  readonly collectionMethod: CollectionMethod;
  /** Facts of the customer for invoices, as encoded for checkout. */
  readonly buyer?: string | undefined;
}

/** Returns the subscription with the present customer; undefined keeps the last snapshot. */
export function withCustomer(
  subscription: Subscription,
  customer: CustomerFacts | undefined,
): Subscription {
  if (customer === undefined) return subscription;
  const { id, email, name, collectionMethod } = customer;
  return { ...subscription, customer: { id, email, name }, collectionMethod };
}
