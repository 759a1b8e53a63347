import { canceled, renewed } from '../subscription/announcement';
import { nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import { withExpectedTime } from '../subscription/change-at-renewal';
import type { RecordChanges } from '../subscription/command';
import { billLate } from '../subscription/late-bill';
import type { Subscription } from '../subscription/subscription';
import type {
  Decision,
  DueSteps,
  InvoiceIdOf,
  LifeStep,
  SubscriptionTransition,
} from '../subscription/transition';
import { applyWaitingChange, recordChanges, resumeByTime, superseding } from './apply-change';
import { enterPeriod } from './billed-period';
import { endBilling, ended, releaseRedemption } from './ending';

/** The steps of a subscription's life that follow from time alone. */
export const life: DueSteps<LifeStep> = { next: stepOfLife, take: takeStep };

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
  return { at, kind: 'ENTER_PERIOD' };
}

/**
 * The planned end of a pause. An earlier release stored ends before the beginning of the pause: the
 * time before it is billed already.
 */
function resumption(subscription: Subscription): LifeStep | undefined {
  const { resumeAt, pausedAt } = subscription;
  if (resumeAt === null) return undefined;
  const at = pausedAt !== null && pausedAt > resumeAt ? pausedAt : resumeAt;
  return { at, kind: 'RESUME' };
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
