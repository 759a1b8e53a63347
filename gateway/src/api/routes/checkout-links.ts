import { z } from 'zod';
import { checkoutLinkProblems } from '@billing/kernel/input/checkout-link';
import { collectedFacts } from '@billing/proto/values/checkout';
import { CheckoutLinkJson, toJsonCheckoutLink } from '@billing/proto/json/checkout-link';
import {
  activeFilter,
  lookupShape,
  metadata,
  optional,
  readBody,
  readQuery,
  webAddress,
} from '../input/input';
import { lookupQuery, page } from '../input/list';
import { listOf } from '../schemas/list';
import { changeable, frozen, readPatch, required } from '../input/patch';
import { created, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const label = z.string().min(1).max(200);
const successUrl = {
  description: 'URL of the redirect after payment. `{SESSION_ID}` is replaced with the session id.',
};
const returnUrl = { description: 'URL for visitors who leave without paying.' };

// The rules of the kernel check the bounds.
const bound = z.number().meta({ override: { type: 'integer', minimum: 1, maximum: 1_000_000 } });
const quantity = z.object({ min: bound, max: bound }).meta({
  description:
    'Visitors choose the quantity from `min` to `max`. Without it the quantity of each purchase is 1.',
});
// A fact may be named twice. The maximum bounds the messages about wrong elements.
const collect = z
  .array(z.enum(['NAME', 'ADDRESS']))
  .max(100)
  .meta({
    description:
      'Facts that the page asks for, requires, and stores with the new customer. An address needs street, city and country. Defaults to none.',
  });

const allowDiscountCodes = z.boolean().meta({
  description:
    'Whether payers may type a discount code on the payment page, if the purchase has no discount. Defaults to false.',
});

const productIds = z.array(z.string()).min(1).max(10);

const CreateCheckoutLink = z
  .object({
    label,
    productIds,
    quantity: optional(quantity),
    collect: optional(collect),
    successUrl: optional(webAddress).meta(successUrl),
    returnUrl: optional(webAddress).meta(returnUrl),
    active: optional(z.boolean()),
    discountId: optional(z.string()),
    allowDiscountCodes: optional(allowDiscountCodes),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateCheckoutLink',
    examples: [
      {
        label: 'Spring',
        productIds: ['01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90'],
        quantity: { min: 1, max: 50 },
        collect: ['NAME', 'ADDRESS'],
      },
    ],
  });

const UpdateCheckoutLink = z
  .object({
    label: required(label),
    active: required(z.boolean()).meta({ description: 'Set to false to deactivate the link.' }),
    successUrl: changeable(webAddress).meta(successUrl),
    returnUrl: changeable(webAddress).meta(returnUrl),
    metadata: changeable(metadata),
    quantity: changeable(quantity),
    collect: required(collect),
    allowDiscountCodes: required(allowDiscountCodes),
    productIds: required(productIds).meta({
      description: 'Replaces all products. Sessions that have begun keep theirs.',
    }),
    discountId: changeable(z.string()),
    url: frozen,
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateCheckoutLink', examples: [{ active: false }] });

const ListCheckoutLinks = z.object({ ...lookupShape, active: activeFilter });

export const checkoutLinkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/checkout-links',
    operation: {
      id: 'createCheckoutLink',
      summary: 'Create a checkout link',
      body: CreateCheckoutLink,
      answer: { status: 201, schema: CheckoutLinkJson, isVersioned: true },
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCheckoutLink, request, (fields) =>
        checkoutLinkProblems({ label: '', ...fields, productIds: [''] }),
      );
      const answer = await peers.checkoutLink.createCheckoutLink(
        { ...input, collect: (input.collect ?? []).map((fact) => collectedFacts.valueOf(fact)) },
        request.context,
      );
      const link = present(answer.checkoutLink);
      return created(`/checkout-links/${link.id}`, toJsonCheckoutLink(link), etag(link.version));
    },
  },
  {
    method: 'GET',
    path: '/checkout-links',
    operation: {
      id: 'listCheckoutLinks',
      summary: 'List checkout links, newest first',
      query: ListCheckoutLinks,
      answer: { status: 200, schema: listOf(CheckoutLinkJson, 'CheckoutLinkList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListCheckoutLinks, request);
      const { checkoutLinks, total } = await peers.checkoutLink.listCheckoutLinks(
        lookupQuery(query),
        request.context,
      );
      return page(checkoutLinks, { ...query, total }, toJsonCheckoutLink);
    },
  },
  {
    method: 'GET',
    path: '/checkout-links/:id',
    operation: {
      id: 'getCheckoutLink',
      summary: 'Get a checkout link',
      answer: { status: 200, schema: CheckoutLinkJson, isVersioned: true },
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
  {
    method: 'PATCH',
    path: '/checkout-links/:id',
    operation: {
      id: 'updateCheckoutLink',
      summary: 'Update or deactivate a checkout link',
      description:
        'The page of an inactive link says that the offer has ended. Checkout sessions created before remain open.',
      body: UpdateCheckoutLink,
      answer: { status: 200, schema: CheckoutLinkJson, isVersioned: true },
      errors: ['checkout_link_not_found'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateCheckoutLink, request, (fields) =>
        checkoutLinkProblems({ label: '', ...fields, productIds: [''] }),
      );
      const answer = await peers.checkoutLink.updateCheckoutLink(
        {
          ...input,
          id: param(request, 'id'),
          metadata: input.metadata,
          quantity: input.quantity,
          collect: (input.collect ?? []).map((fact) => collectedFacts.valueOf(fact)),
          productIds: input.productIds ?? [],
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const link = present(answer.checkoutLink);
      return ok(toJsonCheckoutLink(link), etag(link.version));
    },
  },
];
