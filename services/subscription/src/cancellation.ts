import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import { canceled, type SubscriptionTransition, updated } from './announcement';
import {
  billEnd,
  type BillEnd,
  type BillingCommand,
  type Close,
  type Decision,
  type EndCollection,
  type InvoiceIdOf,
} from './billing';
import { isInvoiceHeld } from './held-bill';
import { findOpenInvoice } from './open-invoices';
import { decideAfterDueSteps } from './renewals';
import type { CancelReason, OpenInvoice, Subscription } from './subscription';

// A call for each: so many fit well into the time that one command has, and a repeat begins with the first of them again.
const invoicesPerCommandMax = 50;

/** When the end is asked for. */
export interface Cancellation extends Decision {
  readonly atPeriodEnd: boolean;
}

/**
 * Ends a subscription now, or flags it to end with its current period; one that has not started yet ends with its first period, a
 * trial with the trial.
 *
 * Cancelling what is already canceled changes nothing, so that a repeated call is harmless. An unpaid invoice of the running period is
 * voided; older ones stay payable, and are not retried any more.
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
  const state = endAtOnce(subscription, { now, cancelReason: 'REQUESTED' });
  const older = madeInvoices(state).filter(({ periodIndex }) => periodIndex !== state.periodIndex);
  const commands: BillingCommand[] = [
    // Before the close, which waits for a payment that runs.
    ...endCollection(older, { writeOff: false }),
    ...closeRunningPeriod(state, invoiceIdOf),
  ];
  return { state, events: [canceled(state)], commands };
}

/** Over, at this instant. */
export function endAtOnce(
  subscription: Subscription,
  { now, cancelReason }: { readonly now: Date; readonly cancelReason: CancelReason },
): Subscription {
  return {
    ...subscription,
    status: 'CANCELED',
    phase: 'ENDED',
    cancelAtPeriodEnd: false,
    canceledAt: now,
    endedAt: now,
    cancelReason,
  };
}

/** The open invoices but for those whose bills are held: they are still owed, and made when they can be. */
export function madeInvoices(subscription: Subscription): OpenInvoice[] {
  return subscription.openInvoices.filter((invoice) => !isInvoiceHeld(subscription, invoice));
}

/** Ends the retries of these invoices, if there are any. */
export function endCollection(
  invoices: readonly OpenInvoice[],
  { writeOff }: { readonly writeOff: boolean },
): EndCollection[] {
  const commandsCount = Math.ceil(invoices.length / invoicesPerCommandMax);
  return Array.from({ length: commandsCount }, (_, index) => {
    const start = index * invoicesPerCommandMax;
    const some = invoices.slice(start, start + invoicesPerCommandMax);
    const invoiceIds = some.map(({ invoiceId }) => invoiceId);
    return { type: 'endCollection', payload: { invoiceIds, writeOff } };
  });
}

function closeRunningPeriod(
  subscription: Subscription,
  invoiceIdOf: InvoiceIdOf,
): (Close | BillEnd)[] {
  const { periodIndex } = subscription;
  if (periodIndex === null) return [];
  // Its last instant has come: all of it is owed.
  if (isInvoiceHeld(subscription, { periodIndex })) return billEnd(subscription);
  const invoiceId = invoiceIdOf(periodIndex);
  const isOwed = findOpenInvoice(subscription, invoiceId) !== undefined;
  return [{ type: 'close', payload: { invoiceId, periodIndex, isOwed } }];
}
