import { z } from 'zod';
import { toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import { CheckoutLink } from '../openapi/schemas/checkout';
import { metadata, optional, readBody } from '../input';
import { created, etag, ok, param, present, type Route } from '../route';
import { webAddress } from '../web-address';

const CreateCheckoutLink = z
  .object({
    label: z.string().min(1).max(200),
    productIds: z.array(z.string()).min(1).max(10),
    successUrl: optional(webAddress).meta({
      description: 'Where a payer goes afterwards; `{SESSION_ID}` in it is replaced.',
    }),
    returnUrl: optional(webAddress).meta({ description: 'Where a visitor goes who gives up.' }),
    active: optional(z.boolean()),
    discountId: optional(z.string()),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateCheckoutLink',
    examples: [{ label: 'Spring', productIds: ['01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90'] }],
  });

export const checkoutLinkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/checkout-links',
    operation: {
      id: 'createCheckoutLink',
      summary: 'Make a public offer of some products',
      body: CreateCheckoutLink,
      answer: { status: 201, schema: CheckoutLink, isVersioned: true },
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCheckoutLink, request);
      const answer = await peers.checkoutLink.createCheckoutLink(input, request.context);
      const link = present(answer.checkoutLink);
      return created(`/checkout-links/${link.id}`, toJsonCheckoutLink(link), etag(link.version));
    },
  },
  {
    method: 'GET',
    path: '/checkout-links/:id',
    operation: {
      id: 'getCheckoutLink',
      summary: 'Get a public offer',
      answer: { status: 200, schema: CheckoutLink, isVersioned: true },
      errors: ['checkout_link_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.checkoutLink.getCheckoutLink(
        { id: param(request, 'id') },
        request.context,
      );
      const link = present(answer.checkoutLink);
      return ok(toJsonCheckoutLink(link), etag(link.version));
    },
  },
];
