import { z } from 'zod';
import { PreviewJson, toJsonPreview } from '@billing/proto/json/preview';
import { ok } from '../../../http/answer';
import { irreversibleAction, readBody } from '../../input/input';
import type { Route } from '../route';
import { PreviewedChange, toProtoChangeInput } from './subscription-changes';

const CreatePreview = irreversibleAction({
  kind: z.enum(['CHANGE']),
  subscriptionId: z.string(),
  change: PreviewedChange,
}).meta({
  id: 'CreatePreview',
  examples: [
    {
      kind: 'CHANGE',
      subscriptionId: '01970f3e-8a4d-7e1f-9a2b-5c6d7e8f9001',
      change: { quantity: 12, at: 'NOW' },
    },
  ],
});

export const previewRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/previews',
    readsOnly: true,
    operation: {
      id: 'createPreview',
      summary: 'Preview a change of a subscription',
      description:
        'Computes what the change would cost now, and stores nothing. The change with `token` as its `previewToken` costs exactly that, or is refused with `preview_stale`.',
      body: CreatePreview,
      answer: { status: 200, schema: PreviewJson },
      errors: ['subscription_not_found', 'product_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { subscriptionId, change } = readBody(CreatePreview, request);
      const preview = await peers.change.previewChange(
        { subscriptionId, change: toProtoChangeInput(change) },
        request.context,
      );
      return ok(toJsonPreview(preview));
    },
  },
];
