import type { BillingCommand } from '../subscription/command';
import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import type {
  Decision,
  DueSteps,
  LifeStep,
  SubscriptionTransition,
} from '../subscription/transition';
import { withCycleEndBill } from '../usage/cycle-end-bill';
import { lateForMs } from '../usage/usage-period';

const dayMs = 86_400_000;
// Each retry leaves a settlement behind, and metering is sent all of them: a caller with a change
// every minute must not create thousands.
export const retriesADayMax = 20;

/** A retry of the waiting bills. */
export interface RetryStep {
  readonly at: Date;
  readonly kind: 'BILL_AGAIN';
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
  const { held } = state.usage;
  const isTried = commands.some(({ type }) => billing.has(type));
  if (state === before || held === null || held.triesLeft === 0 || isTried) return transition;
  const usage = { ...state.usage, held: { ...held, triesLeft: held.triesLeft - 1 } };
  return { ...transition, state: { ...state, usage }, commands: [...commands, billOwed] };
}

/** Retries continue while an event may be accepted for the periods of the bill. */
export function nextRetryAt(subscription: Subscription, bill: number, now: Date): Date | null {
  return nextRetryAfter(subscription.endedAt ?? periodOf(subscription, bill).start, now);
}

/** The retry after one at `now` of a bill of periods that have ended by an instant. */
export function nextRetryAfter(endedAt: Date, now: Date): Date | null {
  const last = endedAt.getTime() + lateForMs;
  return now.getTime() >= last ? null : new Date(Math.min(now.getTime() + dayMs, last));
}

/** Time of the next retry of any bill; null: none. */
function earliestRetry({ usage, cycleEndBills = [] }: Subscription): Date | null {
  const times = [usage.held?.retryAt, ...cycleEndBills.map(({ retryAt }) => retryAt)];
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
  const { held } = usage;
  const isDue = held !== null && held.retryAt !== null && held.retryAt <= now;
  if (!isDue) return { state: subscription, events: [], commands: [] };
  const retryAt = nextRetryAt(subscription, held.bill, now);
  const next = { ...usage, held: { ...held, retryAt, triesLeft: retriesADayMax } };
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
  const { held } = state.usage;
  if (held === null || held.retryAt === null || held.retryAt > at) return transition;
  const retryAt = nextRetryAt(state, held.bill, at);
  const usage = { ...state.usage, held: { ...held, retryAt } };
  return { ...transition, state: { ...state, usage } };
}

const billOwed: BillingCommand = { type: 'billOwed', payload: {} };
const billing: ReadonlySet<string> = new Set<BillingCommand['type']>([
  'billOwed',
  'billPeriod',
  'billEnd',
  'billLate',
  'billCycleEnd',
  'close',
]);
