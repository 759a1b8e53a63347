import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import { parkReason } from '../over-limit/parking';
import { type RetryStep, withRetries } from '../over-limit/retries';
import { canceled, renewed } from '../subscription/announcement';
import { nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import type { RecordChanges } from '../subscription/command';
import { billLate } from '../subscription/late-bill';
import type { Subscription } from '../subscription/subscription';
import { withExpectedTime } from '../subscription/change-at-renewal';
import type {
  Decision,
  InvoiceIdOf,
  LifeStep,
  SubscriptionTransition,
} from '../subscription/transition';
import { applyWaitingChange, recordChanges, resumeByTime, superseding } from './apply-change';
import { enterPeriod } from './billed-period';
import { endBilling, ended, releaseRedemption } from './ending';
import { type WarningStep, withoutMissedWarning, withWarnings } from './warnings';

/** The next step of a subscription that follows from time alone. */
export type DueStep = LifeStep | RetryStep | WarningStep;

// One write has room for this number of steps, with an event and a command each; a subscription
// further behind is caught up step by step first.
const stepsMax = 32;

// A warning bills nothing, so it postpones no retry of a bill.
const dueSteps = withWarnings(withRetries({ next: stepOfLife, take: takeStep }));

/**
 * The next automatic step of a subscription's life; undefined once all of it is billed, and while
 * it is parked.
 */
export function dueStep(subscription: Subscription): DueStep | undefined {
  return dueSteps.next(subscription);
}

function stepOfLife(subscription: Subscription): LifeStep | undefined {
  const { phase, startAt, trialEnd, anchor, periodIndex, cancelAtPeriodEnd } = subscription;
  if (phase === 'ENDED') {
    const { lateBillAt } = subscription.usage;
    return lateBillAt === null ? undefined : { at: lateBillAt, kind: 'BILL_LATE' };
  }
  if (phase === 'SCHEDULED') {
    // Earlier releases flagged a subscription that had not started.
    if (cancelAtPeriodEnd) return { at: startAt, kind: 'END' };
    return { at: startAt, kind: trialEnd === null ? 'ENTER_PERIOD' : 'START_TRIAL' };
  }
  if (phase === 'PAUSED') return resumption(subscription);
  const at = periodIndex === null ? anchor : periodOf(subscription, periodIndex).end;
  if (cancelAtPeriodEnd) return { at, kind: 'END' };
  return parkReason(subscription) === null ? { at, kind: 'ENTER_PERIOD' } : undefined;
}

/**
 * The planned end of a pause. An earlier release stored ends before the beginning of the pause: the
 * time before it is billed already.
 */
function resumption(subscription: Subscription): LifeStep | undefined {
  const { resumeAt, pausedAt } = subscription;
  if (resumeAt === null || parkReason(subscription) !== null) return undefined;
  const at = pausedAt !== null && pausedAt > resumeAt ? pausedAt : resumeAt;
  return { at, kind: 'RESUME' };
}

/**
 * Takes one step that is due by `now`, if any. Missed steps are taken one by one, each in a call of
 * its own.
 */
export function takeDueStep(
  subscription: Subscription,
  decision: Decision,
): SubscriptionTransition {
  const step = dueStep(subscription);
  if (step === undefined || step.at > decision.now) return unchanged(subscription);
  const taken = dueSteps.take(subscription, step, decision);
  // Nothing was announced, so the step that the warning precedes needs no write of its own.
  const isDropped = step.kind === 'WARN' && taken.events.length === 0;
  return isDropped ? followedBy(taken, takeDueStep(taken.state, decision)) : taken;
}

/**
 * Takes the steps that were due strictly before `now`, then decides: no decision may precede a step
 * that is merely late. At the same instant the decision goes first. Throws `unavailable` for a
 * subscription that is very far behind.
 */
export function decideAfterDueSteps(
  subscription: Subscription,
  decision: Decision,
  decide: (current: Subscription) => SubscriptionTransition,
): SubscriptionTransition {
  let taken: SubscriptionTransition = unchanged(subscription);
  for (let steps = 0; ; steps += 1) {
    const step = dueStep(taken.state);
    if (step === undefined || step.at >= decision.now) {
      const decided = decide(taken.state);
      const state = withoutMissedWarning(taken.state, decided.state, decision.now);
      return followedBy(taken, { ...decided, state });
    }
    if (steps === stepsMax) {
      throw new DomainError('unavailable', 'RENEWALS_BEHIND', 'Service unavailable');
    }
    taken = followedBy(taken, dueSteps.take(taken.state, step, decision));
  }
}

function takeStep(
  subscription: Subscription,
  step: LifeStep,
  decision: Decision,
): SubscriptionTransition {
  switch (step.kind) {
    case 'END':
      return superseding(subscription, step.at, (current) => end(current, step.at));
    case 'START_TRIAL': {
      const state: Subscription = { ...subscription, phase: 'TRIAL' };
      return { state, events: [renewed(state, null)], commands: [] };
    }
    case 'ENTER_PERIOD':
      return superseding(subscription, step.at, (current) => {
        const changed = applyWaitingChange(current, step.at, decision);
        if (changed.state.phase === 'PAUSED') return changed;
        const { state, events, commands } = renew(changed.state, decision.invoiceIdOf);
        // An outage of the discount service must not delay the bill.
        return {
          state,
          events: [...changed.events, ...events],
          commands: [...commands, ...changed.commands, ...recordUnordered(changed)],
        };
      });
    case 'RESUME':
      return superseding(subscription, step.at, (current) =>
        resumeByTime(current, step.at, decision),
      );
    case 'BILL_LATE':
      return billLate(subscription);
  }
}

/**
 * Orders the record of a change that is read as canceled because release 0.1.0 has ended it: that
 * release knows neither the change nor its redemption and its price migration.
 */
function recordUnordered({ state, commands }: SubscriptionTransition): RecordChanges[] {
  const isOrdered = commands.some(({ type }) => type === 'recordChanges');
  const isLeft = state.changes.finished.some(({ status }) => status === 'CANCELED');
  return isLeft && !isOrdered ? recordChanges(state) : [];
}

/** Ends a flagged subscription. Its open invoices stay payable and are not retried any more. */
function end(subscription: Subscription, endedAt: Date): SubscriptionTransition {
  const state = ended(subscription, endedAt);
  const commands = state.endedBeforeStart
    ? [...releaseRedemption(state), ...recordChanges(state)]
    : endBilling(state, { writeOff: false });
  return { state, events: [canceled(state)], commands };
}

/**
 * Enters period n + 1, or period 0 at the start or at the trial's end. Its authorization, if there
 * was one, was resolved by then.
 */
function renew(subscription: Subscription, invoiceIdOf: InvoiceIdOf): SubscriptionTransition {
  const next = nextPeriodIndex(subscription);
  const { state, command } = enterPeriod(subscription, next, {
    reason: 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: null,
    invoiceIdOf,
  });
  const events = [renewed(state, command.payload.invoiceId)];
  return { state: withExpectedTime(state), events, commands: [command] };
}

function followedBy(
  first: SubscriptionTransition,
  then: SubscriptionTransition,
): SubscriptionTransition {
  return {
    state: then.state,
    events: [...first.events, ...then.events],
    commands: [...first.commands, ...then.commands],
  };
}
