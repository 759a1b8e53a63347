import type { CallContext } from '@billing/chassis/call-context';
import { notFound } from '@billing/kernel/domain-error';
import { CollectionMethod, Customer } from '@billing/proto/billing/customer/v1/customer';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from './peers';
import { snapshotsOf } from './snapshot';

export const customerSnapshot = snapshotsOf(Customer);

const perPage = 100;
const running = [
  SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
  SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE,
];

/** Throws for an unknown customer. */
export async function fetchCustomer(
  { customers }: Pick<Peers, 'customers'>,
  id: string,
  context: CallContext,
): Promise<Customer> {
  const customer = await customers.find(id, context);
  if (customer === undefined) throw notFound('Customer');
  return customer;
}

/** True if the customer was deleted. */
export type IsCustomerDeleted = (customerId: string, context: CallContext) => Promise<boolean>;

export function customerDeletion({ customers }: Pick<Peers, 'customers'>): IsCustomerDeleted {
  return async (customerId, context) => (await customers.find(customerId, context)) === undefined;
}

/** True if the customer has future invoices that are charged automatically. */
export async function isChargedAutomatically(
  customerId: string,
  context: CallContext,
  peers: Pick<Peers, 'customer' | 'subscription'>,
): Promise<boolean> {
  const { customer } = await peers.customer.getCustomer({ id: customerId }, context);
  if (isInvoiced(customer)) return false;
  const wanted = { customerId, page: 1, perPage: 1 };
  const lists = await Promise.all(
    running.map((status) => peers.subscription.listSubscriptions({ ...wanted, status }, context)),
  );
  return lists.some(({ total }) => total > 0);
}

/** Ids of the customer's subscriptions that are not CANCELED and are charged automatically. */
export async function chargedSubscriptions(
  customerId: string,
  context: CallContext,
  peers: Pick<Peers, 'customer' | 'subscription'>,
): Promise<string[]> {
  const { customer } = await peers.customer.getCustomer({ id: customerId }, context);
  if (isInvoiced(customer)) return [];
  const lists = await Promise.all(
    running.map((status) => subscriptionIds({ customerId, status }, context, peers)),
  );
  return lists.flat();
}

/**
 * Ids of subscriptions that are not CANCELED and are charged automatically, by customer, of at most
 * 100 customers. Undefined while the subscription service is of an earlier release.
 */
export async function chargedByCustomer(
  customerIds: readonly string[],
  context: CallContext,
  { customers, subscription }: Pick<Peers, 'customers' | 'subscription'>,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const found = await Promise.all(customerIds.map((id) => customers.find(id, context)));
  // A deleted customer has no subscriptions.
  const kept = found.filter((customer) => customer !== undefined && !isInvoiced(customer));
  const charged = new Map(kept.map((customer) => [customer?.id ?? '', [] as string[]]));
  if (charged.size === 0) return charged;
  const ofCustomers = { ids: [...charged.keys()] };
  for (const status of running) {
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const request = { status, customerIds: ofCustomers, page, perPage };
      const { subscriptions, total } = await subscription.listSubscriptions(request, context);
      for (const { id, customerId } of subscriptions) {
        const ids = charged.get(customerId);
        if (ids === undefined) return undefined;
        ids.push(id);
      }
      isLast = page * perPage >= total;
    }
  }
  return charged;
}

function isInvoiced(customer: Customer | undefined): boolean {
  return customer?.collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
}

async function subscriptionIds(
  wanted: { readonly customerId: string; readonly status: SubscriptionStatus },
  context: CallContext,
  { subscription }: Pick<Peers, 'subscription'>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const request = { ...wanted, page, perPage };
    const { subscriptions, total } = await subscription.listSubscriptions(request, context);
    ids.push(...subscriptions.map(({ id }) => id));
    if (subscriptions.length === 0 || ids.length >= total) return ids;
  }
}
