import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { derivedId } from '@billing/chassis/ids';
import type { DomainError } from '@billing/kernel/domain-error';
import type { ChangeCredit } from '@billing/proto/billing/checkout/v1/reservation';
import { isStoredChange, requestChange } from '../lifecycle/apply-change';
import {
  type ChangeRequest,
  checkChangeable,
  checkRequest,
  itemsAtRenewal,
  resolveAt,
} from '../lifecycle/check-change';
import { planChange } from '../lifecycle/plan-change';
import { fetchTaxCategories } from '../peer/catalog';
import { changeHolderId, otherProductIdsOf } from '../peer/discount';
import { heldRedemption, isSameItems, itemsAfter } from '../subscription/change-side';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { checkInstants, readCycle } from './find-cycle-problems';
import { creditNoteIdOf } from './create-change-invoice';
import { movesMeters } from './find-meter-moves';
import { chargesOfItems, checkTotal } from './check-total';
import { type ChangeInput, resolveDiscount, resolveItem } from './read-wanted-change';
import { type FactDependencies, fetchPeriodFacts } from './find-period-facts';
import { nextRound } from './find-reserved-change';
import { type StaleInput, staleInputOfChange } from './sign-preview';
import { nothingBilled, type PlannedBills, readPlanQuote } from './read-quote';
import { usageInvoiceId } from '../storage/subscription-store';
import {
  caughtUp,
  creditsOf,
  decisionTime,
  type Reservation,
  type ReservedWriteDependencies,
  storeReserved,
  untilStored,
} from './reserve-and-store';

const answerWithinMs = 8_000;

export type ChangeDependencies = FactDependencies & ReservedWriteDependencies;

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
  /** `preview_stale` for the state of a fact that has refused the change before that. */
  readonly refusedBy: (name: StaleInput) => Promise<DomainError>;
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
  const { subscriptions, changes, clock, logger } = dependencies;
  const until = waitAtMost(answerWithinMs, context, clock.now());
  const id = newResourceId(context, 'change');
  const { subscriptionId } = call;
  const known =
    (await findEarlier(id, subscriptionId, context, dependencies)) ??
    (await storeNew(id, call, context, dependencies));
  const isReached = (current: Subscription) => current.changes.paying?.id !== id;
  const outcome = async () => {
    const stored = await subscriptions.waitFor(subscriptionId, context, { isReached, until });
    return { change: await changes.get(stored.state, id, context), stored };
  };
  return elseAsWritten(known, outcome(), { logger, subscriptionId, changeId: id });
}

/** Finds what an earlier call with the key has stored. */
async function findEarlier(
  changeId: string,
  subscriptionId: string,
  context: CallContext,
  { subscriptions, changes }: ChangeDependencies,
): Promise<ChangedSubscription | undefined> {
  if (!mayHaveRun(context)) return undefined;
  const stored = await subscriptions.get(subscriptionId, context);
  const found = await changes.find(stored.state, changeId, context);
  return found && { change: found, stored };
}

async function storeNew(
  changeId: string,
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<ChangedSubscription> {
  const stored = await storeChange(changeId, call, context, dependencies);
  // The change is part of the subscription that has stored it, so that this reads nothing.
  return { change: await dependencies.changes.get(stored.state, changeId, context), stored };
}

async function storeChange(
  changeId: string,
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<Stored<Subscription>> {
  try {
    return await untilStored(() => tryToStore(changeId, call, context, dependencies));
  } catch (error) {
    const { promised } = call;
    const stale = promised === undefined ? undefined : staleInputOfChange(error);
    throw stale === undefined || promised === undefined ? error : await promised.refusedBy(stale);
  }
}

/** Undefined if the subscription or an invoice has moved since the facts were read. */
async function tryToStore(
  changeId: string,
  { subscriptionId, input, promised, expectedVersion }: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<Stored<Subscription> | undefined> {
  const { subscriptions, peers } = dependencies;
  const stored = await caughtUp(subscriptionId, context, subscriptions);
  const customer = await peers.customers.find(stored.state.customer.id, context);
  const asked = { stored, customer, input, at: promised?.at };
  const request = await requestFor(changeId, asked, context, dependencies);
  const current = withCustomer(stored.state, customer);
  const now = decisionTime(stored, context);
  const { wanted, planned, credits } = withReservation(request, { current, promised, now });
  if (promised !== undefined) await promised.check(wanted, stored, customer);
  // Refuses a change that checkout would not invoice: its invoice would be ordered forever.
  else await readPlanQuote({ subscription: current, planned, request: wanted }, context, peers);
  const isStored = (state: Subscription) => isStoredChange(state.changes, changeId);
  // A refused change takes no redemption, not even for a moment; a repeat is not refused.
  if (wanted.reservedRound !== null && !isStored(current)) checkRequest(current, wanted, now);
  const balance = promised?.balanceApplied;
  const reservation = reservationOf(wanted, { subscription: stored.state, credits, balance });
  return storeReserved(
    {
      ...{ id: changeId, stored, facts: wanted.facts, reservation, isStored, expectedVersion },
      decide: (state, decision) => requestChange(withCustomer(state, customer), wanted, decision),
    },
    context,
    dependencies,
  );
}

function reservationOf(
  { reservedRound: round, invoiceId, wanted }: ChangeRequest,
  {
    subscription,
    credits,
    balance,
  }: Pick<Reservation, 'credits' | 'balance'> & { readonly subscription: Subscription },
): Reservation | null {
  if (round === null) return null;
  const held = heldRedemption(wanted);
  const items = itemsAfter(subscription, wanted);
  const { productId } = items[0];
  const otherProductIds = otherProductIdsOf({ items });
  const redemption = held === null ? null : { ...held, productId, otherProductIds };
  return { round, credits, balance, invoiceId, redemption };
}

/** A change with its invoice at the instant of the call, and what it reserves. */
interface PlannedRequest {
  readonly wanted: ChangeRequest;
  readonly planned: PlannedBills;
  readonly credits: readonly ChangeCredit[];
}

/** The change at a fixed instant and with a round, if it reserves anything. */
function withReservation(
  request: ChangeRequest,
  {
    current,
    promised,
    now,
  }: {
    readonly current: Subscription;
    readonly promised: Promised | undefined;
    readonly now: Date;
  },
): PlannedRequest {
  const instant = promised?.at ?? now;
  const isNow = resolveAt(current, request) === 'NOW';
  const { invoice, putOff, takenChangeIds, creditNotes } = isNow
    ? planChange(current, { ...request, at: instant })
    : nothingPlanned;
  const planned = { invoice, putOff, takenChangeIds };
  const isBilled = invoice !== null || putOff !== null;
  const credits = creditsOf(creditNotes);
  const holdsNothing = credits.length === 0 && heldRedemption(request.wanted) === null;
  if (promised === undefined && holdsNothing) {
    // Fixes the instant, so that the change is stored as it was quoted.
    return { wanted: isBilled ? { ...request, instant } : request, planned, credits };
  }
  const round = nextRound(current, request.changeId);
  const balanceRound = promised === undefined ? null : round;
  return { wanted: { ...request, instant, balanceRound, reservedRound: round }, planned, credits };
}

const nothingPlanned = { ...nothingBilled, creditNotes: [] };

/** A change as a caller asks for it, and the subscription that it is for. */
interface AskedChange {
  readonly stored: Pick<Stored<Subscription>, 'state'>;
  readonly input: ChangeInput;
  /** Instant of the preview that is honored; undefined: none is. */
  readonly at?: Date | undefined;
}

/** Reads what a change asks for; refuses an input that the subscription cannot have. */
export async function readWanted(
  changeId: string,
  { stored: { state }, input, at }: AskedChange,
  context: CallContext,
  { peers }: Pick<ChangeDependencies, 'peers'>,
): Promise<Pick<ChangeRequest, 'wanted' | 'movesMeters' | 'sets'>> {
  const { item, isMetered } = await resolveItem(state, input, context, peers);
  const ofItem = { ...item, discount: null };
  const items = itemsAfter(state, item);
  if (!isSameItems(state.items, items)) {
    const next = itemsAtRenewal(state, { ...input, wanted: ofItem });
    const isList = input.otherItems !== null;
    for (const billed of [next, items]) checkTotal(chargesOfItems(billed), { isList });
  }
  const isMoved = movesMeters(state, { items, isMetered });
  const effectiveAt = at ?? context.now;
  checkInstants(state, input, { at: effectiveAt, now: context.now });
  const wantedCycle = { wanted: ofItem, input, items, at: effectiveAt };
  const cycle = await readCycle(state, wantedCycle, context, peers);
  const holderId = changeHolderId({ changeId, round: nextRound(state, changeId) }, context);
  const discount = { discountId: input.discountId, items, holderId };
  const wanted = { ...item, discount: await resolveDiscount(state, discount, context, peers) };
  return { wanted, ...(isMoved && { movesMeters: true }), ...cycle };
}

/** Reads what a change needs to know; refuses what no state of the subscription allows. */
export async function requestFor(
  changeId: string,
  {
    customer,
    ...asked
  }: AskedChange & {
    readonly stored: Stored<Subscription>;
    readonly customer: CustomerFacts | undefined;
  },
  context: CallContext,
  dependencies: Pick<ChangeDependencies, 'subscriptions' | 'peers' | 'clock'>,
): Promise<ChangeRequest> {
  const { stored, input } = asked;
  const { state } = stored;
  const read = await readWanted(changeId, asked, context, dependencies);
  checkChangeable(state);
  const [facts, categories] = await Promise.all([
    // A repeat finds what its first call has reserved.
    fetchPeriodFacts(stored, context, dependencies, changeId),
    fetchTaxCategories(dependencies.peers, itemsAfter(state, read.wanted), context),
  ]);
  return {
    changeId,
    ...read,
    at: input.at,
    ...(input.notBefore !== undefined && { notBefore: input.notBefore }),
    kind: input.kind,
    resumeAt: input.resumeAt,
    requirePayment: input.requirePayment,
    proration: input.proration,
    collect: input.collect,
    metadata: input.metadata,
    usageInvoiceIdOf: (periodIndex) => usageInvoiceId(context.tenant, state.id, periodIndex),
    invoiceId: derivedId(context.tenant.environmentId, state.id, 'change', changeId),
    creditNoteIdOf: (invoiceId) => creditNoteIdOf({ changeId, invoiceId }, context),
    balanceRound: null,
    reservedRound: null,
    instant: null,
    facts,
    taxFacts: { buyer: customer?.buyer ?? null, ...categories },
  };
}
