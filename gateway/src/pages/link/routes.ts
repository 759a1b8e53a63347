import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../../peers';
import { type ApiAnswer, present } from '../../http/answer';
import { closedLinkPage, type LinkForm, linkPage, type LinkView } from './page';
import { productsOnOffer } from './offer';
import type { PageRequest, PageRoute } from '../frame/route';
import { pageAnswer, redirectAnswer } from '../frame/shell';
import { usageRatesOf } from '../terms/usage-rates';
import { readVisitor, visitorCookie } from './visitor-cookie';

const kind = HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK;
const nonceBytes = 16;
const noncePattern = /^[\w-]{22}$/;
// Time to wait for the response of the same form in flight, well within the deadline.
const repeats = { waitMs: 250, timesMax: 20 };

/** Routes of the public page of a checkout link. */
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
        const begun = await earlierPurchase(order);
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

/** Input of a visitor, not yet validated. */
type FilledForm = LinkForm & { readonly email: string };

interface LinkTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** A submitted form with the idempotent calls that execute it. */
interface Order extends LinkTools {
  readonly link: CheckoutLink;
  readonly form: FilledForm;
  /** Earlier order of the browser. */
  readonly earlierVisit: string | undefined;
}

/** An ordered session. */
interface OrderedSession {
  readonly url: string;
  /** Secret that proves the order of the browser. */
  readonly visit: string | undefined;
}

/** The link with the products that can currently be bought, possibly none. */
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
    // A form without a nonce counts as a new form each time.
    nonce: noncePattern.test(given) ? given : newNonce(),
    email,
    productId,
    problems: Object.keys(problems).length > 0 ? problems : undefined,
  };
}

/**
 * Calls with an idempotency key of the form: a resubmitted form is the same order, a changed form
 * is a new one.
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
 * URL of the session that the same form created before, if any. The session remains valid even if
 * it holds the last redemption or the link was deactivated since.
 */
async function earlierPurchase(order: Order): Promise<OrderedSession | undefined> {
  try {
    // Finds the customer created under the form's key without creating one. Without a customer
    // there is no session.
    return await openSession(order, '');
  } catch (error) {
    if (isOfferOver(error)) return undefined;
    throw error;
  }
}

/**
 * Creates a customer and a session, and returns the URL of the session. The offer was checked just
 * before, so that customers without a session are rare.
 */
async function buy({ products }: LinkView, order: Order): Promise<OrderedSession> {
  const { form, peers, context } = order;
  const input = {
    email: form.email,
    currency: products.find(({ id }) => id === form.productId)?.price?.currency,
    address: undefined,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
    metadata: undefined,
  };
  const { customer } = await onceFree(() => peers.customer.createCustomer(input, context));
  return openSession(order, present(customer).id);
}

/** Creates the only session of the order, with the discount and URLs of the link. */
async function openSession(
  { link, form, peers, context, earlierVisit }: Order,
  customerId: string,
): Promise<OrderedSession> {
  const { productId } = form;
  const input = {
    customerId,
    productId,
    checkoutLinkId: link.id,
    forVisitor: true,
    earlierVisit,
    metadata: undefined,
  };
  const { session, visit } = await onceFree(() => peers.session.createSession(input, context));
  return { url: present(session).checkoutUrl, visit };
}

/**
 * Redirects the visitor to the payment page. A cookie stores the session, which is replaced by the
 * next order of the browser at the link.
 */
function toSession({ url, visit }: OrderedSession, { link, path }: LinkView): ApiAnswer {
  if (visit === undefined) return redirectAnswer(url);
  return redirectAnswer(url, { 'Set-Cookie': visitorCookie(visit, { path, siteUrl: link.url }) });
}

/** Response of a call with an idempotency key, waiting for the same call in flight. */
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

/** Shows a refused e-mail address at its field, and an offer that has just ended as ended. */
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
