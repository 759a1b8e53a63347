import { z } from 'zod';
import { itemsMax } from '@billing/kernel/purchase-items';
import type { ChangeInput } from '@billing/proto/billing/subscription/v1/change_service';
import {
  itemQuantity,
  SubscriptionChangeJson,
  toJsonSubscriptionChange,
} from '@billing/proto/json/subscription-change';
import {
  changeAts,
  changeCollects,
  changeKinds,
  changeProrations,
  changeStatuses,
} from '@billing/proto/values/subscription';
import { created, ok, present } from '../../../http/answer';
import {
  irreversibleAction,
  metadata,
  optional,
  listShape,
  readBody,
  readQuery,
  time,
} from '../../input/input';
import { withTimeDependentProblems } from '../../input/field-rules';
import { page, listQuery } from '../../input/list';
import { changeProblems, instantProblems } from './change-rules';
import { param } from '../../input/request';
import { listOf } from '../../schemas/list';
import type { Route } from '../route';

const WantedItem = z.strictObject({
  productId: optional(z.string()),
  priceId: optional(z.string()),
  quantity: optional(itemQuantity),
});

const changeShape = {
  kind: optional(z.enum(['UPDATE', 'PAUSE', 'RESUME'])).meta({
    description:
      'Defaults to `UPDATE`. `PAUSE` takes `at`, `proration` and `resumeAt`; `RESUME` takes `requirePayment`.',
  }),
  productId: optional(z.string()).meta({
    description: 'Product of the main item. The product that it has keeps its price version.',
  }),
  priceId: optional(z.string()).meta({
    description: 'Current price version of a product, or the version that the item has.',
  }),
  quantity: optional(itemQuantity),
  items: optional(z.array(WantedItem).min(1).max(itemsMax)).meta({
    description:
      'The whole list of items as it shall be, in place of the three fields above. The first one is the main item. An item keeps the price version and the quantity that it does not name; a new item has the quantity 1; an item that is not listed is removed.',
  }),
  discountId: z.string().nullable().optional().meta({
    description:
      'Discount from the next period on; the current period keeps its discount. Null: none. Defaults to the current discount.',
  }),
  at: optional(
    z.union([z.enum(['AUTO', 'NOW', 'PERIOD_END']), time], {
      error: 'Must be AUTO, NOW, PERIOD_END or a datetime',
    }),
  ).meta({
    description:
      'Defaults to `AUTO`: an upgrade takes effect now, a downgrade at the period end. A pause defaults to `PERIOD_END`. An instant ahead, at most five years: the change waits for the first period start at or after it. Where no period runs, the change takes effect now.',
  }),
  proration: optional(z.enum(['PRORATE', 'FULL_AND_RESET', 'NONE'])).meta({
    description:
      'Defaults to `PRORATE`. `FULL_AND_RESET` begins a new period, charges it in full and gives nothing back; `NONE` charges nothing before the next period. Ignored at the end of a period. A pause defaults to `NONE`.',
  }),
  collect: optional(z.enum(['NOW', 'NEXT_INVOICE'])).meta({
    description:
      'Defaults to `NOW`. `NEXT_INVOICE` defers the lines to the next invoice of the subscription; nothing is due now. Ignored at the end of a period.',
  }),
  requirePayment: optional(z.boolean()).meta({
    description: 'Defaults to `true`: the change takes effect once its invoice is paid.',
  }),
  resumeAt: optional(time).meta({
    description: 'Planned end of a pause. Absent: it lasts until it is ended.',
  }),
  metadata: optional(metadata),
};

const CreateSubscriptionChange = irreversibleAction({
  ...changeShape,
  previewToken: optional(z.string().max(1_000)).meta({
    description: 'Token of a preview: the change costs what was shown, or is refused.',
  }),
}).meta({
  id: 'CreateSubscriptionChange',
  examples: [{ quantity: 12, at: 'NOW' }],
});

/** Change of a preview. */
export const PreviewedChange = irreversibleAction(changeShape).meta({ id: 'PreviewedChange' });

/** A change of items in a request body. */
export type ChangeBody = z.infer<typeof PreviewedChange>;

const ListChanges = z.object({
  ...listShape,
  status: SubscriptionChangeJson.shape.status.optional(),
});

export const subscriptionChangeRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/subscriptions/:id/changes',
    operation: {
      id: 'createSubscriptionChange',
      summary: 'Change the items or the discount of a subscription',
      description:
        'Returns once the change is applied, failed or pending, or after 8 seconds. A failed payment is an answer: 201 with `status` `FAILED` and the reason in `failure`. A change of products never resets a meter: usage before it is billed by the meter prices before, usage after it by those after, each as a line of its own.',
      body: CreateSubscriptionChange,
      answer: { status: 201, schema: SubscriptionChangeJson },
      errors: [
        'subscription_not_found',
        'product_not_found',
        'conflict',
        'preview_stale',
        'stale_version',
      ],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateSubscriptionChange, request, (fields, body) =>
        withTimeDependentProblems(
          changeProblems(fields, body.sent),
          // The instant of the preview counts, which only the service reads.
          fields.previewToken === undefined ? instantProblems(fields, request.context) : {},
          body,
        ),
      );
      const { change } = await peers.change.createChange(
        {
          subscriptionId: param(request, 'id'),
          change: toProtoChangeInput(input),
          metadata: input.metadata,
          previewToken: input.previewToken,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const stored = present(change);
      const location = `/subscriptions/${stored.subscriptionId}/changes/${stored.id}`;
      return created(location, toJsonSubscriptionChange(stored));
    },
  },
  {
    method: 'GET',
    path: '/subscriptions/:id/changes',
    operation: {
      id: 'listSubscriptionChanges',
      summary: 'List the changes of a subscription, newest first',
      query: ListChanges,
      answer: { status: 200, schema: listOf(SubscriptionChangeJson, 'SubscriptionChangeList') },
      errors: ['subscription_not_found'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListChanges, request);
      const { changes, total } = await peers.change.listChanges(
        {
          subscriptionId: param(request, 'id'),
          ...listQuery(query),
          status: query.status && changeStatuses.valueOf(query.status),
        },
        request.context,
      );
      return page(changes, { ...query, total }, toJsonSubscriptionChange);
    },
  },
  {
    method: 'GET',
    path: '/subscriptions/:id/changes/:changeId',
    operation: {
      id: 'getSubscriptionChange',
      summary: 'Get a change of a subscription',
      answer: { status: 200, schema: SubscriptionChangeJson },
      errors: ['subscription_not_found', 'change_not_found'],
    },
    handle: async (request, peers) => {
      const { change } = await peers.change.getChange(
        { subscriptionId: param(request, 'id'), id: param(request, 'changeId') },
        request.context,
      );
      return ok(toJsonSubscriptionChange(present(change)));
    },
  },
  {
    method: 'DELETE',
    path: '/subscriptions/:id/changes/:changeId',
    operation: {
      id: 'cancelSubscriptionChange',
      summary: 'Cancel a pending change of a subscription',
      answer: { status: 204 },
      errors: ['subscription_not_found', 'change_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      await peers.change.cancelChange(
        { subscriptionId: param(request, 'id'), id: param(request, 'changeId') },
        request.context,
      );
      return { status: 204 };
    },
  },
];

/** Reads the time of a change: an instant is sent as PERIOD_END with `notBefore`. */
function toProtoChangeTime(at: ChangeBody['at']): Pick<ChangeInput, 'at' | 'notBefore'> {
  if (at instanceof Date) return { at: changeAts.valueOf('PERIOD_END'), notBefore: at };
  return { at: changeAts.valueOf(at === 'AUTO' ? undefined : at), notBefore: undefined };
}

/** Reads item and discount of a body. */
export function toProtoChangeInput(body: ChangeBody): ChangeInput {
  const { productId, priceId, quantity, items, at, requirePayment, proration } = body;
  const { discountId } = body;
  const [item, ...otherItems] = items ?? [{ productId, priceId, quantity }];
  return {
    productId: item?.productId,
    priceId: item?.priceId,
    quantity: item?.quantity,
    ofItems: items !== undefined,
    otherItems,
    ...toProtoChangeTime(at),
    requirePayment,
    proration: changeProrations.valueOf(proration),
    collect: body.collect && changeCollects.valueOf(body.collect),
    kind: changeKinds.valueOf(body.kind),
    resumeAt: body.resumeAt,
    discount: discountId === undefined ? undefined : { id: discountId ?? undefined },
  };
}
