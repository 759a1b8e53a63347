import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import {
  type PreviewChangeResponse,
  type PreviewCreditNote,
  PreviewInvoice,
} from '@billing/proto/billing/subscription/v1/change_service';
import { changeSettlements } from '@billing/proto/values/subscription';
import {
  type ChangeRequest,
  checkRequest,
  itemsAtRenewal,
  resolveAt,
  waitingAfter,
} from '../lifecycle/check-change';
import { beginsCycle, planChange } from '../lifecycle/plan-change';
import { startNewCycle } from '../lifecycle/plan-new-cycle';
import { toProtoNewInvoice } from '../peer/checkout';
import { fetchTaxCategory } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import { planAtRenewal, withItemsAtRenewal } from '../subscription/change-at-renewal';
import { itemsAfter, withDiscountAfter } from '../subscription/change-side';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { takeDiscount } from '../subscription/discount';
import { periodLine } from '../subscription/recurring-charge';
import { beginCycle, nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import { currentPeriod, mainItem, type Subscription } from '../subscription/subscription';
import type { ChangePlan } from '../subscription/subscription-change';
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
import { readChangeQuote, readQuote } from './read-quote';
import { subscriptionDigest } from './subscription-digest';

const validForMs = 15 * 60 * 1000;

export interface PreviewDependencies extends ChangeDependencies {
  readonly keys: Pick<PreviewKeys, 'secret'>;
}

/** Effects that a change would have at an instant. */
interface Preview {
  readonly effectiveAt: Date;
  readonly plan: Pick<ChangePlan, 'monthlyAmountBefore' | 'monthlyAmountAfter'>;
  /** Undefined: nothing is charged at once. */
  readonly invoice: PreviewInvoice | undefined;
  readonly creditNotes: ChangePlan['creditNotes'];
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
  const at = context.now;
  checkRequest(current.state, request, at);
  const { end } = currentPeriod(current.state);
  if (end < at) throw renewalDue();
  const preview = await computed(current.state, { ...request, instant: at }, context, peers);
  const validUntil = new Date(Math.min(at.getTime() + validForMs, end.getTime()));
  const claim: PreviewClaim = {
    nonce: newId(),
    at: at.getTime(),
    validUntil: validUntil.getTime(),
    request: requestDigest(subscriptionId, input),
    promised: promisedDigest(preview, preview.invoice?.balanceApplied ?? 0n),
    balanceApplied: (preview.invoice?.balanceApplied ?? 0n).toString(),
    inputs: inputDigests(current.state, { input, request, customer, preview }),
  };
  const seal = { secret: await keys.secret(), environmentId: context.tenant.environmentId };
  const { plan, creditNotes, ...shown } = preview;
  return {
    at,
    validUntil,
    token: tokenOf(claim, seal),
    ...shown,
    ...plan,
    creditNotes: creditNotes.map(toProtoCreditNote),
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
        inputs: inputDigests(current, { input, request, customer, preview }),
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
  const instant = request.instant ?? context.now;
  if (resolveAt(subscription, request) === 'PERIOD_END') {
    const { monthlyAmountBefore, monthlyAmountAfter } = planAtRenewal(subscription, request);
    const plan = { monthlyAmountBefore, monthlyAmountAfter };
    const { end } = currentPeriod(subscription);
    return { effectiveAt: end, plan, invoice: undefined, creditNotes: [], dueNow: 0n };
  }
  const {
    invoice: planned,
    creditNotes,
    monthlyAmountBefore,
    monthlyAmountAfter,
  } = planChange(subscription, { ...request, at: instant });
  const plan = { monthlyAmountBefore, monthlyAmountAfter };
  const effect = { effectiveAt: instant, plan, creditNotes };
  if (planned === null) return { ...effect, invoice: undefined, dueNow: 0n };
  const invoice = await readChangeQuote({ subscription, planned }, context, peers);
  const isCharged = subscription.collectionMethod === 'CHARGE_AUTOMATICALLY';
  return { ...effect, invoice, dueNow: isCharged ? invoice.amountDue : 0n };
}

function toProtoCreditNote({
  invoiceId,
  amount,
  settledBy,
}: ChangePlan['creditNotes'][number]): PreviewCreditNote {
  return { invoiceId, amount, settledBy: changeSettlements.valueOf(settledBy) };
}

async function nextInvoice(
  subscription: Subscription,
  request: ChangeRequest,
  context: CallContext,
  peers: Peers,
): Promise<Pick<PreviewChangeResponse, 'nextInvoice' | 'nextInvoiceEstimated'>> {
  const after = beforeNextPeriod(subscription, request, context.now);
  if (after === null || after.status === 'CANCELED' || after.cancelAtPeriodEnd) {
    return { nextInvoice: undefined, nextInvoiceEstimated: false };
  }
  const { taxFacts } = request;
  const { productId } = mainItem(after);
  const isOfChange =
    productId === mainItem({ items: itemsAfter(subscription, request.wanted) }).productId;
  const taxCategory = isOfChange
    ? (taxFacts.taxCategory ?? undefined)
    : await fetchTaxCategory(peers, productId, context);
  const periodIndex = nextPeriodIndex(after);
  const { isDiscounted } = takeDiscount(after, periodIndex);
  const wanted = toProtoNewInvoice(after, {
    invoiceId: newId(),
    reason: 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: null,
    isDiscounted,
    period: periodOf(after, periodIndex),
    recurring: periodLine(after, periodIndex),
    usage: [],
    buyer: taxFacts.buyer ?? undefined,
    taxCategory,
  });
  const invoice = await readQuote(wanted, context, peers);
  const set = after.periodIndex === null ? undefined : pinnedSet(after, after.periodIndex);
  return { nextInvoice: invoice, nextInvoiceEstimated: set !== undefined && set > 0 };
}

/**
 * The subscription right before its next period, after the change and one that waits; null: none
 * follows, because of a pause without a planned end.
 */
function beforeNextPeriod(
  subscription: Subscription,
  request: ChangeRequest,
  now: Date,
): Subscription | null {
  const items = itemsAtRenewal(subscription, request);
  const pause = pauseAfter(subscription, request);
  if (pause !== null) {
    const { resumeAt } = pause;
    if (resumeAt === null) return null;
    const discounted = withDiscountAfter(subscription, request.wanted);
    return beginCycle(discounted, { at: resumeAt, items, invoiceId: null });
  }
  const isNow = resolveAt(subscription, request) === 'NOW';
  const discounted = withDiscountAfter(subscription, request.wanted);
  const begun =
    isNow && beginsCycle(subscription, request)
      ? startNewCycle(discounted, itemsAfter(subscription, request.wanted), {
          ...{ at: now, invoiceId: null },
        }).state
      : discounted;
  const later = waitingAfter(subscription, request);
  return withItemsAtRenewal(later === null ? begun : withDiscountAfter(begun, later.wanted), items);
}

/** The pause that runs or waits after the change. */
function pauseAfter(
  subscription: Subscription,
  request: ChangeRequest,
): { readonly resumeAt: Date | null } | null {
  const { phase, resumeAt } = subscription;
  const { waiting } = subscription.changes;
  if (request.kind === 'PAUSE') return request;
  if (phase === 'PAUSED') return request.kind === 'RESUME' ? null : { resumeAt };
  const isReplaced = resolveAt(subscription, request) === 'PERIOD_END';
  return waiting?.kind === 'PAUSE' && !isReplaced ? waiting : null;
}

function requestDigest(subscriptionId: string, input: ChangeInput): string {
  const { productId, priceId, quantity, at, requirePayment, proration } = input;
  const { kind, resumeAt, discountId } = input;
  const items = [productId, priceId, quantity];
  const asked = [subscriptionId, items, at, requirePayment, proration, kind, resumeAt];
  // Tokens of the release before name no discount.
  return digestOf(discountId === undefined ? asked : [...asked, { discountId }]);
}

// The amount due follows from the total and the balance that was shown.
function promisedDigest({ effectiveAt, invoice, creditNotes }: Preview, balance: bigint): string {
  const notes = creditNotes.map((note) => [note.invoiceId, note.amount, note.settledBy]);
  if (invoice === undefined) return digestOf([effectiveAt, notes]);
  const promised = { ...invoice, balanceApplied: balance, amountDue: invoice.total - balance };
  return digestOf([effectiveAt, notes, PreviewInvoice.toJSON(promised)]);
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
    price: namesPrice(input) ? digestOf(priceAfter(subscription, request)) : '',
    discount: discountDigest(request),
    customer: digestOf([customer?.collectionMethod, customer?.currency]),
    invoice: digestOf(request.facts),
    tax: digestOf(
      (preview.invoice?.taxes ?? []).map(({ reason, name, percent }) => [reason, name, percent]),
    ),
  };
}

// The holder of a redemption is another one for each change.
function discountDigest({ wanted: { discount } }: ChangeRequest): string {
  if (discount === null) return '';
  return digestOf(discount.next && { ...discount.next, holderId: null });
}

function namesPrice({ productId, priceId }: ChangeInput): boolean {
  return productId !== null || priceId !== null;
}

function priceAfter(subscription: Subscription, { wanted }: ChangeRequest): string {
  const [{ price }] = itemsAfter(subscription, wanted);
  return price.id;
}

// A preview stores nothing, so it waits for the step that a change would take first.
function renewalDue(): DomainError {
  return new DomainError('unavailable', 'RENEWAL_DUE', 'Service unavailable');
}
