import { DomainError } from '@billing/kernel/domain-error';
import { SubscriptionPhase } from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from '../peer/peers';
import { type ApiAnswer, present } from '../http/answer';
import { pageAnswer, redirectAnswer } from '../pages/frame/shell';
import { cancellationPage } from './cancellation-page';
import { hasEnded, ownSubscription } from './own-subscription';
import type { PortalRequest, PortalRoute } from './route';
import { doneAt } from './shell';

export const subscriptionRoutes: readonly PortalRoute[] = [
  { method: 'GET', path: '/portal/subscriptions/:id/cancel', handle: askToCancel },
  {
    method: 'POST',
    path: '/portal/subscriptions/:id/cancel',
    handle: async (request, peers) => {
      const { id, phase } = await ownSubscription(request, peers);
      const input = { id, atPeriodEnd: true };
      const { subscription } = await peers.subscription.cancelSubscription(input, request.context);
      // A subscription that has ended in the meantime stays ended, which the page shows.
      if (!hasEnded(present(subscription))) return redirectAnswer(doneAt('/portal', 'canceled'));
      const wasScheduled = phase === SubscriptionPhase.SUBSCRIPTION_PHASE_SCHEDULED;
      return redirectAnswer(wasScheduled ? doneAt('/portal', 'ended') : '/portal');
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
        // The subscription has ended in the meantime, which the page shows.
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
  const own = await ownSubscription(request, peers);
  const { id, cancelAtPeriodEnd } = own;
  if (hasEnded(own) || cancelAtPeriodEnd) return redirectAnswer('/portal');
  const { visit, context } = request;
  const { customerId } = visit;
  // Without metering the page mentions usage, which is right for every subscription.
  const usage = peers.metering.getUsageState({ customerId }, context).catch(() => undefined);
  const { plans } = await peers.plan.listPlans({ customerId }, context);
  const states = (await usage)?.states;
  const plan = plans.find(({ subscription }) => subscription?.id === id);
  if (plan === undefined) return redirectAnswer('/portal');
  const hasUsagePrices = states?.some(({ subscriptionId }) => subscriptionId === id) ?? true;
  return pageAnswer(cancellationPage(visit, plan, { hasUsagePrices }));
}
