import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import {
  type PreviewChangeResponse,
  PreviewInvoice,
} from '@billing/proto/billing/subscription/v1/change_service';
import { requestChange } from '../lifecycle/apply-change';
import { type ChangeRequest, checkRequest, resolveAt } from '../lifecycle/check-change';
import { planChange } from '../lifecycle/plan-change';
import { quoteUsage } from '../peer/metering';
import type { Peers } from '../peer/peers';
import { expectedAt, planAtRenewal } from '../subscription/change-at-renewal';
import { itemsAfter } from '../subscription/change-side';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import type { Subscription } from '../subscription/subscription';
import type { ChangePlan } from '../subscription/subscription-change';
import { orderedCycleEnd } from '../usage/cycle-end-bill';
import type { Settlement } from '../usage/settlement';
import type { ChangeInput } from './read-wanted-change';
import { type ChangeDependencies, type Promised, requestFor } from './create-change';
import {
  claimFor,
  previewStaleBy,
  refuseStale,
  signedToken,
  type TokenDependencies,
} from '@billing/chassis/preview-promise';
import {
  checkNothingDue,
  invoiceDigest,
  isBalanceLeft,
  madeForDigest,
  presentMadeFor,
  promisedNotes,
  validUntilOf,
  subscriptionDigest,
} from './sign-preview';
import { digestOf, type PresentFacts, type PreviewClaim } from '@billing/chassis/preview-token';
import { type EndInvoice, noEndInvoice, readCycleEndInvoice } from './describe-end-invoice';
import { type NextInvoice, readNextInvoice } from './describe-next-invoice';
import { checkBills, nothingBilled, readPlanQuote, toProtoPreviewNote } from './read-quote';
import { decisionTime } from './reserve-and-store';

export type PreviewDependencies = ChangeDependencies & TokenDependencies;

/** Effects that a change would have at an instant. */
interface Preview {
  readonly effectiveAt: Date;
  readonly plan: Pick<ChangePlan, 'monthlyAmountBefore' | 'monthlyAmountAfter'>;
  /** Undefined: nothing is charged at once. */
  readonly invoice: PreviewInvoice | undefined;
  readonly linesPutOff: LineItem[];
  readonly creditNotes: ChangePlan['creditNotes'];
  readonly dueNow: bigint;
}

/** Computes what a change would do now, and signs it. Nothing is stored. */
export async function previewChange(
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: ChangeInput },
  call: CallContext,
  dependencies: PreviewDependencies,
): Promise<PreviewChangeResponse> {
  const { subscriptions, peers } = dependencies;
  const stored = await subscriptions.get(subscriptionId, call);
  const context = { ...call, now: decisionTime(stored, call) };
  const customer = await peers.customers.find(stored.state.customer.id, context);
  const asked = { stored, customer, input };
  const request = await requestFor(newId(), asked, context, dependencies);
  const current = { ...stored, state: withCustomer(stored.state, customer) };
  const at = context.now;
  checkRequest(current.state, request, at);
  checkNothingDue(current.state, at);
  const following = readFollowing(current, { request, customer }, context, dependencies);
  // Both quote at once, so that their quotes share a call; a refusal of the change itself counts.
  void following.catch(() => undefined);
  const preview = await computed(current.state, { ...request, instant: at }, context, peers);
  const validUntil = validUntilOf(at, current.state);
  const claim = {
    ...{ at, validUntil },
    request: requestDigest(subscriptionId, input),
    promised: promisedDigest(current.state, preview, preview.invoice?.balanceApplied ?? 0n),
    balanceApplied: (preview.invoice?.balanceApplied ?? 0n).toString(),
    madeFor: madeForDigest(current.state, { isNow: isNow(current.state, request) }),
    inputs: inputDigests(current.state, { input, request, customer, preview }),
  };
  const { plan, creditNotes, ...shown } = preview;
  return {
    at,
    validUntil,
    token: await signedToken(claim, context, dependencies),
    ...shown,
    ...plan,
    creditNotes: creditNotes.map(toProtoPreviewNote),
    ...(await following),
  };
}

/** Invoices that follow from a change: of usage before it, and of the next period. */
async function readFollowing(
  current: Stored<Subscription>,
  {
    request,
    customer,
  }: { readonly request: ChangeRequest; readonly customer: CustomerFacts | undefined },
  context: CallContext,
  dependencies: PreviewDependencies,
): Promise<EndInvoice & NextInvoice> {
  const { state } = current;
  const { now: at } = context;
  const after = afterChange(state, request, at);
  const productIds = itemsAfter(state, request.wanted).map((item) => item.productId);
  const changed = { ...current, state: after };
  const bill = orderedCycleEnd(state, after);
  const ended =
    bill === undefined
      ? { shown: noEndInvoice, billed: after }
      : await readCycleEndInvoice(changed, bill, context, dependencies);
  const facts = {
    ...{ buyer: customer?.buyer, taxes: { productIds, ...request.taxFacts } },
    usageOf: async (wanted: Settlement) => {
      const usage = await quoteUsage(changed, wanted, context, dependencies);
      // The invoice of the end of the cycle bills what was used before.
      return bill === undefined ? usage : usage?.filter(({ period }) => period.start >= at);
    },
  };
  const { peers } = dependencies;
  return { ...ended.shown, ...(await readNextInvoice(ended.billed, facts, context, peers)) };
}

/**
 * Reads the promise of a token. Refuses one that was not signed for this environment, or for
 * another request.
 */
export async function promiseOf(
  token: string,
  { subscriptionId, input }: { readonly subscriptionId: string; readonly input: ChangeInput },
  context: CallContext,
  { subscriptions, peers, keys }: PreviewDependencies,
): Promise<Promised> {
  const asked = { request: requestDigest(subscriptionId, input) };
  const claim = await claimFor(token, asked, context, { keys });
  const shown = BigInt(claim.balanceApplied);
  return {
    at: new Date(claim.at),
    balanceApplied: shown,
    check: async (request, { state }, customer) => {
      const current = withCustomer(state, customer);
      const preview = await computed(current, request, context, peers);
      const inputs = inputDigests(current, { input, request, customer, preview });
      const promised = promisedDigest(current, preview, shown);
      const isForNow = isNow(current, request);
      // The amounts a month of a change that waits follow from its price version.
      const isPriceMoved = !isForNow && inputs.price !== claim.inputs.price;
      const present: PresentFacts = {
        now: context.now.getTime(),
        promised: isPriceMoved ? '' : promised,
        madeFor: presentMadeFor(current, { isNow: isForNow }),
        inputs: { ...inputs, invoice: invoiceDigest(request.facts, claim) },
        isBalanceLeft: isBalanceLeft(preview.invoice, shown),
      };
      refuseStale(claim, present);
    },
    refusedBy: async (name) => {
      const { state } = await subscriptions.get(subscriptionId, context);
      const customer = await peers.customers.find(state.customer.id, context);
      const inputs = {
        subscription: subscriptionDigest(withCustomer(state, customer)),
        customer: customerDigest(customer),
      };
      return previewStaleBy(name, claim, inputs, context);
    },
  };
}

function isNow(subscription: Subscription, request: ChangeRequest): boolean {
  return resolveAt(subscription, request) === 'NOW';
}

async function computed(
  subscription: Subscription,
  request: ChangeRequest,
  context: CallContext,
  peers: Peers,
): Promise<Preview> {
  const instant = request.instant ?? context.now;
  if (!isNow(subscription, request)) {
    const { monthlyAmountBefore, monthlyAmountAfter } = planAtRenewal(subscription, request);
    const plan = { monthlyAmountBefore, monthlyAmountAfter };
    const effectiveAt = expectedAt(subscription, request);
    checkBills(subscription, nothingBilled, request);
    const nothing = { invoice: undefined, linesPutOff: [], creditNotes: [], dueNow: 0n };
    return { effectiveAt, plan, ...nothing };
  }
  const planned = planChange(subscription, { ...request, at: instant });
  const { creditNotes, monthlyAmountBefore, monthlyAmountAfter } = planned;
  const plan = { monthlyAmountBefore, monthlyAmountAfter };
  const quoted = await readPlanQuote({ subscription, planned, request }, context, peers);
  const { invoice, linesPutOff } = quoted;
  const isCharged = subscription.collectionMethod === 'CHARGE_AUTOMATICALLY';
  const dueNow = isCharged ? (invoice?.amountDue ?? 0n) : 0n;
  return {
    effectiveAt: instant,
    plan,
    creditNotes,
    invoice,
    dueNow,
    linesPutOff: [...linesPutOff],
  };
}

/**
 * The subscription after the change, decided by the rule that stores it. A change that is paid
 * first counts as paid.
 */
function afterChange(subscription: Subscription, request: ChangeRequest, at: Date): Subscription {
  const unpaid = { ...request, requirePayment: false, instant: at };
  return requestChange(subscription, unpaid, { now: at }).state;
}

function requestDigest(subscriptionId: string, input: ChangeInput): string {
  const { productId, priceId, quantity, at, requirePayment, proration } = input;
  const { kind, resumeAt, discountId, collect, otherItems, notBefore } = input;
  const items = [productId, priceId, quantity];
  const asked = [subscriptionId, items, at, requirePayment, proration, kind, resumeAt];
  // Tokens of the release before name none of these.
  const named = {
    ...(notBefore !== undefined && { notBefore }),
    ...(discountId !== undefined && { discountId }),
    ...(collect === 'NEXT_INVOICE' && { collect }),
    ...(otherItems !== null && {
      otherItems: otherItems.map((item) => [
        item.productId ?? null,
        item.priceId ?? null,
        item.quantity ?? null,
      ]),
    }),
  };
  return digestOf(Object.keys(named).length === 0 ? asked : [...asked, named]);
}

// The amount due follows from the total and the balance that was shown, and is due now only where
// it is charged.
function promisedDigest(
  { collectionMethod }: Pick<Subscription, 'collectionMethod'>,
  { effectiveAt, invoice, linesPutOff, creditNotes }: Preview,
  balance: bigint,
): string {
  const notes = promisedNotes(creditNotes);
  if (linesPutOff.length > 0) {
    return digestOf([effectiveAt, notes, linesPutOff.map((line) => LineItem.toJSON(line))]);
  }
  if (invoice === undefined) return digestOf([effectiveAt, notes]);
  const promised = { ...invoice, balanceApplied: balance, amountDue: invoice.total - balance };
  const facts = [effectiveAt, notes, PreviewInvoice.toJSON(promised)];
  // Tokens of the release before do not name it.
  const isSent = collectionMethod === 'SEND_INVOICE' && promised.amountDue > 0n;
  return digestOf(isSent ? [...facts, collectionMethod] : facts);
}

function inputDigests(
  subscription: Subscription,
  {
    input,
    request,
    customer,
    preview,
  }: {
    readonly input: ChangeInput;
    readonly request: ChangeRequest;
    readonly customer: CustomerFacts | undefined;
    readonly preview: Preview;
  },
): PreviewClaim['inputs'] {
  return {
    subscription: subscriptionDigest(subscription),
    price: namesPrice(input) ? digestOf(pricesAfter(subscription, request)) : '',
    discount: discountDigest(request),
    customer: customerDigest(customer),
    invoice: digestOf(request.facts),
    tax: taxDigest(preview),
  };
}

function customerDigest(customer: CustomerFacts | undefined): string {
  return digestOf([customer?.collectionMethod, customer?.currency]);
}

function taxDigest({ invoice, linesPutOff }: Pick<Preview, 'invoice' | 'linesPutOff'>): string {
  const taxes = (invoice?.taxes ?? []).map(({ reason, name, percent }) => [reason, name, percent]);
  const ofLines = linesPutOff.map(({ taxReason, taxPercent }) => [taxReason, taxPercent]);
  return digestOf([...taxes, ...ofLines]);
}

// The holder of a redemption is another one for each change.
function discountDigest({ wanted: { discount } }: ChangeRequest): string {
  if (discount === null) return '';
  return digestOf(discount.next && { ...discount.next, holderId: null });
}

function namesPrice({ productId, priceId, otherItems }: ChangeInput): boolean {
  return productId !== null || priceId !== null || (otherItems ?? []).length > 0;
}

// Lines name their products; a change that waits has none yet.
function pricesAfter(subscription: Subscription, request: ChangeRequest): unknown {
  const items = itemsAfter(subscription, request.wanted);
  const ids = items.map(({ price }) => price.id).join();
  if (resolveAt(subscription, request) === 'PERIOD_END') return ids;
  return [ids, items.map(({ productName }) => productName)];
}
