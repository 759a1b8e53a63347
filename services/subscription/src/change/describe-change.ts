import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import type { CreateInvoiceRequest } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type PreviewChangeResponse,
  PreviewInvoice,
} from '@billing/proto/billing/subscription/v1/change_service';
import { type ChangeRequest, checkRequest, resolveAt } from '../lifecycle/apply-change';
import { type ChangePlan, planChange } from '../lifecycle/plan-change';
import { toProtoChangeInvoice, toProtoNewInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { itemsAfter, monthlyAmountOf } from '../subscription/change-side';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { takeDiscount } from '../subscription/discount';
import { periodLine } from '../subscription/recurring-charge';
import {
  currentPeriod,
  nextInvoiceAt,
  periodOf,
  type Subscription,
} from '../subscription/subscription';
import { pinnedSet } from '../usage/usage-period';
import type { ChangeInput } from './read-wanted-change';
import {
  claimOf,
  digestOf,
  type PresentFacts,
  type PreviewClaim,
  staleNames,
  tokenOf,
} from './preview-token';
import type { PreviewKeys } from './preview-key-store';
import { type ChangeDependencies, previewStale, type Promised, requestFor } from './create-change';
import { subscriptionDigest } from './subscription-digest';

const validForMs = 15 * 60 * 1000;

export interface PreviewDependencies extends ChangeDependencies {
  readonly keys: Pick<PreviewKeys, 'secret'>;
}

/** What a change would do at an instant. */
interface Preview {
  readonly effectiveAt: Date;
  readonly plan: Pick<ChangePlan, 'monthlyAmountBefore' | 'monthlyAmountAfter'>;
  /** Undefined: nothing is charged at once. */
  readonly invoice: PreviewInvoice | undefined;
  readonly dueNow: bigint;
}

/** Computes what a change would do now, and signs it. Nothing is stored. */
export async function previewChange(
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: ChangeInput },
  context: CallContext,
  dependencies: PreviewDependencies,
): Promise<PreviewChangeResponse> {
  const { subscriptions, peers, keys } = dependencies;
  const stored = await subscriptions.get(subscriptionId, context);
  const customer = await peers.customers.find(stored.state.customer.id, context);
  const asked = { stored, customer, input };
  const request = await requestFor(newId(), asked, context, dependencies);
  const current = { ...stored, state: withCustomer(stored.state, customer) };
  checkRequest(current.state, request);
  const at = context.now;
  const preview = await computed(current.state, { ...request, instant: at }, context, peers);
  const { end } = currentPeriod(current.state);
  const validUntil = new Date(Math.min(at.getTime() + validForMs, end.getTime()));
  const claim: PreviewClaim = {
    at: at.getTime(),
    validUntil: validUntil.getTime(),
    request: requestDigest(subscriptionId, input),
    promised: promisedDigest(preview, preview.invoice?.balanceApplied ?? 0n),
    balanceApplied: (preview.invoice?.balanceApplied ?? 0n).toString(),
    inputs: inputDigests(current.state, { request, customer, preview }),
  };
  const seal = { secret: await keys.secret(), environmentId: context.tenant.environmentId };
  const { plan, ...shown } = preview;
  return {
    at,
    validUntil,
    token: tokenOf(claim, seal),
    ...shown,
    ...plan,
    ...(await nextInvoice(current.state, request, context, peers)),
  };
}

/**
 * Reads the promise of a token. Refuses one that was not signed for this environment, or for
 * another request.
 */
export async function promiseOf(
  token: string,
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: ChangeInput },
  context: CallContext,
  { peers, keys }: PreviewDependencies,
): Promise<Promised> {
  const seal = { secret: await keys.secret(), environmentId: context.tenant.environmentId };
  const claim = claimOf(token, seal);
  if (claim === undefined) throw invalidInput({ previewToken: ['Preview token is not valid'] });
  if (claim.request !== requestDigest(subscriptionId, input)) {
    throw invalidInput({ previewToken: ['Preview is for another request'] });
  }
  const shown = BigInt(claim.balanceApplied);
  return {
    at: new Date(claim.at),
    balanceApplied: shown,
    check: async (request, { state }, customer) => {
      const current = withCustomer(state, customer);
      const preview = await computed(current, request, context, peers);
      const present: PresentFacts = {
        now: context.now.getTime(),
        promised: promisedDigest(preview, shown),
        inputs: inputDigests(current, { request, customer, preview }),
        isBalanceLeft: (preview.invoice?.balanceApplied ?? 0n) >= shown,
      };
      const names = staleNames(claim, present);
      if (names.length > 0) throw previewStale(names);
    },
  };
}

async function computed(
  subscription: Subscription,
  request: ChangeRequest,
  context: CallContext,
  peers: Peers,
): Promise<Preview> {
  const { phase, items } = subscription;
  const instant = request.instant ?? context.now;
  if (resolveAt(subscription, request) === 'PERIOD_END') {
    const plan = {
      monthlyAmountBefore: monthlyAmountOf({ phase }, items),
      monthlyAmountAfter: monthlyAmountOf({ phase }, itemsAfter(subscription, request.wanted)),
    };
    const { end } = currentPeriod(subscription);
    return { effectiveAt: end, plan, invoice: undefined, dueNow: 0n };
  }
  const { invoice: planned, ...plan } = planChange(subscription, { ...request, at: instant });
  if (planned === null) return { effectiveAt: instant, plan, invoice: undefined, dueNow: 0n };
  const wanted = { ...toProtoChangeInvoice(subscription, planned), balanceRound: undefined };
  const invoice = await quoted(wanted, context, peers);
  const isCharged = subscription.collectionMethod === 'CHARGE_AUTOMATICALLY';
  return { effectiveAt: instant, plan, invoice, dueNow: isCharged ? invoice.amountDue : 0n };
}

async function nextInvoice(
  subscription: Subscription,
  { wanted, taxFacts }: ChangeRequest,
  context: CallContext,
  peers: Peers,
): Promise<Pick<PreviewChangeResponse, 'nextInvoice' | 'nextInvoiceEstimated'>> {
  if (nextInvoiceAt(subscription) === null) {
    return { nextInvoice: undefined, nextInvoiceEstimated: false };
  }
  const after = { ...subscription, items: itemsAfter(subscription, wanted) };
  const periodIndex = after.periodIndex === null ? 0 : after.periodIndex + 1;
  const { isDiscounted } = takeDiscount(after, periodIndex);
  const request = toProtoNewInvoice(after, {
    invoiceId: newId(),
    reason: 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: null,
    isDiscounted,
    period: periodOf(after, periodIndex),
    recurring: periodLine(after, periodIndex),
    usage: [],
    buyer: taxFacts.buyer ?? undefined,
    taxCategory: taxFacts.taxCategory ?? undefined,
  });
  const invoice = await quoted(request, context, peers);
  const set = after.periodIndex === null ? undefined : pinnedSet(after, after.periodIndex);
  return { nextInvoice: invoice, nextInvoiceEstimated: set !== undefined && set > 0 };
}

function requestDigest(subscriptionId: string, input: ChangeInput): string {
  const { productId, priceId, quantity, at, requirePayment } = input;
  return digestOf([subscriptionId, productId, priceId, quantity, at, requirePayment]);
}

// What is left to pay follows from the total and the balance that was shown.
function promisedDigest({ effectiveAt, plan: _plan, invoice }: Preview, balance: bigint): string {
  if (invoice === undefined) return digestOf([effectiveAt]);
  const promised = { ...invoice, balanceApplied: balance, amountDue: invoice.total - balance };
  return digestOf([effectiveAt, PreviewInvoice.toJSON(promised)]);
}

async function quoted(
  request: CreateInvoiceRequest,
  context: CallContext,
  { checkout }: Peers,
): Promise<PreviewInvoice> {
  const quote = await checkout.quoteInvoice({ invoice: request }, context);
  const { billingReason, currency, periodStart, periodEnd } = request;
  return {
    ...quote,
    ...{ billingReason, currency, periodStart, periodEnd },
    amountDue: quote.total - quote.balanceApplied,
    // Their ids follow from that of the invoice, which a preview does not have.
    lineItems: quote.lineItems.map((line) => ({ ...line, id: '', invoiceId: '' })),
  };
}

function inputDigests(
  subscription: Subscription,
  {
    request,
    customer,
    preview,
  }: {
    readonly request: ChangeRequest;
    readonly customer: CustomerFacts | undefined;
    readonly preview: Preview;
  },
): PreviewClaim['inputs'] {
  return {
    subscription: subscriptionDigest(subscription),
    price: digestOf(request.wanted.product),
    discount: digestOf(subscription.discount),
    customer: digestOf([customer?.collectionMethod, customer?.currency]),
    invoice: digestOf(request.facts),
    tax: digestOf(
      (preview.invoice?.taxes ?? []).map(({ reason, name, percent }) => [reason, name, percent]),
    ),
  };
}
