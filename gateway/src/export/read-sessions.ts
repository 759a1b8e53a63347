import type { CallContext } from '@billing/chassis/call-context';
import type { GetSessionResponse } from '@billing/proto/billing/checkout/v1/session';
import { type SessionJson, toJsonSession } from '@billing/proto/json/checkout-session';
import { present } from '../http/answer';
import type { Peers } from '../peer/peers';

/**
 * Checkout sessions with their current subscriptions and customers, at most 100. A customer who is
 * gone is shown as at the creation of the session.
 */
export async function readSessions(
  found: readonly GetSessionResponse[],
  { subscription, customer }: Pick<Peers, 'subscription' | 'customer'>,
  context: CallContext,
): Promise<SessionJson[]> {
  if (found.length === 0) return [];
  const sessions = found.map((one) => ({ session: present(one.session), invoice: one.invoice }));
  const ids = sessions.flatMap(({ session }) => session.subscriptionId ?? []);
  const customerIds = [...new Set(sessions.map(({ session }) => session.customerId))];
  const [subscriptions, customers] = await Promise.all([
    ids.length === 0
      ? []
      : subscription
          .listSubscriptions(
            { ...noFilter, ids: { ids }, page: 1, perPage: ids.length, oldestFirst: true },
            context,
          )
          .then((list) => list.subscriptions),
    customer.getCustomers({ ids: customerIds }, context).then((list) => list.customers),
  ]);
  const subscriptionOf = new Map(subscriptions.map((one) => [one.id, one]));
  const customerOf = new Map(customers.map((one) => [one.id, one]));
  return sessions.map(({ session, invoice }) =>
    toJsonSession(
      { ...session, customer: customerOf.get(session.customerId) ?? session.customer },
      { invoice, subscription: subscriptionOf.get(session.subscriptionId ?? '') },
    ),
  );
}

const noFilter = {
  customerId: undefined,
  productId: undefined,
  status: undefined,
  phase: undefined,
  renewsBefore: undefined,
};
