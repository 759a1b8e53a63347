import { z } from 'zod';
import type { Subscription } from '@billing/proto/billing/subscription/v1/subscription';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { metadata, optional, readBody, time } from '../input';
import { type ApiAnswer, created, etag, ok, param, present, type Route } from '../route';

const CreateSubscription = z.object({
  customerId: z.string(),
  productId: z.string(),
  authorizedTransactionId: optional(z.string().min(1).max(255)),
  startAt: optional(time),
  metadata: optional(metadata),
  quantity: optional(z.int().min(1).max(1_000_000)),
});

const CancelSubscription = z.object({ atPeriodEnd: optional(z.boolean()) });

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/subscriptions',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CreateSubscription, request);
      const answer = await peers.subscription.createSubscription(input, request.context);
      const subscription = present(answer.subscription);
      const location = `/subscriptions/${subscription.id}`;
      return created(location, toJsonSubscription(subscription), {
        ...ignoredHeaders,
        ...etag(subscription.version),
      });
    },
  },
  {
    method: 'GET',
    path: '/subscriptions/:id',
    handle: async (request, peers) => {
      const answer = await peers.subscription.getSubscription(
        { id: param(request, 'id') },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
  {
    method: 'POST',
    path: '/subscriptions/:id/cancel',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CancelSubscription, request);
      const answer = await peers.subscription.cancelSubscription(
        { id: param(request, 'id'), atPeriodEnd: input.atPeriodEnd ?? false },
        request.context,
      );
      return answered(answer.subscription, ignoredHeaders);
    },
  },
  {
    method: 'POST',
    path: '/subscriptions/:id/uncancel',
    handle: async (request, peers) => {
      const answer = await peers.subscription.uncancelSubscription(
        { id: param(request, 'id') },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
];

function answered(subscription: Subscription | undefined, headers = {}): ApiAnswer {
  const current = present(subscription);
  return ok(toJsonSubscription(current), { ...headers, ...etag(current.version) });
}
