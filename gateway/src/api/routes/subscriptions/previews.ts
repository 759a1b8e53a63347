import { z } from 'zod';
import {
  PreviewJson,
  toJsonCancellationPreview,
  toJsonNextInvoicePreview,
  toJsonPreview,
} from '@billing/proto/json/preview';
import { ok } from '../../../http/answer';
import { irreversibleAction, readBody } from '../../input/input';
import type { Route } from '../route';
import { PreviewedChange, toProtoChangeInput } from './subscription-changes';
import { cancellationShape, toProtoCancellation } from './subscriptions';

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

const CreatePreview = z
  .discriminatedUnion('kind', [PreviewOfChange, PreviewOfCancellation, PreviewOfNextInvoice])
  .meta({
    id: 'CreatePreview',
    examples: [
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

export const previewRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/previews',
    readsOnly: true,
    operation: {
      id: 'createPreview',
      summary: 'Preview a change, the end or the next invoice of a subscription',
      description:
        'Computes what the call would charge and give back now, and stores nothing. A next invoice is shown without usage. The call with `token` as its `previewToken` does exactly that, or is refused with `preview_stale`.',
      body: CreatePreview,
      answer: { status: 200, schema: PreviewJson },
      errors: ['subscription_not_found', 'product_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { kind } = readBody(PreviewKind, request);
      switch (kind) {
        case 'CHANGE': {
          const { subscriptionId: id, change } = readBody(PreviewOfChange, request);
          const asked = { subscriptionId: id, change: toProtoChangeInput(change) };
          return ok(toJsonPreview(await peers.change.previewChange(asked, request.context)));
        }
        case 'CANCEL': {
          const { subscriptionId: id, ...input } = readBody(PreviewOfCancellation, request);
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
