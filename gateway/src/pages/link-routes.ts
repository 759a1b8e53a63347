import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { closedLinkPage, type LinkForm, linkPage, type LinkView } from './link-page';
import { productsOnOffer } from './link-offer';
import type { PageRequest, PageRoute } from './page-route';
import { pageAnswer, redirectAnswer } from './shell';
import { usageRatesOf } from './usage-rate-client';
import { readVisitor, visitorCookie } from './visitor-cookie';

const kind = HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK;
const nonceBytes = 16;
const noncePattern = /^[\w-]{22}$/;
// The same form may be under way already: wait for its answer, well within the time for ours.
const repeats = { waitMs: 250, timesMax: 20 };

/** The public page of a checkout link. */
export const linkPageRoutes: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/link/:token',
    kind,
    handle: async (request, peers) => {
      const view = await readLink(request, peers);
      if (view.products.length === 0) return closed(request);
      return show(view, { nonce: newNonce() }, { peers, context: request.context });
    },
  },
  {
    method: 'POST',
    path: '/link/:token',
    kind,
    handle: async (request, peers) => {
      const view = await readLink(request, peers);
      const form = readLinkForm(request, view);
      const { link } = view;
      const tools = { peers, context: request.context };
      const order = {
        link,
        form,
        peers,
        context: keyed(request.context, link, form),
        earlierVisit: readVisitor(request.cookies),
      };
      if (form.problems?.productId !== undefined) {
        const begun = await begunPurchase(order);
        if (begun !== undefined) return toSession(begun, view);
      }
      if (view.products.length === 0) return closed(request);
      if (form.problems !== undefined) return show(view, form, tools);
      try {
        return toSession(await buy(view, order), view);
      } catch (error) {
        return refused(error, { view, form, tools });
      }
    },
  },
];

/** What a visitor has typed, whatever is wrong with it. */
type FilledForm = LinkForm & { readonly email: string };

interface LinkTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** A form of a link's page, and what carries it out: calls under a key of the form's own. */
interface Order extends LinkTools {
  readonly link: CheckoutLink;
  readonly form: FilledForm;
  /** What the visitor's browser ordered before. */
  readonly earlierVisit: string | undefined;
}

/** A session that was ordered. */
interface OrderedSession {
  readonly url: string;
  /** Proves that the browser ordered it. */
  readonly visit: string | undefined;
}

/** The link with what it sells at this moment, which may be nothing (any more). */
async function readLink(request: PageRequest, peers: Peers): Promise<LinkView> {
  const { resourceId: id, context, path, isTest } = request;
  const link = present((await peers.checkoutLink.getCheckoutLink({ id }, context)).checkoutLink);
  return { link, products: await productsOnOffer(link, { peers, context }), path, isTest };
}

function readLinkForm({ form }: PageRequest, { products }: LinkView): FilledForm {
  const email = (form.get('email') ?? '').trim();
  const productId = form.get('productId');
  const given = form.get('nonce') ?? '';
  const isOffered = products.some(({ id }) => id === productId);
  const problems = {
    ...(isOffered ? {} : { productId: ['Required'] }),
    ...(email === '' ? { email: ['Required'] } : {}),
  };
  return {
    // A form without its nonce is another form each time.
    nonce: noncePattern.test(given) ? given : newNonce(),
    email,
    productId,
    problems: Object.keys(problems).length > 0 ? problems : undefined,
  };
}

/**
 * The same form again is the same order; whoever goes back and types something else wants something
 * else.
 */
function keyed(
  context: CallContext,
  link: CheckoutLink,
  { nonce, email, productId }: FilledForm,
): CallContext {
  const text = JSON.stringify([link.id, nonce, email, productId]);
  const requestHash = createHash('sha256').update(text).digest('base64');
  return { ...context, idempotency: { key: `checkout-link:${requestHash}`, requestHash } };
}

/**
 * Where the purchase is paid that the same form has begun before; undefined: it has begun none. An
 * offer may be over for everybody else because of that very purchase, which holds the last
 * redemption; and one that was begun goes on when the offer is taken back.
 */
async function begunPurchase(order: Order): Promise<OrderedSession | undefined> {
  try {
    // Nobody can buy without a customer: this finds what was made under the form's key, and makes
    // nothing.
    return await openSession(order, '');
  } catch (error) {
    if (isOfferOver(error)) return undefined;
    throw error;
  }
}

/**
 * Makes the visitor a customer and a session, and says where it is paid. The offer was seen to
 * stand just now, so that hardly anybody is made a customer for nothing.
 */
async function buy({ products }: LinkView, order: Order): Promise<OrderedSession> {
  const { form, peers, context } = order;
  const wish = {
    email: form.email,
    currency: products.find(({ id }) => id === form.productId)?.price?.currency,
    address: undefined,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
    metadata: undefined,
  };
  const { customer } = await onceFree(() => peers.customer.createCustomer(wish, context));
  return openSession(order, present(customer).id);
}

/** The order's only session. The link gives its discount and its addresses. */
async function openSession(
  { link, form, peers, context, earlierVisit }: Order,
  customerId: string,
): Promise<OrderedSession> {
  const { productId } = form;
  const wish = {
    customerId,
    productId,
    checkoutLinkId: link.id,
    forVisitor: true,
    earlierVisit,
    metadata: undefined,
  };
  const { session, visit } = await onceFree(() => peers.session.createSession(wish, context));
  return { url: present(session).checkoutUrl, visit };
}

/**
 * Sends the visitor on to pay. The browser remembers the session, which ends when it orders
 * something else at the link.
 */
function toSession({ url, visit }: OrderedSession, { link, path }: LinkView): ApiAnswer {
  if (visit === undefined) return redirectAnswer(url);
  return redirectAnswer(url, { 'Set-Cookie': visitorCookie(visit, { path, siteUrl: link.url }) });
}

/** The answer of a call under a key, also where the same one runs already. */
async function onceFree<T>(call: () => Promise<T>): Promise<T> {
  for (let left = repeats.timesMax; ; left -= 1) {
    try {
      return await call();
    } catch (error) {
      const isInUse = error instanceof DomainError && error.reason === 'IDEMPOTENCY_KEY_IN_USE';
      if (!isInUse || left === 0) throw error;
      await sleep(repeats.waitMs);
    }
  }
}

/** A refused e-mail is told beside its field; an offer that has gone meanwhile is over. */
async function refused(
  error: unknown,
  { view, form, tools }: { view: LinkView; form: LinkForm; tools: LinkTools },
): Promise<ApiAnswer> {
  const email = error instanceof DomainError ? error.fields?.email : undefined;
  if (email !== undefined) return show(view, { ...form, problems: { email } }, tools);
  if (isOfferOver(error)) return closed(view);
  throw error;
}

function isOfferOver(error: unknown): boolean {
  return error instanceof DomainError && ['not_found', 'invalid_input'].includes(error.kind);
}

async function show(view: LinkView, form: LinkForm, tools: LinkTools): Promise<ApiAnswer> {
  const rates = view.products.map(({ meterPrices }) => usageRatesOf(meterPrices, tools));
  return pageAnswer(linkPage({ ...view, rates: await Promise.all(rates) }, form));
}

function closed({ isTest }: Pick<LinkView, 'isTest'>): ApiAnswer {
  return pageAnswer(closedLinkPage({ isTest }));
}

function newNonce(): string {
  return randomSecret(nonceBytes).toString('base64url');
}
