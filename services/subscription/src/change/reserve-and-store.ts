import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import type { ChangeCredit } from '@billing/proto/billing/checkout/v1/reservation';
import type { PeriodFacts } from '../lifecycle/period-charges';
import { decideAfterDueSteps, dueStep } from '../lifecycle/due-steps';
import { type ProductsOfItems, reserveForChange } from '../peer/discount';
import type { Peers } from '../peer/peers';
import type { HeldRedemption } from '../subscription/change-side';
import { currencyOf, type Subscription } from '../subscription/subscription';
import type { ChangeCreditNote } from '../subscription/subscription-change';
import type { Decision, SubscriptionTransition } from '../subscription/transition';
import type { Subscriptions } from '../storage/subscription-store';
import type { Changes } from './change-store';
import { fetchPeriodInvoices } from './find-period-facts';
import { isStoredElseReleased } from './find-reserved-change';
import { digestOf } from '@billing/chassis/preview-token';
import { subscriptionDigest } from './sign-preview';

const attemptsMax = 8;

export interface ReservedWriteDependencies {
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** What one round of a change or an end reserves before it is stored. */
export interface Reservation {
  readonly round: number;
  readonly credits: readonly ChangeCredit[];
  /** Undefined: no balance. */
  readonly balance: bigint | undefined;
  /** Invoice that the change will create; the balance is taken under its id. */
  readonly invoiceId: string;
  /** Redemption of the discount that the change adds, and the product that it is for. */
  readonly redemption: (HeldRedemption & ProductsOfItems) | null;
}

/** A change or an end that was computed from facts. */
export interface ReservedWrite {
  /** Id of the change, or of the call that ends the subscription. */
  readonly id: string;
  /** The subscription that the facts were read for. */
  readonly stored: Stored<Subscription>;
  readonly facts: PeriodFacts | null;
  /** Null: nothing is reserved. */
  readonly reservation: Reservation | null;
  readonly isStored: (current: Subscription) => boolean;
  readonly decide: (current: Subscription, decision: Decision) => SubscriptionTransition;
  readonly expectedVersion: number | undefined;
}

/**
 * Retries an attempt until it has stored its write, and returns what is stored; the facts may move
 * in between.
 */
export async function untilStored<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 1; count <= attemptsMax; count += 1) {
    const stored = await attempt();
    if (stored !== undefined) return stored;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/**
 * Returns the subscription after its due steps: a change is computed from what the subscription is
 * now, and the invoice of a period that has just begun is created only after the step is stored.
 */
export async function caughtUp(
  id: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Stored<Subscription>> {
  const stored = await subscriptions.get(id, context);
  const step = dueStep(stored.state);
  if (step === undefined || step.at >= decisionTime(stored, context)) return stored;
  return subscriptions.change(id, context, (current, decision) =>
    decideAfterDueSteps(current, decision, unchanged),
  );
}

/**
 * Time of a decision on a subscription: that of the call, but not before the last change, which may
 * have begun another period.
 */
export function decisionTime(
  { updatedAt }: Pick<Stored<Subscription>, 'updatedAt'>,
  { now }: Pick<CallContext, 'now'>,
): Date {
  return now >= updatedAt ? now : updatedAt;
}

/**
 * Reserves, then stores in one compare-and-set. Undefined if the subscription or an invoice has
 * moved since the facts were read; what was reserved is released then.
 */
export async function storeReserved(
  { id, stored, facts, reservation, isStored, decide, expectedVersion }: ReservedWrite,
  context: CallContext,
  dependencies: ReservedWriteDependencies,
): Promise<Stored<Subscription> | undefined> {
  const { subscriptions, peers } = dependencies;
  const subscriptionId = stored.state.id;
  const known = subscriptionDigest(stored.state);
  let redemption: HeldRedemption | null = null;
  let isOutdated = false as boolean;
  try {
    if (reservation !== null) {
      const reserving = { changeId: id, stored, facts, reservation };
      isOutdated = !(await reserveAtCheckout(reserving, context, peers));
      if (isOutdated) throw factsOutdated();
      redemption = reservation.redemption;
      await reserveDiscount(reserving, context, peers);
    }
    // Due steps of the subscription, and the other services, may have needed the rest of the time.
    context.storing?.close();
    return await subscriptions.change(
      subscriptionId,
      context,
      (current, decision) =>
        decideAfterDueSteps(current, decision, (state) => {
          isOutdated = !isStored(state) && subscriptionDigest(state) !== known;
          if (isOutdated) throw factsOutdated();
          return decide(state, decision);
        }),
      expectedVersion === undefined ? {} : { expectedVersion },
    );
  } catch (error) {
    if (reservation !== null) {
      const { round } = reservation;
      const isHeldAtCheckout = isReservedAtCheckout(reservation);
      const held = { subscriptionId, changeId: id, round, redemption, isHeldAtCheckout };
      if (await isStoredElseReleased(held, context, dependencies)) {
        return await subscriptions.get(subscriptionId, context);
      }
    }
    if (isOutdated || hasMoved(error)) return undefined;
    throw error;
  }
}

/** The credits that credit notes reserve. */
export function creditsOf(creditNotes: readonly ChangeCreditNote[]): ChangeCredit[] {
  return creditNotes.flatMap(({ invoiceId, lines }) =>
    lines.map(({ lineItemId, priced: amount }) => ({ invoiceId, lineItemId, amount })),
  );
}

function isReservedAtCheckout({ credits, balance }: Reservation): boolean {
  return credits.length > 0 || balance !== undefined;
}

/** A write that reserves. */
type Reserving = Pick<ReservedWrite, 'stored' | 'facts'> & {
  readonly changeId: string;
  readonly reservation: Reservation;
};

/**
 * Reserves credits and a balance. False if an invoice has moved since the facts were read: what is
 * reserved counts as credited for all others, so nothing else can move its room from then on.
 */
async function reserveAtCheckout(
  { changeId, stored, facts, reservation }: Reserving,
  context: CallContext,
  peers: Pick<Peers, 'checkout'>,
): Promise<boolean> {
  if (!isReservedAtCheckout(reservation)) return true;
  const { round, credits, balance, invoiceId: changeInvoiceId } = reservation;
  const { id: subscriptionId, customer } = stored.state;
  await peers.checkout.reserveForChange(
    {
      ...{ changeId, round, subscriptionId, changeInvoiceId, balance },
      customerId: customer.id,
      currency: currencyOf(stored.state),
      credits: [...credits],
    },
    context,
  );
  if (facts === null || credits.length === 0) return true;
  // Another change's reservation lowers what is left, so the digest tells it. Waiting for its end
  // here could make two changes wait for each other: this one has reserved already.
  const ids = facts.invoices.map((one) => one.invoiceId);
  const present = await fetchPeriodInvoices(ids, stored.state, { changeId, context, peers });
  return digestOf(present.map(({ invoice }) => invoice)) === digestOf(facts.invoices);
}

/** Reserves the redemption of the discount that a change adds, if it adds one. */
async function reserveDiscount(
  { changeId, stored: { state }, reservation: { redemption, round } }: Reserving,
  context: CallContext,
  peers: Pick<Peers, 'discount'>,
): Promise<void> {
  if (redemption === null) return;
  await reserveForChange(
    peers,
    {
      ...{ ...redemption, currency: currencyOf(state) },
      change: { subscriptionId: state.id, changeId, round },
    },
    context,
  );
}

// Another try reads the facts again, and reserves in another round.
function hasMoved(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  return error.reason === 'INVOICE_CANNOT_BE_CREDITED' || error.reason === 'RESERVATION_RELEASED';
}

function factsOutdated(): DomainError {
  return new DomainError('unavailable', 'FACTS_OUTDATED', 'Service unavailable');
}
