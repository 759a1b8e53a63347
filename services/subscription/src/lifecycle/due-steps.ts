import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import { type RetryStep, withRetries } from '../over-limit/over-limit-bill';
import { withParking } from '../parking/parking';
import type { Subscription } from '../subscription/subscription';
import type { Decision, LifeStep, SubscriptionTransition } from '../subscription/transition';
import { life } from './renewals';
import { type WarningStep, withoutMissedWarning, withWarnings } from './warnings';

/** The next step of a subscription that follows from time alone. */
export type DueStep = LifeStep | RetryStep | WarningStep;

// One write has room for this number of steps, with an event and a command each; a subscription
// further behind is caught up step by step first.
const stepsMax = 32;

// A warning bills nothing, so it postpones no retry of a bill.
const dueSteps = withWarnings(withRetries(withParking(life)));

/**
 * The next automatic step of a subscription's life; undefined once all of it is billed, and while
 * it is parked.
 */
export function dueStep(subscription: Subscription): DueStep | undefined {
  return dueSteps.next(subscription);
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
