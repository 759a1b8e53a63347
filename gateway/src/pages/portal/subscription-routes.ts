import { DomainError, notFound } from '@billing/kernel/domain-error';
import {
  type Subscription,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from '../../peers';
import { type ApiAnswer, present } from '../../route';
import { pageAnswer, redirectAnswer } from '../shell';
import { cancellationPage } from './cancellation-page';
import type { PortalRequest, PortalRoute } from './portal-route';
import { doneAt } from './portal-shell';

export const subscriptionRoutes: readonly PortalRoute[] = [
  { method: 'GET', path: '/portal/subscriptions/:id/cancel', handle: askToCancel },
  {
    method: 'POST',
    path: '/portal/subscriptions/:id/cancel',
    handle: async (request, peers) => {
      const { id } = await ownSubscription(request, peers);
      await peers.subscription.cancelSubscription({ id, atPeriodEnd: true }, request.context);
      return redirectAnswer(doneAt('/portal', 'canceled'));
    },
  },
  {
    method: 'POST',
    path: '/portal/subscriptions/:id/keep',
    handle: async (request, peers) => {
      const { id } = await ownSubscription(request, peers);
      try {
        await peers.subscription.uncancelSubscription({ id }, request.context);
      } catch (error) {
        // It has ended meanwhile, and the page tells.
        if (error instanceof DomainError && error.reason === 'SUBSCRIPTION_CANCELED') {
          return redirectAnswer('/portal');
        }
        throw error;
      }
      return redirectAnswer(doneAt('/portal', 'kept'));
    },
  },
];

async function askToCancel(request: PortalRequest, peers: Peers): Promise<ApiAnswer> {
  const { id, status, cancelAtPeriodEnd } = await ownSubscription(request, peers);
  const isOver = status === SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED;
  if (isOver || cancelAtPeriodEnd) return redirectAnswer('/portal');
  const { visit, context } = request;
  const { plans } = await peers.plan.listPlans({ customerId: visit.customerId }, context);
  const plan = plans.find(({ subscription }) => subscription?.id === id);
  return plan === undefined ? redirectAnswer('/portal') : pageAnswer(cancellationPage(visit, plan));
}

/** A subscription of another customer is as unknown as one that never was. */
async function ownSubscription(
  { visit, params, context }: PortalRequest,
  { subscription: peer }: Peers,
): Promise<Subscription> {
  const { subscription } = await peer.getSubscription({ id: params.id ?? '' }, context);
  const found = present(subscription);
  if (found.customerId !== visit.customerId) throw notFound('Page');
  return found;
}
