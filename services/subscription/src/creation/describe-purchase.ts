import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import {
  PreviewInvoice,
  type PreviewPurchaseResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import { readNextInvoice } from '../change/describe-next-invoice';
import { digestOf, type PresentFacts, type PreviewClaim } from '@billing/chassis/preview-token';
import {
  claimFor,
  digestToName,
  type InputsToName,
  previewStale,
  previewStaleBy,
  refuseStale,
  signedToken,
  type TokenDependencies,
} from '@billing/chassis/preview-promise';
import { isBalanceLeft, type StaleInput, staleInputOf, validUntilOf } from '../change/sign-preview';
import { fetchCustomer } from '../peer/customer';
import type { Peers } from '../peer/peers';
import { monthlyAmountOf } from '../subscription/change-side';
import type { DiscountSnapshot } from '../subscription/subscription';
import { hasMeters } from '../usage/usage-period';
import { fetchItems, fetchOffer, type PurchaseFacts } from './find-offer';
import { boughtText, type CheckedInput, checkInput, type SubscriptionInput } from './input';
import {
  categoriesOf,
  checkTaxedTotal,
  type Purchase,
  quoteDiscount,
  quotePurchase,
  withoutItems,
} from './read-purchase';

export type PurchasePreviewDependencies = TokenDependencies & { readonly peers: Peers };

/** A purchase to preview. */
type PreviewedPurchase = Pick<
  SubscriptionInput,
  'productId' | 'priceId' | 'startAt' | 'quantity' | 'discountId' | 'items'
> & {
  /** Null: any. */
  readonly customerId: string | null;
};

/** Promise of a preview. */
export interface PromisedPurchase {
  readonly at: Date;
  /** Amount that the customer's balance pays. */
  readonly balanceApplied: bigint;
  /** Throws `preview_stale` if the creation has another result. */
  readonly check: (
    input: CheckedInput,
    creation: { readonly id: string; readonly offer: PurchaseFacts },
  ) => Promise<void>;
  /** Throws `preview_stale` if the redeemed discount has other terms. */
  readonly checkDiscount: (discount: DiscountSnapshot) => void;
  /** `preview_stale` for the state of a fact that has refused the creation before that. */
  readonly refusedBy: (name: StaleInput, input: CheckedInput) => Promise<DomainError>;
}

/** Computes what a creation would bill now, and signs it. Nothing is stored. */
export async function previewPurchase(
  asked: PreviewedPurchase,
  context: CallContext,
  dependencies: PurchasePreviewDependencies,
): Promise<PreviewPurchaseResponse> {
  const { peers } = dependencies;
  const { now: at } = context;
  const named = { ...asked, metadata: {}, authorizedTransactionId: null };
  const checked = checkInput(
    { ...named, customerId: asked.customerId ?? '' },
    { now: at, metadataProblems: [] },
  );
  const wanted = { ...checked, customerId: asked.customerId };
  const offer = await fetchOffer(wanted, context, peers);
  await checkTaxedTotal(wanted, { offer, at }, context, peers);
  const purchase = await quotePurchase(wanted, { id: newId(), offer, at }, context, peers);
  const { state, invoice } = purchase;
  const { startAt, phase } = state;
  const until = validUntilOf(at, state);
  const validUntil = phase === 'SCHEDULED' && startAt < until ? startAt : until;
  const isCharged = state.collectionMethod === 'CHARGE_AUTOMATICALLY';
  const productIds = state.items.map(({ productId }) => productId);
  const facts = {
    ...{ buyer: offer.customer.buyer, taxes: { productIds, ...categoriesOf(offer) } },
    // Nothing is used yet.
    usageOf: () => Promise.resolve(hasMeters(state) ? [] : undefined),
  };
  const { nextInvoice, nextInvoiceEstimated } = await readNextInvoice(state, facts, context, peers);
  const claim = {
    ...{ at, validUntil },
    request: requestDigest(asked),
    promised: promisedDigest(purchase, invoice?.balanceApplied ?? 0n),
    balanceApplied: (invoice?.balanceApplied ?? 0n).toString(),
    inputs: inputDigests(offer, purchase),
  };
  return {
    ...{ at, validUntil, invoice, nextInvoiceEstimated },
    // Without a customer nothing can be bought.
    token: asked.customerId === null ? undefined : await signedToken(claim, context, dependencies),
    effectiveAt: startAt > at ? startAt : at,
    dueNow: isCharged ? (invoice?.amountDue ?? 0n) : 0n,
    nextInvoice: nextInvoice && withoutItems(nextInvoice),
    monthlyAmountAfter: monthlyAmountOf(state, state.items),
  };
}

/**
 * Reads the promise of a token. Refuses one that was not signed for this environment, or for
 * another request.
 */
export async function promiseOfPurchase(
  token: string,
  input: SubscriptionInput,
  context: CallContext,
  { peers, keys }: PurchasePreviewDependencies,
): Promise<PromisedPurchase> {
  const claim = await claimFor(token, { request: requestDigest(input) }, context, { keys });
  const shown = BigInt(claim.balanceApplied);
  const at = new Date(claim.at);
  return {
    at,
    balanceApplied: shown,
    check: async (checked, { id, offer }) => {
      const isBalanceReserved = input.authorizedTransactionId === null;
      const creation = { id, offer, at, isBalanceReserved };
      const purchase = await quotePurchase(checked, creation, context, peers);
      const present: PresentFacts = {
        now: context.now.getTime(),
        promised: promisedDigest(purchase, shown),
        inputs: inputDigests(offer, purchase),
        isBalanceLeft: isBalanceLeft(purchase.invoice, shown),
        others: 'tax',
      };
      refuseStale(claim, present);
    },
    checkDiscount: (discount) => {
      if (digestOf(discount) !== claim.inputs.discount) throw previewStale(['discount']);
    },
    refusedBy: async (name, checked) => {
      const inputs = await inputsToName(checked, context, peers);
      return previewStaleBy(name, claim, inputs, context);
    },
  };
}

/** With a token, a refusal for the state of a fact is that of a stale preview. */
export async function asStalePurchase(
  error: unknown,
  input: CheckedInput,
  { refusedBy }: Pick<PromisedPurchase, 'refusedBy'>,
): Promise<unknown> {
  // The id is taken from now on: a retry uses another one.
  if (error instanceof DomainError && error.reason === 'RESERVATION_RELEASED') {
    return new DomainError('unavailable', 'RESERVATION_RELEASED', 'Service unavailable');
  }
  const stale = staleInputOfPurchase(error);
  return stale === undefined ? error : await refusedBy(stale, input);
}

function staleInputOfPurchase(error: unknown): StaleInput | undefined {
  if (!(error instanceof DomainError)) return undefined;
  if (error.reason === 'CUSTOMER_NOT_FOUND') return 'customer';
  if (error.reason === 'PREVIEW_STALE' || error.kind === 'unavailable') return undefined;
  const { fields } = error;
  const isCurrency = /^Currency /;
  const named = [fields?.productId, fields?.priceId, fields?.items];
  const ofItems = named.flatMap((problems) => problems ?? []);
  if (ofItems.some((problem) => isCurrency.test(problem))) return 'customer';
  if (ofItems.length > 0 || fields?.quantity !== undefined) return 'price';
  return staleInputOf(error);
}

function requestDigest(asked: PreviewedPurchase): string {
  const { customerId, startAt, discountId } = asked;
  const bought = boughtText(asked);
  return digestOf(['PURCHASE', 'SUBSCRIPTION', customerId, bought, startAt, discountId]);
}

// What is bought is promised also where nothing is billed at once.
function promisedDigest({ state, discount, invoice }: Purchase, balance: bigint): string {
  const { startAt, trialEnd, collectionMethod, items } = state;
  const bought = items.map(({ productId, price, quantity }) => [productId, price.id, quantity]);
  const terms = [startAt, trialEnd, collectionMethod, bought, discount];
  if (invoice === undefined) return digestOf(terms);
  const promised = { ...invoice, balanceApplied: balance, amountDue: invoice.total - balance };
  return digestOf([terms, PreviewInvoice.toJSON(promised)]);
}

function inputDigests(
  offer: PurchaseFacts,
  { discount, invoice }: Purchase,
): PreviewClaim['inputs'] {
  return {
    subscription: '',
    price: priceDigest(offer),
    discount: discount === null ? '' : digestOf(discount),
    customer: customerDigest(offer.customer),
    invoice: '',
    tax: digestOf(
      (invoice?.taxes ?? []).map(({ reason, name, percent }) => [reason, name, percent]),
    ),
  };
}

function priceDigest(offer: Parameters<typeof categoriesOf>[0] & SoldItems): string {
  const items = [offer, ...offer.otherItems];
  return digestOf([
    categoriesOf(offer),
    items.map(({ price, productName }) => [price.id, productName]),
  ]);
}

type SoldItem = Pick<PurchaseFacts, 'price' | 'productName'>;
type SoldItems = SoldItem & { readonly otherItems: readonly SoldItem[] };

function customerDigest({ collectionMethod, currency }: PurchaseFacts['customer']): string {
  return digestOf([collectionMethod, currency]);
}

/** Digests of the facts of a creation that is refused before all of them are compared. */
async function inputsToName(
  input: CheckedInput,
  context: CallContext,
  peers: Peers,
): Promise<InputsToName> {
  const { customerId, discountId } = input;
  const bought = fetchItems(input, context, peers);
  const [customer, price, offer] = await Promise.all([
    digestToName(fetchCustomer(peers.customers, customerId, context), customerDigest),
    digestToName(bought, priceDigest),
    bought.catch(() => undefined),
  ]);
  // A discount is for products.
  if (discountId === null || offer === undefined) return { customer, price };
  const quoted = quoteDiscount(newId(), { ...offer, discountId }, context, peers);
  return { customer, price, discount: await digestToName(quoted, digestOf) };
}
