import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import { canceled, type SubscriptionTransition, updated } from './announcement';
import type { BillingCommand, Decision, InvoiceIdOf } from './billing';
import { decideAfterDueSteps } from './renewals';
import { periodOf, type Subscription } from './subscription';

/** When the end is asked for. */
export interface Cancellation extends Decision {
  readonly atPeriodEnd: boolean;
}

/**
 * Ends a subscription now, or flags it to end with its current period; one that has not started yet ends with its first period, a
 * trial with the trial.
 *
 * Cancelling what is already canceled changes nothing, so that a repeated call is harmless. An unpaid invoice of the running period is
 * voided; older ones stay payable.
 */
export function cancel(
  subscription: Subscription,
  { atPeriodEnd, ...decision }: Cancellation,
): SubscriptionTransition {
  return decideAfterDueSteps(subscription, decision, (current) => {
    if (current.status === 'CANCELED') return unchanged(current);
    return atPeriodEnd ? flag(current, decision.now) : endNow(current, decision);
  });
}

/** Takes the flag of a cancellation at period end back; without one nothing changes. */
export function uncancel(subscription: Subscription, decision: Decision): SubscriptionTransition {
  return decideAfterDueSteps(subscription, decision, (current) => {
    if (current.status === 'CANCELED') {
      throw new DomainError(
        'failed_precondition',
        'SUBSCRIPTION_CANCELED',
        'Subscription is already canceled',
      );
    }
    if (!current.cancelAtPeriodEnd) return unchanged(current);
    const state: Subscription = {
      ...current,
      cancelAtPeriodEnd: false,
      canceledAt: null,
      cancelReason: null,
    };
    return { state, events: [updated(current, state)], commands: [] };
  });
}

function flag(subscription: Subscription, now: Date): SubscriptionTransition {
  if (subscription.cancelAtPeriodEnd) return unchanged(subscription);
  const state: Subscription = {
    ...subscription,
    cancelAtPeriodEnd: true,
    canceledAt: now,
    cancelReason: 'REQUESTED',
  };
  return { state, events: [updated(subscription, state)], commands: [] };
}

function endNow(
  subscription: Subscription,
  { now, invoiceIdOf }: Decision,
): SubscriptionTransition {
  const state: Subscription = {
    ...subscription,
    status: 'CANCELED',
    phase: 'ENDED',
    cancelAtPeriodEnd: false,
    canceledAt: now,
    endedAt: now,
    cancelReason: 'REQUESTED',
  };
  return {
    state,
    events: [canceled(state)],
    commands: closeRunningPeriod(subscription, invoiceIdOf),
  };
}

function closeRunningPeriod(
  { periodIndex }: Subscription,
  invoiceIdOf: InvoiceIdOf,
): BillingCommand[] {
  if (periodIndex === null) return [];
  return [{ type: 'close', payload: { invoiceId: invoiceIdOf(periodIndex) } }];
}

/** Whether the subscription ended before the period did: that period is not owed. One that had run its course is, however late its bill. */
export function endedWithin(subscription: Subscription, periodIndex: number): boolean {
  const { status, endedAt } = subscription;
  if (status !== 'CANCELED' || endedAt === null) return false;
  return endedAt < periodOf(subscription, periodIndex).end;
}
