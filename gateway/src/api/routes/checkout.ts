import { z } from 'zod';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { itemsMax } from '@billing/kernel/purchase-items';
import { localeProblems } from '@billing/presentation/locale';
import type { Session } from '@billing/proto/billing/checkout/v1/session';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { Subscription } from '@billing/proto/billing/subscription/v1/subscription';
import { SessionJson, toJsonSession } from '@billing/proto/json/checkout-session';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { NewCheckoutSession } from '../schemas/checkout';
import { metadata, optional, readBody, webAddress } from '../input/input';
import type { Peers } from '../../peer/peers';
import { type ApiRequest, param } from '../input/request';
import { created, ok, present } from '../../http/answer';
import { itemFieldProblems, PurchaseItem, toProtoItems } from '../input/purchase-items';
import type { Route } from './route';

// In the usual form, of any version.
const uuid = z.guid('Invalid uuid');

const CheckoutItem = PurchaseItem.extend({
  productId: optional(uuid).meta({ description: 'Its current price is bought.' }),
  priceId: optional(uuid).meta({ description: 'Id of a current price, or of a product.' }),
}).meta({ id: 'CheckoutItem' });

const CreateCheckoutSession = z
  .object({
    customerId: uuid,
    priceId: optional(uuid).meta({ description: 'Id of a current price, or of a product.' }),
    productId: optional(uuid).meta({ description: 'Alternative to `priceId`.' }),
    quantity: optional(z.int().min(1).max(1_000_000)),
    items: optional(z.array(CheckoutItem).min(1).max(itemsMax)).meta({
      description:
        'Items that are bought together, in place of `productId`, `priceId` and `quantity`: one currency, one billing interval, each product once. The trial comes from the first one.',
    }),
    checkoutLinkId: optional(z.string()),
    successUrl: optional(webAddress).meta({
      description:
        'URL of the redirect after payment. `{SESSION_ID}` is replaced with the session id.',
    }),
    cancelUrl: optional(webAddress).meta({
      description:
        'URL for payers who leave without paying. `{SESSION_ID}` is replaced with the session id.',
    }),
    discountId: optional(z.string()),
    allowDiscountCodes: optional(z.boolean()).meta({
      description:
        'Whether the payer may type a discount code on the payment page. A valid code replaces the invoice: `discountId` and `invoiceId` of the session change. Defaults to the value of the link, or false.',
    }),
    locale: optional(z.string()).meta({
      description: 'BCP 47 tag of its pages. Defaults to the locale of the customer.',
    }),
    metadata: optional(metadata),
    previewToken: optional(z.string().max(1_000)).meta({
      description:
        'Token of a preview with `via` `CHECKOUT`: the invoice is as shown, or the creation is refused.',
    }),
  })
  .refine(
    ({ priceId, productId, items }) => [priceId, productId, items].some((one) => one !== undefined),
    {
      path: ['priceId'],
      error: 'Required',
      // Runs even if other fields are invalid, so that all problems are reported at once.
      when: () => true,
    },
  )
  .meta({
    id: 'CreateCheckoutSession',
    examples: [
      {
        customerId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
        priceId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90',
        successUrl: 'https://shop.example/thanks?session={SESSION_ID}',
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

export const checkoutRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/checkout',
    hidesUnavailability: true,
    operation: {
      id: 'createCheckoutSession',
      summary: 'Create a checkout session',
      description:
        'Creates the first invoice and its hosted payment page. A `checkoutLinkId` must name an active link that offers the product. ' +
        'Values missing in the request are taken from the link: its discount, its `successUrl`, and its `returnUrl` as `cancelUrl`.',
      body: CreateCheckoutSession,
      answer: { status: 201, schema: NewCheckoutSession },
      errors: [
        'customer_not_found',
        'product_not_found',
        'checkout_link_not_found',
        'conflict',
        'preview_stale',
      ],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCheckoutSession, request, (fields, body) => ({
        locale: localeProblems(fields.locale),
        items: itemFieldProblems(fields, body).items,
      }));
      const items = toProtoItems(input.items);
      const answer = await peers.session.createSession({ ...input, items }, request.context);
      const session = present(answer.session);
      const body = {
        sessionId: session.id,
        checkoutUrl: session.checkoutUrl,
        invoice: toJsonInvoice(present(answer.invoice)),
      };
      return created(`/checkout/${session.id}`, body);
    },
  },
  {
    method: 'GET',
    path: '/checkout/:sessionId',
    operation: {
      id: 'getCheckoutSession',
      summary: 'Get a checkout session',
      description: 'Includes the invoice, the subscription and the customer.',
      answer: { status: 200, schema: SessionJson, isVersioned: true },
      errors: ['checkout_session_not_found'],
    },
    handle: async (request, peers) => {
      const { session, invoice } = await peers.session.getSession(
        { id: param(request, 'sessionId') },
        request.context,
      );
      const found = present(session);
      const [subscription, customer] = await Promise.all([
        subscriptionOf(found, request, peers),
        customerOf(found, request, peers),
      ]);
      const tag = tagOf([found, invoice, subscription, customer]);
      return ok(toJsonSession({ ...found, customer }, { invoice, subscription }), tag);
    },
  },
];

/** The purchased subscription; undefined until the subscription service has created it. */
async function subscriptionOf(
  { subscriptionId }: Session,
  { context }: ApiRequest,
  peers: Peers,
): Promise<Subscription | undefined> {
  if (subscriptionId === undefined) return undefined;
  const found = unlessNotFound(peers.subscription.getSubscription({ id: subscriptionId }, context));
  return (await found)?.subscription;
}

/** The current customer, or the state at the creation of the session if the customer is gone. */
async function customerOf(
  { customerId: id, customer: atCreation }: Session,
  { context }: ApiRequest,
  peers: Peers,
): Promise<Customer | undefined> {
  return (
    (await unlessNotFound(peers.customer.getCustomer({ id }, context)))?.customer ?? atCreation
  );
}

/** ETag of a response with several resources that may change independently. */
function tagOf(parts: readonly ({ readonly version: bigint } | undefined)[]): { ETag: string } {
  return { ETag: `"${parts.map((part) => part?.version ?? '').join('-')}"` };
}
