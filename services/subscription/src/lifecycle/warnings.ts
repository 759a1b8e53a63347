import { isParked } from '../parking/parking';
import { type WarningEventType, warned } from '../subscription/announcement';
import { currentPeriod, nextChange, type Subscription } from '../subscription/subscription';
import { renewalWarningMs, trialWarningMs } from '../subscription/warning-lead';
import type { Decision, DueSteps, SubscriptionTransition } from '../subscription/transition';

/** A warning before a charge: of the end of the trial, or of the renewal of a long period. */
interface Warning {
  readonly type: WarningEventType;
  readonly at: Date;
  /** Time of the charge: the end of the trial or period that the warning belongs to. */
  readonly chargeAt: Date;
}

/** The announcement of a warning. */
export interface WarningStep {
  readonly at: Date;
  readonly kind: 'WARN';
}

const dayMs = 86_400_000;
// A month's or a quarter's charge needs no warning.
const warnedPeriodMinMs = 180 * dayMs;

/** Adds the warnings to the steps that follow from time. */
export function withWarnings<Step extends { readonly at: Date; readonly kind: string }>(
  steps: DueSteps<Step>,
): DueSteps<Step | WarningStep> {
  return {
    next: (subscription) => {
      const step = steps.next(subscription);
      // The payment of a change has an outcome within moments; the change counts before the step.
      const isPaying = subscription.changes.paying !== null;
      const warning = isPaying ? undefined : warningOf(subscription);
      if (warning === undefined || (step !== undefined && step.at < warning.at)) return step;
      return { at: warning.at, kind: 'WARN' };
    },
    take: (subscription, step, decision) =>
      isWarning(step) ? warn(subscription, decision) : steps.take(subscription, step, decision),
  };
}

/**
 * Drops the warning of a decision's result if the decision made it necessary only after its time:
 * by undoing a cancellation, or by creating a subscription that began earlier. `before` is
 * undefined for a creation.
 */
export function withoutMissedWarning(
  before: Subscription | undefined,
  state: Subscription,
  now: Date,
): Subscription {
  if (state === before) return state;
  const warning = warningOf(state);
  if (warning === undefined || warning.at >= now) return state;
  const known = before === undefined ? undefined : warningOf(before);
  if (known?.chargeAt.getTime() === warning.chargeAt.getTime()) return state;
  return { ...state, warnedOf: warning.chargeAt };
}

function isWarning(step: { readonly kind: string }): step is WarningStep {
  return step.kind === 'WARN';
}

/** The warning that the trial or period still needs; undefined if no charge follows it. */
function warningOf(subscription: Subscription): Warning | undefined {
  const { phase, cancelAtPeriodEnd, warnedOf } = subscription;
  if (cancelAtPeriodEnd || isParked(subscription)) return undefined;
  if (phase !== 'TRIAL' && phase !== 'REGULAR') return undefined;
  if (nextChange(subscription)?.kind === 'PAUSE') return undefined;
  const { start, end: chargeAt } = currentPeriod(subscription);
  if (chargeAt.getTime() === warnedOf?.getTime()) return undefined;
  const lengthMs = chargeAt.getTime() - start.getTime();
  const warnedBy = (ms: number) => new Date(chargeAt.getTime() - ms);
  if (phase === 'TRIAL') {
    if (lengthMs <= trialWarningMs) return undefined;
    return { type: 'subscription.trial_ending', at: warnedBy(trialWarningMs), chargeAt };
  }
  if (lengthMs < warnedPeriodMinMs) return undefined;
  return { type: 'subscription.renewal_upcoming', at: warnedBy(renewalWarningMs), chargeAt };
}

/** Announces the warning that is due; a warning after its charge was due is dropped. */
function warn(subscription: Subscription, { now }: Decision): SubscriptionTransition {
  const warning = warningOf(subscription);
  if (warning === undefined) return { state: subscription, events: [], commands: [] };
  const state: Subscription = { ...subscription, warnedOf: warning.chargeAt };
  const isTooLate = now >= warning.chargeAt;
  return { state, events: isTooLate ? [] : [warned(warning.type, state)], commands: [] };
}
