import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import type {
  ChangeCredit,
  ReserveForChangeRequest,
} from '@billing/proto/billing/checkout/v1/reservation';
import { isStoredChange, requestChange } from '../lifecycle/apply-change';
import {
  type ChangeRequest,
  checkChangeable,
  checkRequest,
  itemsAtRenewal,
  resolveAt,
} from '../lifecycle/check-change';
import { planChange } from '../lifecycle/plan-change';
import { decideAfterDueSteps, dueStep } from '../lifecycle/renewals';
import { fetchTaxCategory } from '../peer/catalog';
import { changeHolderId, reserveForChange } from '../peer/discount';
import type { Peers } from '../peer/peers';
import { type HeldRedemption, heldRedemption, itemsAfter } from '../subscription/change-side';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { currencyOf, mainItem, type Subscription } from '../subscription/subscription';
import type { ChangePlan, SubscriptionChange } from '../subscription/subscription-change';
import { checkNewCycle, checkResumeAt } from './find-cycle-problems';
import { creditNoteIdOf } from './create-change-invoice';
import { type ChangeInput, checkTotal, resolveDiscount, resolveItem } from './read-wanted-change';
import { type FactDependencies, fetchPeriodFacts, fetchPeriodInvoices } from './find-period-facts';
import { isStoredElseReleased, nextRound } from './find-reserved-change';
import type { Changes } from './change-store';
import { digestOf } from './preview-token';
import { readChangeQuote } from './read-quote';
import { subscriptionDigest } from './subscription-digest';
import type { Subscriptions } from '../subscription-store';

const attemptsMax = 8;
const answerWithinMs = 8_000;

export interface ChangeDependencies extends FactDependencies {
  readonly changes: Changes;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** A change and its subscription. */
export interface ChangedSubscription {
  readonly change: SubscriptionChange;
  readonly stored: Stored<Subscription>;
}

/** A call that asks for a change. */
export interface ChangeCall {
  readonly subscriptionId: string;
  readonly input: ChangeInput;
  readonly expectedVersion: number | undefined;
  /** Promise of a preview; undefined: the call names none. */
  readonly promised: Promised | undefined;
}

/** Promise of a preview. */
export interface Promised {
  readonly at: Date;
  /** Amount that the customer's balance pays. */
  readonly balanceApplied: bigint;
  /** Throws `preview_stale` if the change has another result. */
  readonly check: (
    request: ChangeRequest,
    subscription: Stored<Subscription>,
    customer: CustomerFacts | undefined,
  ) => Promise<void>;
}

/**
 * Stores a change and waits until it has an outcome, at most 8 s. A retry with the same idempotency
 * key finds the change of the first call.
 */
export async function change(
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<ChangedSubscription> {
  const { subscriptions, changes, clock } = dependencies;
  const until = waitAtMost(answerWithinMs, context, clock.now());
  const id = newResourceId(context, 'change');
  const { subscriptionId } = call;
  const before = await subscriptions.get(subscriptionId, context);
  const earlier = mayHaveRun(context) ? await changes.find(before.state, id, context) : undefined;
  if (earlier === undefined) await storeChange(id, call, context, dependencies);
  const isReached = (current: Subscription) => current.changes.paying?.id !== id;
  const stored = await subscriptions.waitFor(subscriptionId, context, { isReached, until });
  return { change: await changes.get(stored.state, id, context), stored };
}

async function storeChange(
  changeId: string,
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    try {
      if (await tryToStore(changeId, call, context, dependencies)) return;
    } catch (error) {
      throw call.promised === undefined ? error : asStale(error);
    }
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** False if the subscription or an invoice has moved since the facts were read. */
async function tryToStore(
  changeId: string,
  { subscriptionId, input, promised, expectedVersion }: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<boolean> {
  const { subscriptions, peers } = dependencies;
  const stored = await caughtUp(subscriptionId, context, subscriptions);
  const customer = await peers.customers.find(stored.state.customer.id, context);
  const asked = { stored, customer, input };
  const request = await requestFor(changeId, asked, context, dependencies);
  const current = withCustomer(stored.state, customer);
  const { wanted, planned, credits } = withReservation(request, { current, promised }, context);
  if (promised !== undefined) await promised.check(wanted, stored, customer);
  // Refuses a change that checkout would not invoice: its invoice would be ordered forever.
  else if (planned !== null)
    await readChangeQuote({ subscription: current, planned }, context, peers);
  const known = subscriptionDigest(stored.state);
  // A refused change takes no redemption, not even for a moment; a repeat is not refused.
  if (wanted.reservedRound !== null && !isStoredChange(current.changes, changeId))
    checkRequest(current, wanted, context.now);
  const reserved = { credits, balance: promised?.balanceApplied };
  let redemption: HeldRedemption | null = null;
  let isOutdated = false as boolean;
  try {
    if (wanted.reservedRound !== null) {
      isOutdated = !(await reserve(wanted, { stored, reserved }, context, dependencies));
      if (isOutdated) throw factsOutdated();
      redemption = heldRedemption(wanted.wanted);
      await reserveDiscount(wanted, stored.state, context, peers);
    }
    await subscriptions.change(
      subscriptionId,
      context,
      (current, decision) =>
        decideAfterDueSteps(current, decision, (state) => {
          const isStored = isStoredChange(state.changes, changeId);
          isOutdated = !isStored && subscriptionDigest(state) !== known;
          if (isOutdated) throw factsOutdated();
          return requestChange(withCustomer(state, customer), wanted, decision);
        }),
      expectedVersion === undefined ? {} : { expectedVersion },
    );
    return true;
  } catch (error) {
    const { reservedRound: round } = wanted;
    if (round !== null) {
      const isHeldAtCheckout = isReservedAtCheckout(reserved);
      const held = { subscriptionId, changeId, round, redemption, isHeldAtCheckout };
      if (await isStoredElseReleased(held, context, dependencies)) return true;
    }
    if (isOutdated || hasMoved(error)) return false;
    throw error;
  }
}

// A change is computed from what the subscription is now, and the invoice of a period that has just
// begun is created only after the step is stored.
async function caughtUp(
  id: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Stored<Subscription>> {
  const stored = await subscriptions.get(id, context);
  const step = dueStep(stored.state);
  if (step === undefined || step.at >= context.now) return stored;
  return subscriptions.change(id, context, (current, decision) =>
    decideAfterDueSteps(current, decision, unchanged),
  );
}

/** A change with its invoice at the instant of the call, and what it reserves. */
interface PlannedRequest {
  readonly wanted: ChangeRequest;
  readonly planned: ChangePlan['invoice'];
  readonly credits: readonly ChangeCredit[];
}

/** The change at a fixed instant and with a round, if it reserves anything. */
function withReservation(
  request: ChangeRequest,
  {
    current,
    promised,
  }: { readonly current: Subscription; readonly promised: Promised | undefined },
  context: CallContext,
): PlannedRequest {
  const instant = promised?.at ?? context.now;
  const isNow = resolveAt(current, request) === 'NOW';
  const { invoice: planned, creditNotes } = isNow
    ? planChange(current, { ...request, at: instant })
    : nothingPlanned;
  const credits = creditNotes.flatMap(({ invoiceId, lines }) =>
    lines.map(({ lineItemId, priced: amount }) => ({ invoiceId, lineItemId, amount })),
  );
  const holdsNothing = credits.length === 0 && heldRedemption(request.wanted) === null;
  if (promised === undefined && holdsNothing) {
    // Fixes the instant, so that the change is stored as it was quoted.
    return { wanted: planned === null ? request : { ...request, instant }, planned, credits };
  }
  const round = nextRound(current, request.changeId);
  const balanceRound = promised === undefined ? null : round;
  return { wanted: { ...request, instant, balanceRound, reservedRound: round }, planned, credits };
}

const nothingPlanned = { invoice: null, creditNotes: [] };

/** What a change reserves at checkout; undefined: no balance. */
type CheckoutReservation = Pick<ReserveForChangeRequest, 'balance'> & {
  readonly credits: readonly ChangeCredit[];
};

function isReservedAtCheckout({ credits, balance }: CheckoutReservation): boolean {
  return credits.length > 0 || balance !== undefined;
}

/**
 * Reserves the credits and the balance of a change. False if an invoice has moved since the facts
 * were read: what is reserved counts as credited for all others, so nothing else can move its room
 * from then on.
 */
async function reserve(
  { changeId, reservedRound, invoiceId, facts }: ChangeRequest,
  {
    stored,
    reserved,
  }: {
    readonly stored: Stored<Subscription>;
    readonly reserved: CheckoutReservation;
  },
  context: CallContext,
  dependencies: Pick<FactDependencies, 'peers'>,
): Promise<boolean> {
  const { id: subscriptionId, customer } = stored.state;
  if (!isReservedAtCheckout(reserved)) return true;
  await dependencies.peers.checkout.reserveForChange(
    {
      changeId,
      round: reservedRound ?? 1,
      subscriptionId,
      customerId: customer.id,
      currency: currencyOf(stored.state),
      changeInvoiceId: invoiceId,
      credits: [...reserved.credits],
      balance: reserved.balance,
    },
    context,
  );
  if (facts === null || reserved.credits.length === 0) return true;
  // Another change's reservation lowers what is left, so the digest tells it. Waiting for its end
  // here could make two changes wait for each other: this one has reserved already.
  const ids = facts.invoices.map((one) => one.invoiceId);
  const place = { changeId, context, peers: dependencies.peers };
  const present = await fetchPeriodInvoices(ids, stored.state, place);
  return digestOf(present.map(({ invoice }) => invoice)) === digestOf(facts.invoices);
}

/** Reserves the redemption of the discount that a change adds, if it adds one. */
async function reserveDiscount(
  { changeId, reservedRound, wanted }: ChangeRequest,
  subscription: Subscription,
  context: CallContext,
  peers: Peers,
): Promise<void> {
  const held = heldRedemption(wanted);
  if (held === null || reservedRound === null) return;
  const { productId } = itemsAfter(subscription, wanted)[0];
  await reserveForChange(
    peers,
    {
      ...{ ...held, productId, currency: currencyOf(subscription) },
      change: { subscriptionId: subscription.id, changeId, round: reservedRound },
    },
    context,
  );
}

// Another try reads the facts again, and reserves in another round.
function hasMoved(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  return error.reason === 'INVOICE_CANNOT_BE_CREDITED' || error.reason === 'RESERVATION_RELEASED';
}

/** Reads what a change needs to know; refuses what no state of the subscription allows. */
export async function requestFor(
  changeId: string,
  {
    stored,
    customer,
    input,
  }: {
    readonly stored: Stored<Subscription>;
    readonly customer: CustomerFacts | undefined;
    readonly input: ChangeInput;
  },
  context: CallContext,
  dependencies: Pick<ChangeDependencies, 'subscriptions' | 'peers' | 'clock'>,
): Promise<ChangeRequest> {
  const { state } = stored;
  const item = await resolveItem(state, input, context, dependencies.peers);
  const ofItem = { ...item, discount: null };
  const [next] = itemsAtRenewal(state, { ...input, wanted: ofItem });
  checkTotal(next.price, next.quantity);
  const productId = item.product?.productId ?? mainItem(state).productId;
  checkResumeAt(state, input, context.now);
  await checkNewCycle(state, { wanted: ofItem, input, productId }, context, dependencies.peers);
  const holderId = changeHolderId({ changeId, round: nextRound(state, changeId) }, context);
  const discount = { discountId: input.discountId, productId, holderId };
  const wanted = {
    ...item,
    discount: await resolveDiscount(state, discount, context, dependencies.peers),
  };
  checkChangeable(state);
  const [facts, taxCategory] = await Promise.all([
    // A repeat finds what its first call has reserved.
    fetchPeriodFacts(stored, context, dependencies, changeId),
    fetchTaxCategory(dependencies.peers, productId, context),
  ]);
  return {
    changeId,
    wanted,
    at: input.at,
    kind: input.kind,
    resumeAt: input.resumeAt,
    requirePayment: input.requirePayment,
    proration: input.proration,
    metadata: input.metadata,
    invoiceId: derivedId(context.tenant.environmentId, state.id, 'change', changeId),
    creditNoteIdOf: (invoiceId) => creditNoteIdOf({ changeId, invoiceId }, context),
    balanceRound: null,
    reservedRound: null,
    instant: null,
    facts,
    taxFacts: { buyer: customer?.buyer ?? null, taxCategory: taxCategory ?? null },
  };
}

function factsOutdated(): DomainError {
  return new DomainError('unavailable', 'FACTS_OUTDATED', 'Service unavailable');
}

/** Refusal of a token whose preview does not hold any more. */
export function previewStale(names: readonly string[]): DomainError {
  const message = `Preview is stale: ${names.join(', ')}`;
  return new DomainError('failed_precondition', 'PREVIEW_STALE', message);
}

/** With a token, a refusal for the state of a fact is that of a stale preview. */
function asStale(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.reason === 'BALANCE_MOVED') return previewStale(['balance']);
  if (error.reason === 'PRODUCT_NOT_FOUND') return previewStale(['price']);
  if (error.fields?.discountId !== undefined) return previewStale(['discount']);
  const isOfState = error.kind === 'failed_precondition' && error.reason !== 'PREVIEW_STALE';
  return isOfState ? previewStale(['subscription']) : error;
}
