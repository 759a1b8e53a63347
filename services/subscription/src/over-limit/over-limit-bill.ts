import { periodOf } from '../subscription/billing-cycle';
import type { BillingCommand } from '../subscription/command';
import { lateRoundOf } from '../subscription/late-bill';
import type {
  Closing,
  OverLimitBills,
  OverLimitState,
  UnbilledSettlements,
} from '../subscription/over-limit-state';
import { endedWithin, type OpenInvoice, type Subscription } from '../subscription/subscription';
import type {
  Decision,
  DueSteps,
  LifeStep,
  SubscriptionTransition,
} from '../subscription/transition';
import { isBilled } from '../subscription/usage-billing';
import { withCycleEndBill } from '../usage/cycle-end-bill';
import { type Settlement, settlementAtCycleEnd } from '../usage/settlement';
import { attemptsOf, withUnbilled } from '../usage/settlement-attempt';
import { lateForMs, mayBeSettled } from '../usage/usage-period';

const dayMs = 86_400_000;
// Each retry leaves a settlement behind, and metering is sent all of them: a caller with a change
// every minute must not create thousands.
const retriesADayMax = 20;

const billOwed: BillingCommand = { type: 'billOwed', payload: {} };
const billing: ReadonlySet<string> = new Set<BillingCommand['type']>([
  'billOwed',
  'billPeriod',
  'billEnd',
  'billLate',
  'billCycleEnd',
  'close',
]);

/** The next retry among the bills over the limit. */
export type OwedBill =
  | { readonly kind: 'PERIOD'; readonly periodIndex: number }
  | { readonly kind: 'END'; readonly closing: Closing }
  | { readonly kind: 'LATE'; readonly round: number };

/** A bill over the largest invoice amount, and the settlements that it was made from. */
export interface OverLimitBill {
  readonly bill: number;
  readonly settlements: readonly Settlement[];
  /** Set for the bill of the end. */
  readonly closing?: Closing;
}

/** A bill that was over the limit. */
export interface OverLimitAttempt {
  readonly bill: number;
  /** The settlements made for it. */
  readonly settled: readonly UnbilledSettlements[];
  /** Set for the bill of the end. */
  readonly closing: Closing | null;
  readonly now: Date;
}

/** A retry of the waiting bills. */
export interface RetryStep {
  readonly at: Date;
  readonly kind: 'BILL_AGAIN';
}

/** Describes the attempt of a bill that was over the limit; bills that wait already come first. */
export function overLimitAttempt(
  { usage }: Subscription,
  { bill, settlements, closing }: OverLimitBill,
  now: Date,
): OverLimitAttempt {
  const settled = attemptsOf({ usage }, settlements);
  return {
    bill: Math.min(usage.overLimit?.bill ?? bill, bill),
    settled,
    closing: closing ?? null,
    now,
  };
}

/** True while the bill of the end of a cycle is over the limit. */
export function isCycleEndOverLimit({ cycleEndBills = [], usage }: Subscription): boolean {
  return cycleEndBills.some(({ periodIndex, isBilled }) => {
    const { key } = settlementAtCycleEnd(periodIndex);
    return !isBilled && usage.unbilled.some((one) => one.key === key);
  });
}

/** True while bills wait because one of them is over the limit. */
export function hasWaitingBills({ usage }: Subscription): boolean {
  return usage.overLimit !== null;
}

/**
 * Records a bill as over the limit, so that it and all later ones are retried; a duplicate of an
 * attempt changes nothing.
 */
export function recordOverLimitBill(
  subscription: Subscription,
  { bill, settled, closing, now }: OverLimitAttempt,
): Subscription {
  const { usage } = subscription;
  if (isBilled(subscription, bill)) return subscription;
  const { overLimit } = usage;
  const { unbilled } = withUnbilled(subscription, settled).usage;
  const isFirst = overLimit === null || unbilled.length > usage.unbilled.length;
  const waiting: OverLimitBills = {
    bill,
    retryAt: isFirst ? nextRetryAt(subscription, bill, now) : overLimit.retryAt,
    retriesLeft: isFirst ? retriesADayMax : overLimit.retriesLeft,
    closing: closing ?? overLimit?.closing ?? null,
  };
  return { ...subscription, usage: { ...usage, overLimit: waiting, unbilled } };
}

/** Adds the bill of the end to the waiting bills. */
export function closeOverLimitBills(subscription: Subscription, closing: Closing): Subscription {
  const { usage } = subscription;
  const { overLimit } = usage;
  if (overLimit === null || overLimit.closing !== null) return subscription;
  return { ...subscription, usage: { ...usage, overLimit: { ...overLimit, closing } } };
}

/**
 * Returns the first waiting bill; undefined: none is waiting, or the bill of the end has not been
 * ordered yet.
 */
export function owedBill(subscription: Subscription): OwedBill | undefined {
  const { periodIndex, usage } = subscription;
  const { overLimit } = usage;
  if (overLimit === null || periodIndex === null) return undefined;
  const { bill, closing } = overLimit;
  if (bill > periodIndex + 1) return { kind: 'LATE', round: lateRoundOf(subscription, bill) };
  if (bill <= periodIndex && !endedWithin(subscription, bill)) {
    return { kind: 'PERIOD', periodIndex: bill };
  }
  return closing === null ? undefined : { kind: 'END', closing };
}

/** The waiting bills, and the settlements without a bill, once a bill is created. */
export function overLimitAfter(subscription: Subscription, bill: number): OverLimitState {
  const overLimit = waitingAfter(subscription, bill);
  return { overLimit, unbilled: stillUnbilled(subscription, bill) };
}

/** True when operators have to be alarmed: a bill is over the limit for the first time. */
export function isAlarming(before: Subscription, { usage }: Subscription): boolean {
  const known = new Set(before.usage.unbilled.map(({ key }) => key));
  return usage.unbilled.some(({ key }) => !known.has(key));
}

/**
 * True while the invoice of a completed period has not been created because its bill is over the
 * limit: its id must not be voided.
 */
export function isInvoiceOverLimit(
  subscription: Subscription,
  { periodIndex }: Pick<OpenInvoice, 'periodIndex'>,
): boolean {
  const { overLimit } = subscription.usage;
  return (
    overLimit !== null && overLimit.bill <= periodIndex && !endedWithin(subscription, periodIndex)
  );
}

/**
 * Adds the retries of bills over the limit to the steps of a subscription's life. They happen in
 * between, and keep no period from beginning or ending.
 */
export function withRetries(life: DueSteps<LifeStep>): DueSteps<LifeStep | RetryStep> {
  return {
    next: (subscription) => {
      const step = life.next(subscription);
      const retryAt = earliestRetry(subscription);
      if (retryAt === null || (step !== undefined && step.at <= retryAt)) return step;
      return { at: retryAt, kind: 'BILL_AGAIN' };
    },
    take: (subscription, step, decision) =>
      step.kind === 'BILL_AGAIN'
        ? retryBills(subscription, decision)
        : withRetryPostponed(life.take(subscription, step, decision), step.at),
  };
}

/**
 * Orders a retry of the waiting bills with a change of the subscription; the change may have been
 * made for that purpose.
 */
export function retriedWithChange(
  before: Subscription,
  transition: SubscriptionTransition,
): SubscriptionTransition {
  const { state, commands } = transition;
  const { overLimit } = state.usage;
  const isTried = commands.some(({ type }) => billing.has(type));
  if (state === before || overLimit === null || overLimit.retriesLeft === 0 || isTried)
    return transition;
  const usage = {
    ...state.usage,
    overLimit: { ...overLimit, retriesLeft: overLimit.retriesLeft - 1 },
  };
  return { ...transition, state: { ...state, usage }, commands: [...commands, billOwed] };
}

/** Retries continue while an event may be accepted for the periods of the bill. */
function nextRetryAt(subscription: Subscription, bill: number, now: Date): Date | null {
  return nextRetryAfter(subscription.endedAt ?? periodOf(subscription, bill).start, now);
}

/** The retry after one at `now` of a bill of periods that have ended by an instant. */
export function nextRetryAfter(endedAt: Date, now: Date): Date | null {
  const last = endedAt.getTime() + lateForMs;
  return now.getTime() >= last ? null : new Date(Math.min(now.getTime() + dayMs, last));
}

/** Returns the bills that still wait once a bill is created. */
function waitingAfter(subscription: Subscription, bill: number): OverLimitBills | null {
  const { phase, periodIndex, usage } = subscription;
  if (usage.overLimit === null || periodIndex === null) return null;
  const last = phase === 'ENDED' ? periodIndex + 1 : periodIndex;
  return bill < last ? { ...usage.overLimit, bill: bill + 1 } : null;
}

/**
 * Returns the unbilled settlements whose periods a later settlement may be about, too: that one
 * must know that their usage was not billed.
 */
function stillUnbilled(subscription: Subscription, bill: number): readonly UnbilledSettlements[] {
  const { periodIndex, usage } = subscription;
  if (periodIndex === null || bill > periodIndex) return usage.unbilled;
  return usage.unbilled.filter(({ through }) => mayBeSettled(subscription, through, bill));
}

/** Time of the next retry of any bill; null: none. */
function earliestRetry({ usage, cycleEndBills = [] }: Subscription): Date | null {
  const times = [usage.overLimit?.retryAt, ...cycleEndBills.map(({ retryAt }) => retryAt)];
  const [first = null] = times
    .filter((time) => time !== null && time !== undefined)
    .toSorted((a, b) => a.getTime() - b.getTime());
  return first;
}

/** Orders the retries of bills that are due. */
function retryBills(subscription: Subscription, decision: Decision): SubscriptionTransition {
  const waiting = retryWaiting(subscription, decision);
  const ends = retryCycleEnds(waiting.state, decision);
  return { ...ends, commands: [...waiting.commands, ...ends.commands] };
}

function retryWaiting(subscription: Subscription, { now }: Decision): SubscriptionTransition {
  const { usage } = subscription;
  const { overLimit } = usage;
  const isDue = overLimit !== null && overLimit.retryAt !== null && overLimit.retryAt <= now;
  if (!isDue) return { state: subscription, events: [], commands: [] };
  const retryAt = nextRetryAt(subscription, overLimit.bill, now);
  const next = { ...usage, overLimit: { ...overLimit, retryAt, retriesLeft: retriesADayMax } };
  return { state: { ...subscription, usage: next }, events: [], commands: [billOwed] };
}

function retryCycleEnds(subscription: Subscription, { now }: Decision): SubscriptionTransition {
  const { cycleEndBills = [] } = subscription;
  const due = cycleEndBills.filter(({ retryAt }) => retryAt !== null && retryAt <= now);
  const state = due.reduce((current, { periodIndex }) => {
    const retryAt = nextRetryAfter(periodOf(current, periodIndex).end, now);
    return withCycleEndBill(current, periodIndex, { retryAt });
  }, subscription);
  const commands = due.map(({ periodIndex }): BillingCommand => ({
    type: 'billCycleEnd',
    payload: { periodIndex },
  }));
  return { state, events: [], commands };
}

/**
 * Postpones the next retry after a step of the subscription's life, which retries the waiting bills
 * with its own bill.
 */
function withRetryPostponed(transition: SubscriptionTransition, at: Date): SubscriptionTransition {
  const { state } = transition;
  const { overLimit } = state.usage;
  if (overLimit === null || overLimit.retryAt === null || overLimit.retryAt > at) return transition;
  const retryAt = nextRetryAt(state, overLimit.bill, at);
  const usage = { ...state.usage, overLimit: { ...overLimit, retryAt } };
  return { ...transition, state: { ...state, usage } };
}
