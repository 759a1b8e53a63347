import { z } from 'zod';
import { itemsMax } from '@billing/kernel/purchase-items';
import { cancellationProblems, subscriptionProblems } from '@billing/kernel/input/subscription';
import type { Subscription } from '@billing/proto/billing/subscription/v1/subscription';
import { SubscriptionJson, toJsonSubscription } from '@billing/proto/json/subscription';
import {
  changeProrations,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import { listOf } from '../../schemas/list';
import {
  irreversibleAction,
  metadata,
  optional,
  lookupShape,
  readBody,
  readQuery,
  time,
} from '../../input/input';
import { lookupQuery, page } from '../../input/list';
import { changeable, frozen, frozenFields, readPatch } from '../../input/patch';
import { type ApiAnswer, created, etag, ok, present } from '../../../http/answer';
import { param } from '../../input/request';
import { itemFieldProblems, PurchaseItem, toProtoItems } from '../../input/purchase-items';
import type { Route } from '../route';

/** Fields that name the purchase of a subscription. */
export const purchaseShape = {
  productId: optional(z.string()).meta({
    description: 'Product of the only item. Required without `priceId` and `items`.',
  }),
  priceId: optional(z.string()).meta({
    description: 'Id of the current price of the only item, in place of `productId`.',
  }),
  startAt: optional(time),
  discountId: optional(z.string()),
  quantity: optional(z.int().min(1).max(1_000_000)),
  items: optional(z.array(PurchaseItem).min(1).max(itemsMax)).meta({
    description:
      'Items that are billed together, in place of `productId`, `priceId` and `quantity`: one currency, one billing interval, each product once. The trial comes from the first one.',
  }),
};

const CreateSubscription = z
  .object({
    customerId: z.string(),
    ...purchaseShape,
    authorizedTransactionId: optional(z.string().min(1).max(255)),
    metadata: optional(metadata),
    previewToken: optional(z.string().max(1_000)).meta({
      description:
        'Token of a preview: the first invoice is as shown, counted from the instant of the preview, or the creation is refused.',
    }),
  })
  .meta({
    id: 'CreateSubscription',
    examples: [
      {
        customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
        productId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90',
        authorizedTransactionId: 'txn_4242424242424242',
      },
      {
        customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
        items: [
          { productId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90' },
          { productId: '01970f3e-8a4e-7f1a-8b2c-6d7e8f901234', quantity: 5 },
        ],
      },
    ],
  });

/** How a subscription is canceled. */
export const cancellationShape = {
  atPeriodEnd: optional(z.boolean()),
  proration: optional(z.enum(['NONE', 'PRORATE'])).meta({
    description:
      'Defaults to `NONE`. `PRORATE` credits the unused time of what was paid; only for an end now.',
  }),
};

const CancelSubscription = irreversibleAction({
  ...cancellationShape,
  previewToken: optional(z.string().max(1_000)).meta({
    description: 'Token of a preview: the end gives back what was shown, or is refused.',
  }),
}).meta({
  id: 'CancelSubscription',
  examples: [{ atPeriodEnd: true }],
});

/** Reads how a subscription is canceled. */
export function toProtoCancellation({
  atPeriodEnd = false,
  proration,
}: {
  readonly atPeriodEnd?: boolean | undefined;
  readonly proration?: 'NONE' | 'PRORATE' | undefined;
}) {
  return { atPeriodEnd, proration: proration && changeProrations.valueOf(proration) };
}

const UncancelSubscription = irreversibleAction({}).meta({
  id: 'UncancelSubscription',
  examples: [{}],
});

const UpdateSubscription = z
  .object({
    ...frozenFields(SubscriptionJson),
    authorizedTransactionId: frozen,
    metadata: changeable(metadata),
  })
  .meta({ id: 'UpdateSubscription', examples: [{ metadata: { team: 'research' } }] });

const ListSubscriptions = z.object({
  ...lookupShape,
  customerId: z.string().optional(),
  productId: z.string().optional(),
  status: z.enum(['ACTIVE', 'PAST_DUE', 'CANCELED']).optional(),
  phase: z.enum(['SCHEDULED', 'TRIAL', 'REGULAR', 'PAUSED', 'ENDED']).optional(),
  renewsBefore: time.optional().meta({
    description:
      'Only subscriptions whose next billed period starts before this time, by renewal or at the end of a trial.',
  }),
});

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/subscriptions',
    operation: {
      id: 'createSubscription',
      summary: 'Create a subscription',
      description:
        'Returns once the first invoice exists and the outcome of its first charge is applied, or after 8 seconds.',
      body: CreateSubscription,
      answer: { status: 201, schema: SubscriptionJson, isVersioned: true },
      errors: ['customer_not_found', 'product_not_found', 'preview_stale'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateSubscription, request, (fields, body) => ({
        ...subscriptionProblems(fields, { now: request.context.now }),
        ...itemFieldProblems(fields, body),
      }));
      const answer = await peers.subscription.createSubscription(
        { ...input, productId: input.productId ?? '', items: toProtoItems(input.items) },
        request.context,
      );
      const subscription = present(answer.subscription);
      const location = `/subscriptions/${subscription.id}`;
      return created(location, toJsonSubscription(subscription), etag(subscription.version));
    },
  },
  {
    method: 'GET',
    path: '/subscriptions',
    operation: {
      id: 'listSubscriptions',
      summary: 'List subscriptions, newest first',
      query: ListSubscriptions,
      answer: { status: 200, schema: listOf(SubscriptionJson, 'SubscriptionList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListSubscriptions, request);
      const { subscriptions, total } = await peers.subscription.listSubscriptions(
        {
          ...lookupQuery(query),
          status: query.status && subscriptionStatuses.valueOf(query.status),
          phase: query.phase && subscriptionPhases.valueOf(query.phase),
        },
        request.context,
      );
      return page(subscriptions, { ...query, total }, toJsonSubscription);
    },
  },
  {
    method: 'GET',
    path: '/subscriptions/:id',
    operation: {
      id: 'getSubscription',
      summary: 'Get a subscription',
      answer: { status: 200, schema: SubscriptionJson, isVersioned: true },
      errors: ['subscription_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.subscription.getSubscription(
        { id: param(request, 'id') },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
  {
    method: 'PATCH',
    path: '/subscriptions/:id',
    operation: {
      id: 'updateSubscription',
      summary: 'Update the metadata of a subscription',
      body: UpdateSubscription,
      answer: { status: 200, schema: SubscriptionJson, isVersioned: true },
      errors: ['subscription_not_found'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateSubscription, request);
      const answer = await peers.subscription.updateSubscription(
        {
          id: param(request, 'id'),
          metadata: input.metadata,
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
  {
    method: 'POST',
    path: '/subscriptions/:id/cancel',
    operation: {
      id: 'cancelSubscription',
      summary: 'Cancel a subscription',
      description:
        'Ends the subscription now or, with `atPeriodEnd`, at the end of the current period. An end now voids unpaid invoices of the period and, with `proration` `PRORATE`, issues credit notes for the unused time of paid ones. An end that would give more tax back than it charges is refused: 409 `The end gives more tax back than it charges; cancel at the end of the period or without proration`.',
      body: CancelSubscription,
      answer: { status: 200, schema: SubscriptionJson, isVersioned: true },
      errors: ['subscription_not_found', 'conflict', 'preview_stale'],
    },
    handle: async (request, peers) => {
      const input = readBody(CancelSubscription, request, cancellationProblems);
      const answer = await peers.subscription.cancelSubscription(
        {
          id: param(request, 'id'),
          ...toProtoCancellation(input),
          previewToken: input.previewToken,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
  {
    method: 'POST',
    path: '/subscriptions/:id/uncancel',
    operation: {
      id: 'uncancelSubscription',
      summary: 'Undo a scheduled cancellation',
      body: UncancelSubscription,
      answer: { status: 200, schema: SubscriptionJson, isVersioned: true },
      errors: ['subscription_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      readBody(UncancelSubscription, request);
      const answer = await peers.subscription.uncancelSubscription(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      return answered(answer.subscription);
    },
  },
];

function answered(subscription: Subscription | undefined): ApiAnswer {
  const current = present(subscription);
  return ok(toJsonSubscription(current), etag(current.version));
}
