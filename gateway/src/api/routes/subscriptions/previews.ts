import { z } from 'zod';
import {
  PreviewJson,
  toJsonCancellationPreview,
  toJsonNextInvoicePreview,
  toJsonPreview,
  toJsonPurchasePreview,
  toJsonSessionPreview,
} from '@billing/proto/json/change/preview';
import { isId } from '@billing/chassis/ids';
import type { InputProblems } from '@billing/kernel/input-problems';
import { cancellationProblems, subscriptionProblems } from '@billing/kernel/input/subscription';
import { ok } from '../../../http/answer';
import { problemWithin, type Sound, withTimeDependentProblems } from '../../input/field-rules';
import { irreversibleAction, optional, readBody } from '../../input/input';
import { itemFieldProblems, toProtoItems } from '../../input/purchase-items';
import type { ApiRequest } from '../../input/request';
import type { Peers } from '../../../peer/peers';
import type { Route } from '../route';
import { changeProblems, instantProblems } from './change-rules';
import { type ChangeBody, PreviewedChange, toProtoChangeInput } from './subscription-changes';
import { cancellationShape, purchaseShape, toProtoCancellation } from './subscriptions';

const subscriptionId = z.string();

const PreviewOfChange = irreversibleAction({
  kind: z.literal('CHANGE'),
  subscriptionId,
  change: PreviewedChange,
}).meta({ id: 'CreateChangePreview' });

const PreviewOfCancellation = irreversibleAction({
  kind: z.literal('CANCEL'),
  subscriptionId,
  ...cancellationShape,
}).meta({ id: 'CreateCancellationPreview' });

const PreviewOfNextInvoice = irreversibleAction({
  kind: z.literal('NEXT_INVOICE'),
  subscriptionId,
}).meta({ id: 'CreateNextInvoicePreview' });

const PreviewOfPurchase = irreversibleAction({
  kind: z.literal('PURCHASE'),
  via: optional(z.enum(['SUBSCRIPTION', 'CHECKOUT'])).meta({
    description:
      'The call that is previewed: `POST /v1/subscriptions` (default) or `POST /v1/checkout`. The invoice of a session takes nothing from the balance, and is of 0 for a trial.',
  }),
  customerId: optional(z.string()).meta({
    description: 'Absent: any customer without a balance; then there is no token.',
  }),
  ...purchaseShape,
}).meta({ id: 'CreatePurchasePreview' });

const CreatePreview = z
  .discriminatedUnion('kind', [
    PreviewOfPurchase,
    PreviewOfChange,
    PreviewOfCancellation,
    PreviewOfNextInvoice,
  ])
  .meta({
    id: 'CreatePreview',
    examples: [
      {
        kind: 'PURCHASE',
        customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
        productId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90',
      },
      {
        kind: 'CHANGE',
        subscriptionId: '01970f3e-8a4d-7e1f-9a2b-5c6d7e8f9001',
        change: { quantity: 12, at: 'NOW' },
      },
      {
        kind: 'CANCEL',
        subscriptionId: '01970f3e-8a4d-7e1f-9a2b-5c6d7e8f9001',
        proration: 'PRORATE',
      },
    ],
  });

const PreviewKind = z.object({ kind: PreviewJson.shape.kind });

/** Rules of a checkout session that a purchase without one does not have. */
function sessionProblems(
  fields: Sound<z.infer<typeof PreviewOfPurchase>>,
  body: Parameters<typeof itemFieldProblems>[1],
): InputProblems {
  const named = itemFieldProblems(fields, body);
  const { customerId, productId, priceId, startAt, items = [] } = fields;
  const ofItems = items.flatMap((item, index) =>
    (['productId', 'priceId'] as const).flatMap((field) =>
      uuidProblems(item[field]).map((problem) => `${String(index)}.${field}: ${problem}`),
    ),
  );
  return {
    customerId: uuidProblems(customerId),
    productId: [...named.productId, ...uuidProblems(productId)],
    priceId: uuidProblems(priceId),
    items: [...named.items, ...ofItems],
    startAt: startAt === undefined ? [] : ['Not with a checkout session'],
  };
}

function uuidProblems(id: string | undefined): string[] {
  return id === undefined || isId(id) ? [] : ['Invalid uuid'];
}

/** Problems of a change within a preview, each under `change` with its field. */
function previewedChangeProblems(
  change: Sound<ChangeBody> | undefined,
  body: { readonly sent: Readonly<Record<string, unknown>>; readonly wrong: ReadonlySet<string> },
  context: ApiRequest['context'],
): InputProblems {
  const { change: sent } = body.sent;
  if (change === undefined || typeof sent !== 'object' || sent === null) return {};
  const lasting = changeProblems(change, { ...sent });
  const found = withTimeDependentProblems(lasting, instantProblems(change, context), body);
  return {
    change: Object.entries(found).flatMap(([field, messages]) =>
      messages.map((message) => problemWithin(field, message)),
    ),
  };
}

async function previewOfSession(
  asked: z.infer<typeof PreviewOfPurchase>,
  { context }: ApiRequest,
  peers: Peers,
): Promise<PreviewJson> {
  const { items, ...named } = asked;
  const shown = await peers.session.previewSession(
    { ...named, items: toProtoItems(items) },
    context,
  );
  if (!shown.recurring) return toJsonSessionPreview(shown, undefined);
  const { customerId, discountId } = asked;
  const bought = { productId: '', items: { items: shown.items }, startAt: undefined };
  const sold = { customerId, discountId, ...bought };
  return toJsonSessionPreview(shown, await peers.change.previewPurchase(sold, context));
}

export const previewRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/previews',
    readsOnly: true,
    operation: {
      id: 'createPreview',
      summary: 'Preview a purchase, or a change, the end or the next invoice of a subscription',
      description:
        'Computes what the call would charge and give back now, and stores nothing. A next invoice, and the invoice of usage after a cancellation now, show the usage so far (`estimated`: it may still grow). The call with `token` as its `previewToken` does exactly that, or is refused with `preview_stale`.',
      body: CreatePreview,
      answer: { status: 200, schema: PreviewJson },
      errors: ['customer_not_found', 'subscription_not_found', 'product_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { kind } = readBody(PreviewKind, request);
      switch (kind) {
        case 'PURCHASE': {
          const asked = readBody(PreviewOfPurchase, request, (fields, body) => ({
            ...subscriptionProblems(fields, { now: request.context.now }),
            ...itemFieldProblems(fields, body),
            ...(fields.via === 'CHECKOUT' && sessionProblems(fields, body)),
          }));
          if (asked.via === 'CHECKOUT') return ok(await previewOfSession(asked, request, peers));
          const { productId = '', items } = asked;
          const wanted = { ...asked, productId, items: toProtoItems(items) };
          return ok(
            toJsonPurchasePreview(await peers.change.previewPurchase(wanted, request.context)),
          );
        }
        case 'CHANGE': {
          const { subscriptionId: id, change } = readBody(
            PreviewOfChange,
            request,
            (fields, body) => previewedChangeProblems(fields.change, body, request.context),
          );
          const asked = { subscriptionId: id, change: toProtoChangeInput(change) };
          return ok(toJsonPreview(await peers.change.previewChange(asked, request.context)));
        }
        case 'CANCEL': {
          const { subscriptionId: id, ...input } = readBody(
            PreviewOfCancellation,
            request,
            cancellationProblems,
          );
          const asked = { subscriptionId: id, ...toProtoCancellation(input) };
          const preview = await peers.change.previewCancellation(asked, request.context);
          return ok(toJsonCancellationPreview(preview));
        }
        case 'NEXT_INVOICE': {
          const asked = readBody(PreviewOfNextInvoice, request);
          const preview = await peers.change.previewNextInvoice(asked, request.context);
          return ok(toJsonNextInvoicePreview(preview));
        }
      }
    },
  },
];
