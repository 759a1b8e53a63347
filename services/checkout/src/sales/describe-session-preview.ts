import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import {
  claimFor,
  digestToName,
  type InputsToName,
  previewStaleBy,
  refuseStale,
  signedToken,
  type TokenDependencies,
} from '@billing/chassis/preview-promise';
import {
  digestOf,
  type PresentFacts,
  type PreviewClaim,
  type PreviewInput,
} from '@billing/chassis/preview-token';
import { DomainError } from '@billing/kernel/domain-error';
import { QuoteInvoiceResponse } from '@billing/proto/billing/checkout/v1/checkout';
import type { PreviewSessionResponse } from '@billing/proto/billing/checkout/v1/session';
import type { Invoice } from '../invoice/invoice';
import { toProtoQuote } from '../invoice/rpc';
import { fetchCustomer } from '../peer/customer';
import { discountDigest, discountNotValid, quoteRedemption } from '../peer/discount';
import {
  collectionMethodOf,
  describeSession,
  readOffer,
  type SessionDescriptionDependencies,
} from './describe-session';
import { itemsOf } from './purchase';
import type { NewSession, Offer } from './session';
import { type DescribedInput, namedItems, type SessionInput } from './session-input';
import type { SessionPreparer } from './session-preparation-worker';

const validForMs = 15 * 60 * 1000;

export interface SessionPreviewDependencies
  extends SessionDescriptionDependencies, TokenDependencies {
  readonly preparer: Pick<SessionPreparer, 'quoteInvoice'>;
}

/** A session to preview. */
export type PreviewedSession = Pick<
  DescribedInput,
  'customerId' | 'priceId' | 'productId' | 'quantity' | 'items' | 'discountId'
>;

/** A session that is not stored, and its invoice. */
interface QuotedSession {
  /** Its discount is the one that could be redeemed now. */
  readonly session: NewSession;
  readonly invoice: Invoice;
}

/** Computes the invoice of a session that would be created now, and signs it. Stores nothing. */
export async function previewSession(
  asked: PreviewedSession,
  context: CallContext,
  dependencies: SessionPreviewDependencies,
): Promise<PreviewSessionResponse> {
  const { now: at } = context;
  const quoted = await quoteSession(newId(), { ...nothingElse, ...asked }, context, dependencies);
  const { session, invoice } = quoted;
  const validUntil = new Date(at.getTime() + validForMs);
  const claim = { at, validUntil, ...call, request: requestDigest(asked), ...promiseOf(quoted) };
  return {
    ...{ at, validUntil },
    // Without a customer nothing can be bought.
    token:
      asked.customerId === undefined ? undefined : await signedToken(claim, context, dependencies),
    invoice: shownQuote(invoice),
    currency: session.currency,
    chargedAutomatically: session.collectionMethod === 'CHARGE_AUTOMATICALLY',
    items: itemsOf(session).map(({ productId, priceId, quantity }) => {
      return { productId, priceId, quantity };
    }),
    recurring: session.subscriptionId !== undefined,
  };
}

/** Describes the session that a token has promised, or refuses the token. */
export async function describePromised(
  id: string,
  { token, input }: { readonly token: string; readonly input: SessionInput },
  context: CallContext,
  dependencies: SessionPreviewDependencies,
): Promise<NewSession> {
  const request = requestDigest(input);
  const claim = await claimFor(token, { request, ...call }, context, dependencies);
  try {
    const quoted = await quoteSession(id, input, context, dependencies);
    const present: PresentFacts = {
      now: context.now.getTime(),
      ...promiseOf(quoted),
      // The invoice of a session takes nothing from the balance.
      isBalanceLeft: true,
      others: 'tax',
    };
    refuseStale(claim, present);
    const { session } = quoted;
    const { discount } = session.snapshots;
    if (session.discountId === undefined) return session;
    // The reservation decides about the discount, and is held to these terms.
    const snapshots = { ...session.snapshots, discount: undefined };
    return { ...session, snapshots, promisedDiscount: discountDigest(discount) };
  } catch (error) {
    const stale = staleInputOf(error);
    if (stale === undefined) throw error;
    const inputs = await inputsToName(id, input, context, dependencies);
    throw previewStaleBy(stale, claim, inputs, context);
  }
}

/** Digests of the facts of a session that is refused before all of them are compared. */
async function inputsToName(
  id: string,
  input: SessionInput,
  context: CallContext,
  { peers }: SessionPreviewDependencies,
): Promise<InputsToName> {
  const { customerId, discountId } = input;
  const sold = readOffer(input, context, peers);
  const [price, customer, offer] = await Promise.all([
    digestToName(sold, (found) => digestOf(termsOfItems(found))),
    digestToName(fetchCustomer(peers, customerId, context), (found) =>
      customerDigest(collectionMethodOf(found)),
    ),
    sold.catch(() => undefined),
  ]);
  // A discount is for products.
  if (discountId === undefined || offer === undefined) return { price, customer };
  const quoted = quoteRedemption(peers, { ...offer, id, discountId }, context);
  return { price, customer, discount: await digestToName(quoted, discountDigest) };
}

const call = { call: 'CHECKOUT' } as const;

const nothingElse = {
  ...{ allowsCodes: undefined, checkoutLinkId: undefined, earlierSessionId: undefined },
  ...{ successUrl: undefined, cancelUrl: undefined, locale: undefined },
  ...{ isForVisitor: false, metadata: {} },
};

async function quoteSession(
  id: string,
  input: DescribedInput,
  context: CallContext,
  dependencies: SessionPreviewDependencies,
): Promise<QuotedSession> {
  const described = await describeSession(id, input, context, dependencies);
  const { discountId, isDiscountOptional, snapshots } = described;
  const discount =
    discountId === undefined
      ? undefined
      : await quoteRedemption(dependencies.peers, described, context);
  const isRefused = discountId !== undefined && discount === undefined && !isDiscountOptional;
  if (isRefused) throw discountNotValid();
  const session = { ...described, snapshots: { ...snapshots, discount } };
  return { session, invoice: await dependencies.preparer.quoteInvoice(session, context) };
}

function requestDigest(asked: PreviewedSession): string {
  const { customerId, discountId } = asked;
  const bought = namedItems(asked).map((item) => [
    item.productId ?? null,
    item.priceId ?? null,
    item.quantity ?? 1,
  ]);
  return digestOf(['PURCHASE', 'CHECKOUT', customerId ?? null, bought, discountId ?? null]);
}

/** The lines have no ids before the invoice is stored. */
function shownQuote(invoice: Invoice): QuoteInvoiceResponse {
  const quote = toProtoQuote(invoice, 0n);
  const lineItems = quote.lineItems.map((line) => ({ ...line, id: '', invoiceId: '' }));
  return { ...quote, lineItems };
}

/** The result of a session, and digests of the facts that it follows from. */
function promiseOf({
  session,
  invoice,
}: QuotedSession): Pick<PreviewClaim, 'promised' | 'balanceApplied' | 'inputs'> {
  const { collectionMethod, trialDays, snapshots } = session;
  const shown = shownQuote(invoice);
  const items = termsOfItems(session);
  const discount = discountDigest(snapshots.discount);
  const terms = [collectionMethod, trialDays, items, discount];
  return {
    promised: digestOf([terms, QuoteInvoiceResponse.toJSON(shown)]),
    balanceApplied: '0',
    inputs: {
      ...{ subscription: '', invoice: '', discount, price: digestOf(items) },
      customer: customerDigest(collectionMethod),
      tax: digestOf(shown.taxes.map(({ reason, name, percent }) => [reason, name, percent])),
    },
  };
}

function termsOfItems({ otherItems = [], ...main }: Offer): (string | null)[][] {
  return [main, ...otherItems].map(({ priceId, productName, taxCategory }) => [
    ...[priceId, productName],
    taxCategory ?? null,
  ]);
}

// A session has the currency of its price; another one of the customer refuses it.
function customerDigest(collectionMethod: NewSession['collectionMethod']): string {
  return digestOf([collectionMethod]);
}

/** With a token, a refusal for the state of a fact is that of a stale preview. */
function staleInputOf(error: unknown): PreviewInput | undefined {
  if (!(error instanceof DomainError)) return undefined;
  const { reason, fields = {} } = error;
  if (reason === 'CUSTOMER_NOT_FOUND') return 'customer';
  if (reason === 'PRODUCT_NOT_FOUND') return 'price';
  if (fields.discountId !== undefined) return 'discount';
  const ofItems = [fields.productId, fields.priceId, fields.items, fields.quantity];
  const problems = ofItems.flatMap((found) => found ?? []);
  if (problems.some((problem) => problem.startsWith('Currency '))) return 'customer';
  return problems.length > 0 ? 'price' : undefined;
}
