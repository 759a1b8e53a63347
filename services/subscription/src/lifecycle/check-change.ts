import { DomainError } from '@billing/kernel/domain-error';
import { isParked } from '../parking/parking';
import { cyclesMax, cyclesSince } from '../subscription/billing-cycle';
import {
  endsWaitingItems,
  isSameItems,
  itemsAfter,
  monthlyAmountOf,
} from '../subscription/change-side';
import { compareIntervals } from '../subscription/monthly-amount';
import type { ChangeAt, SubscriptionChange } from '../subscription/subscription-change';
import { mainItem, type Subscription, type SubscriptionItems } from '../subscription/subscription';
import type { ChangeTerms } from './change-terms';
import { beginsCycle } from './plan-change';

const changesAPeriodMax = 50;
const newCyclesADayMax = 3;
const dayMs = 86_400_000;

/** A change as a caller asks for it. */
export interface ChangeRequest extends Omit<ChangeTerms, 'at'> {
  readonly changeId: string;
  readonly at: ChangeAt | 'AUTO';
  /** Instant that PERIOD_END waits for; absent: the end of the running period. */
  readonly notBefore?: Date;
  /** Instant of a preview; null: the time of the decision. */
  readonly instant: Date | null;
  /** Round in which its credit notes and the balance are reserved; null: nothing is. */
  readonly reservedRound: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** It may change which product prices a meter; absent: it does not. */
  readonly movesMeters?: boolean;
  /** Price migration that asks for it; absent: a caller does. */
  readonly migrationId?: string;
}

type WantedOf = Pick<ChangeRequest, 'kind' | 'at' | 'wanted' | 'proration'>;

/** Refuses a change that the state of the subscription does not allow; returns its time. */
export function checkRequest(
  current: Subscription,
  request: WantedOf & Pick<ChangeRequest, 'resumeAt'>,
  now: Date,
): ChangeAt {
  checkChangeable(current);
  const at = resolveAt(current, request);
  const isNewCycle = at === 'NOW' && beginsCycle(current, request);
  if (at === 'NOW') checkRoom(current);
  if (at === 'NOW' && needsCycle(current, request)) checkCycles(current, now);
  if (request.kind !== 'UPDATE') {
    checkPause(current, request);
    return at;
  }
  const { wanted } = request;
  const isSame =
    !isNewCycle &&
    isSameDiscount(current, wanted) &&
    isSameItems(current.items, itemsAfter(current, wanted));
  if (at === 'PERIOD_END' && current.cancelAtPeriodEnd) throw setToCancel();
  const replaces = at === 'PERIOD_END' && current.changes.waiting !== null;
  if (isSame && !replaces) throw nothingToChange();
  return at;
}

function isSameDiscount(
  { discount: present }: Subscription,
  { discount }: WantedOf['wanted'],
): boolean {
  return discount === null || discount.next?.id === present?.id;
}

/** Refuses the beginning or end of a pause that the phase does not allow. */
function checkPause(
  { phase, cancelAtPeriodEnd, resumeAt }: Subscription,
  request: Pick<ChangeRequest, 'kind' | 'resumeAt'>,
): void {
  if (request.kind === 'RESUME') {
    if (phase === 'PAUSED') return;
    throw refusal('SUBSCRIPTION_NOT_PAUSED', 'Subscription is not paused');
  }
  if (phase === 'PAUSED') {
    if (request.resumeAt?.getTime() === resumeAt?.getTime()) throw nothingToChange();
    return;
  }
  if (phase !== 'REGULAR') {
    throw refusal('NO_RUNNING_PERIOD', 'Subscription has no running period');
  }
  if (cancelAtPeriodEnd) throw setToCancel();
}

/** Refuses a subscription that takes no changes. */
export function checkChangeable(subscription: Subscription): void {
  checkNotCanceled(subscription);
  if (subscription.changes.paying !== null) {
    throw refusal('CHANGE_PAYING', 'Another change is being paid');
  }
  checkNotParked(subscription);
}

/** Refuses a subscription that has ended. */
export function checkNotCanceled({ status }: Pick<Subscription, 'status'>): void {
  if (status !== 'CANCELED') return;
  throw refusal('SUBSCRIPTION_CANCELED', 'Subscription is already canceled');
}

/** Refuses a subscription with a bill over the limit: its charges are not known. */
export function checkNotParked(subscription: Subscription): void {
  if (isParked(subscription)) throw refusal('SUBSCRIPTION_PARKED', 'Subscription is parked');
}

/**
 * Resolves AUTO: an upgrade takes effect now, a downgrade at the end of the period. A longer
 * billing interval is an upgrade, a shorter one a downgrade.
 */
export function resolveAt(
  subscription: Subscription,
  { kind, at, wanted }: Pick<ChangeRequest, 'kind' | 'at' | 'wanted'>,
): ChangeAt {
  const { phase } = subscription;
  if (kind === 'RESUME' || phase === 'SCHEDULED' || phase === 'PAUSED') return 'NOW';
  if (kind === 'PAUSE') return at === 'NOW' ? 'NOW' : 'PERIOD_END';
  if (at !== 'AUTO') return at;
  if (phase !== 'REGULAR') return 'NOW';
  const items = itemsAfter(subscription, wanted);
  const longer = compareIntervals(items[0].price, mainItem(subscription).price);
  if (longer !== 0) return longer > 0 ? 'NOW' : 'PERIOD_END';
  const [before, after] = [subscription.items, items].map((held) =>
    monthlyAmountOf(subscription, held),
  );
  return (after ?? 0n) >= (before ?? 0n) ? 'NOW' : 'PERIOD_END';
}

/** The items that the next period bills after a change and one that waits. */
export function itemsAtRenewal(subscription: Subscription, request: WantedOf): SubscriptionItems {
  const items = itemsAfter(subscription, request.wanted);
  const waiting = waitingAfter(subscription, request);
  return waiting === null ? items : itemsAfter({ items }, waiting.wanted);
}

/**
 * The change that waits after another one. It applies to what is there then, unless the other one
 * replaces it or changes the products.
 */
function waitingAfter(subscription: Subscription, request: WantedOf): SubscriptionChange | null {
  const { waiting } = subscription.changes;
  if (waiting === null || resolveAt(subscription, request) === 'PERIOD_END') return null;
  const to = itemsAfter(subscription, request.wanted);
  const isEnded = endsWaitingItems({ from: subscription.items, to }, waiting.wanted);
  return isEnded ? null : waiting;
}

/** True if a change now needs room for a cycle: a pause needs it for its end. */
function needsCycle(current: Subscription, request: WantedOf): boolean {
  if (request.kind === 'UPDATE') return beginsCycle(current, request);
  return request.kind === 'PAUSE' && current.phase === 'REGULAR';
}

function checkCycles(subscription: Subscription, now: Date): void {
  const today = cyclesSince(subscription, new Date(now.getTime() - dayMs));
  if (today < newCyclesADayMax && subscription.cycles.length < cyclesMax) return;
  throw refusal('TOO_MANY_CHANGES', 'Too many changes in this period');
}

/** Refuses one more change in the running period; none runs in a pause, where changes are free. */
function checkRoom({ changes: { period }, periodIndex, phase }: Subscription): void {
  if (phase === 'PAUSED' || period === null || period.periodIndex !== periodIndex) return;
  if (period.applied >= changesAPeriodMax) {
    throw refusal('TOO_MANY_CHANGES', 'Too many changes in this period');
  }
}

function setToCancel(): DomainError {
  return refusal('SUBSCRIPTION_SET_TO_CANCEL', 'Subscription is set to cancel');
}

function nothingToChange(): DomainError {
  return refusal('NOTHING_TO_CHANGE', 'Nothing to change');
}

function refusal(reason: string, message: string): DomainError {
  return new DomainError('failed_precondition', reason, message);
}
