import type { BillingCommand } from '../subscription/command';
import { periodOf } from '../subscription/billing-cycle';
import type { Subscription } from '../subscription/subscription';
import type {
  Decision,
  DueSteps,
  LifeStep,
  SubscriptionTransition,
} from '../subscription/transition';
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
      const retryAt = subscription.usage.held?.retryAt ?? null;
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
  const closedAt = subscription.endedAt ?? periodOf(subscription, bill).start;
  const last = closedAt.getTime() + lateForMs;
  return now.getTime() >= last ? null : new Date(Math.min(now.getTime() + dayMs, last));
}

/** Orders the retry of the waiting bills that is due. */
function retryBills(subscription: Subscription, { now }: Decision): SubscriptionTransition {
  const { usage } = subscription;
  const { held } = usage;
  if (held === null) return { state: subscription, events: [], commands: [] };
  const retryAt = nextRetryAt(subscription, held.bill, now);
  const next = { ...usage, held: { ...held, retryAt, triesLeft: retriesADayMax } };
  return { state: { ...subscription, usage: next }, events: [], commands: [billOwed] };
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
  'close',
]);
