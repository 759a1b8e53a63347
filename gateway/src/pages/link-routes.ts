import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import { sleep } from '@billing/chassis/clock';
import { randomSecret } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { closedLinkPage, type LinkForm, linkPage, type LinkView } from './link-page';
import { productsOnOffer } from './link-offer';
import type { PageRequest, PageRoute } from './page-route';
import { pageAnswer, redirectAnswer } from './shell';

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
      return view === undefined ? closed(request) : show(view, { nonce: newNonce() });
    },
  },
  {
    method: 'POST',
    path: '/link/:token',
    kind,
    handle: async (request, peers) => {
      const view = await readLink(request, peers);
      if (view === undefined) return closed(request);
      const form = readLinkForm(request, view);
      if (form.problems !== undefined) return show(view, form);
      try {
        return redirectAnswer(await buy(view, form, { peers, context: request.context }));
      } catch (error) {
        return refused(error, { request, view, form });
      }
    },
  },
];

/** The link with what it sells; undefined where it sells nothing (any more). Whoever buys is asked anew: nobody is made a customer for nothing. */
async function readLink(request: PageRequest, peers: Peers): Promise<LinkView | undefined> {
  const { resourceId: id, context, path, isTest } = request;
  const link = present((await peers.checkoutLink.getCheckoutLink({ id }, context)).checkoutLink);
  const products = await productsOnOffer(link, { peers, context });
  return products.length === 0 ? undefined : { link, products, path, isTest };
}

function readLinkForm({ form }: PageRequest, { products }: LinkView): LinkForm & { email: string } {
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

/** Makes the visitor a customer and a session, and says where it is paid. The same form again leads to the same session. */
async function buy(
  { link, products }: LinkView,
  { nonce, email, productId }: LinkForm & { email: string },
  { peers, context }: { peers: Peers; context: CallContext },
): Promise<string> {
  // Whoever goes back and types something else wants something else.
  const text = JSON.stringify([link.id, nonce, email, productId]);
  const requestHash = createHash('sha256').update(text).digest('base64');
  const keyed = { ...context, idempotency: { key: `checkout-link:${requestHash}`, requestHash } };
  const wish = {
    email,
    currency: products.find(({ id }) => id === productId)?.price?.currency,
    address: undefined,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
    metadata: undefined,
  };
  const { customer } = await onceFree(() => peers.customer.createCustomer(wish, keyed));
  const customerId = present(customer).id;
  // The link gives its discount and its addresses.
  const { session } = await onceFree(() =>
    peers.session.createSession(
      { customerId, productId, checkoutLinkId: link.id, metadata: undefined },
      keyed,
    ),
  );
  return present(session).checkoutUrl;
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
function refused(
  error: unknown,
  { request, view, form }: { request: PageRequest; view: LinkView; form: LinkForm },
): ApiAnswer {
  if (!(error instanceof DomainError)) throw error;
  const email = error.fields?.email;
  if (email !== undefined) return show(view, { ...form, problems: { email } });
  if (error.kind === 'not_found' || error.kind === 'invalid_input') return closed(request);
  throw error;
}

function show(view: LinkView, form: LinkForm): ApiAnswer {
  return pageAnswer(linkPage(view, form));
}

function closed({ isTest }: PageRequest): ApiAnswer {
  return pageAnswer(closedLinkPage({ isTest }));
}

function newNonce(): string {
  return randomSecret(nonceBytes).toString('base64url');
}
