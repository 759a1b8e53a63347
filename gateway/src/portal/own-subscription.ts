import { notFound } from '@billing/kernel/domain-error';
import {
  type Subscription,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from '../peer/peers';
import { present } from '../http/answer';
import type { PortalRequest } from './route';

/** Loads a subscription. Throws not_found for subscriptions of other customers. */
export async function ownSubscription(
  { visit, params, context }: PortalRequest,
  { subscription: peer }: Peers,
): Promise<Subscription> {
  const { subscription } = await peer.getSubscription({ id: params.id ?? '' }, context);
  const found = present(subscription);
  if (found.customerId !== visit.customerId) throw notFound('Page');
  return found;
}

export function hasEnded({ status }: Subscription): boolean {
  return status === SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED;
}
