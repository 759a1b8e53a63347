import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { listedTaxNote } from '@billing/documents/tax-text';
import { DomainError } from '@billing/kernel/domain-error';
import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { CollectionMethod, TaxExempt } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../../peer/peers';
import { type ApiAnswer, present } from '../../http/answer';
import { withAddressProblems } from '../frame/address-fields';
import type { FormProblems } from '../frame/form-fields';
import { closedLinkPage, linkPage, type LinkView } from './page';
import { productsOnOffer } from './offer';
import {
  customerOf,
  emptyOrderForm,
  keyedByForm,
  orderedQuantity,
  type OrderForm,
  orderProblems,
  quantityProblems,
  readOrderForm,
} from './order-form';
import type { PageRequest, PageRoute } from '../frame/route';
import { pageAnswer, redirectAnswer } from '../frame/shell';
import { usageRatesOf } from '../terms/usage-rates';
import { readVisitor, visitorCookie } from './visitor-cookie';

const kind = HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_LINK;
/** Path of the step that shows prices. */
export const linkPricesPath = '/link/:token/prices';
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
      return show(view, emptyOrderForm(), { peers, context: request.context });
    },
  },
  {
    // Shows the prices of the typed quantity. Orders nothing.
    method: 'POST',
    path: linkPricesPath,
    kind,
    handle: async (request, peers) => {
      const view = await readLink(request, peers);
      if (view.products.length === 0) return closed(request);
      const form = readOrderForm(request.form, view);
      const tools = { peers, context: request.context };
      return show(view, form, tools, quantityProblems(view, form));
    },
  },
  { method: 'POST', path: '/link/:token', kind, handle: takeOrder },
];

async function takeOrder(request: PageRequest, peers: Peers): Promise<ApiAnswer> {
  const view = await readLink(request, peers);
  const { link } = view;
  const form = readOrderForm(request.form, view);
  const problems = orderProblems(view, form);
  const tools = { peers, context: request.context };
  const order = {
    link,
    form,
    peers,
    context: keyedByForm(request.context, link, form),
    earlierVisit: readVisitor(request.cookies),
    locale: await request.readerLocale(),
  };
  // The offer may have changed since the same form ordered.
  if (problems.productId !== undefined || problems.quantity !== undefined) {
    const begun = await earlierPurchase(order);
    if (begun !== undefined) return toSession(begun, view);
  }
  if (view.products.length === 0) return closed(request);
  if (Object.keys(problems).length > 0) return show(view, form, tools, problems);
  try {
    return toSession(await buy(view, order), view);
  } catch (error) {
    return refused(error, { view, form, tools });
  }
}

interface LinkTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** A submitted form with the idempotent calls that execute it. */
interface Order extends LinkTools {
  readonly link: CheckoutLink;
  readonly form: OrderForm;
  /** Earlier order of the browser. */
  readonly earlierVisit: string | undefined;
  /** Locale of the page, which the new customer gets. */
  readonly locale: string;
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
  const [{ checkoutLink }, { seller }] = await Promise.all([
    peers.checkoutLink.getCheckoutLink({ id }, context),
    peers.seller.getSeller({}, context),
  ]);
  const link = present(checkoutLink);
  const products = await productsOnOffer(link, { peers, context });
  return { link, products, taxNote: listedTaxNote(present(seller)), path, isTest };
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
async function buy(view: LinkView, order: Order): Promise<OrderedSession> {
  const { form, locale, peers, context } = order;
  const input = {
    ...customerOf(form, view),
    locale,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
    taxIds: [],
    taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
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
  const quantity = orderedQuantity(link, form);
  const input = {
    customerId,
    productId,
    // Absent if it is no number, which no session has.
    quantity: Number.isNaN(quantity) ? undefined : quantity,
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

/** Shows refused input at its fields, and an offer that has just ended as ended. */
async function refused(
  error: unknown,
  { view, form, tools }: { view: LinkView; form: OrderForm; tools: LinkTools },
): Promise<ApiAnswer> {
  const found = error instanceof DomainError ? withAddressProblems(error.fields ?? {}) : {};
  const typed = Object.entries(found).filter(([name]) => name in form.typed);
  if (typed.length > 0) return show(view, form, tools, Object.fromEntries(typed));
  if (isOfferOver(error)) return closed(view);
  throw error;
}

function isOfferOver(error: unknown): boolean {
  return error instanceof DomainError && ['not_found', 'invalid_input'].includes(error.kind);
}

async function show(
  view: LinkView,
  form: OrderForm,
  tools: LinkTools,
  problems?: FormProblems,
): Promise<ApiAnswer> {
  const rates = view.products.map(({ meterPrices }) => usageRatesOf(meterPrices, tools));
  return pageAnswer(linkPage({ ...view, rates: await Promise.all(rates) }, form, problems));
}

function closed({ isTest }: Pick<LinkView, 'isTest'>): ApiAnswer {
  return pageAnswer(closedLinkPage({ isTest }));
}
