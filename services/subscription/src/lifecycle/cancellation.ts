import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import { isInvoiceOverLimit } from '../over-limit/over-limit-bill';
import { canceled, updated } from '../subscription/announcement';
import type { BillEnd, BillingCommand, Close, VoidChangeInvoices } from '../subscription/command';
import { orderedInvoiceOf } from '../subscription/billing-cycle';
import { findOpenInvoice } from '../subscription/open-invoices';
import type { OpenInvoice, Subscription } from '../subscription/subscription';
import type { Decision, InvoiceIdOf, SubscriptionTransition } from '../subscription/transition';
import { recordChanges, superseding } from './apply-change';
import {
  billEnd,
  createdInvoices,
  endBeforeStart,
  endBilling,
  endCollection,
  endImmediately,
} from './ending';
import { decideAfterDueSteps } from './renewals';

/** A request to end a subscription. */
export interface Cancellation extends Decision {
  readonly atPeriodEnd: boolean;
}

/**
 * Ends a subscription now, or flags it to end with its current period, a trial with the trial. A
 * subscription that has not started or is paused has no current period: it ends immediately either
 * way.
 *
 * Canceling a canceled subscription changes nothing, so the call is idempotent. An unpaid invoice
 * of the running period is voided; older ones stay payable, and are not retried any more.
 */
export function cancel(
  subscription: Subscription,
  { atPeriodEnd, ...decision }: Cancellation,
): SubscriptionTransition {
  return decideAfterDueSteps(subscription, decision, (current) => {
    if (current.status === 'CANCELED') return unchanged(current);
    if (current.phase === 'SCHEDULED') return endBeforeStart(current, decision.now);
    if (current.phase === 'PAUSED') return endPaused(current, decision.now);
    if (atPeriodEnd) return flag(current, decision.now);
    return superseding(current, decision.now, (running) => endNow(running, decision));
  });
}

/** Clears the flag of a cancellation at period end; without a flag nothing changes. */
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

/** Ends a paused subscription: no period runs, and its unpaid invoices stay payable. */
function endPaused(subscription: Subscription, now: Date): SubscriptionTransition {
  return superseding(subscription, now, (current) => {
    const state = endImmediately(current, { now, cancelReason: 'REQUESTED' });
    const commands = endBilling(state, { writeOff: false });
    return { state, events: [canceled(state)], commands };
  });
}

function endNow(
  subscription: Subscription,
  { now, invoiceIdOf }: Decision,
): SubscriptionTransition {
  const state = endImmediately(subscription, { now, cancelReason: 'REQUESTED' });
  const older = createdInvoices(state).filter(
    ({ periodIndex }) => periodIndex !== state.periodIndex,
  );
  const ofChanges = createdInvoices(state).filter(
    ({ periodIndex, isOfChange }) => isOfChange === true && periodIndex === state.periodIndex,
  );
  const commands: BillingCommand[] = [
    // Ordered before the close, which waits for a payment in flight.
    ...endCollection(older, { writeOff: false }),
    ...voidChangeInvoices(ofChanges),
    ...closeRunningPeriod(state, invoiceIdOf),
    ...recordChanges(state),
  ];
  return { state, events: [canceled(state)], commands };
}

function voidChangeInvoices(invoices: readonly OpenInvoice[]): VoidChangeInvoices[] {
  if (invoices.length === 0) return [];
  const invoiceIds = invoices.map(({ invoiceId }) => invoiceId);
  return [{ type: 'voidChangeInvoices', payload: { invoiceIds } }];
}

/** The invoice to void when a canceled subscription ends; undefined: none. */
export function runningInvoice(
  subscription: Subscription,
  invoiceIdOf: InvoiceIdOf,
): OpenInvoice | undefined {
  const { status, cancelAtPeriodEnd, periodIndex, pausedAt } = subscription;
  const isEndedNow = status === 'CANCELED' && !cancelAtPeriodEnd && pausedAt === null;
  if (!isEndedNow || periodIndex === null) return undefined;
  const invoiceId = periodInvoiceOf(subscription, periodIndex, invoiceIdOf);
  return createdInvoices(subscription).find((invoice) => invoice.invoiceId === invoiceId);
}

function periodInvoiceOf(
  subscription: Subscription,
  periodIndex: number,
  invoiceIdOf: InvoiceIdOf,
): string {
  return orderedInvoiceOf(subscription, periodIndex) ?? invoiceIdOf(periodIndex);
}

function closeRunningPeriod(
  subscription: Subscription,
  invoiceIdOf: InvoiceIdOf,
): (Close | BillEnd)[] {
  const { periodIndex } = subscription;
  if (periodIndex === null) return [];
  // The period has ended completely: all of it is owed.
  if (isInvoiceOverLimit(subscription, { periodIndex })) return billEnd(subscription);
  const invoiceId = periodInvoiceOf(subscription, periodIndex, invoiceIdOf);
  const isOwed = findOpenInvoice(subscription, invoiceId) !== undefined;
  return [{ type: 'close', payload: { invoiceId, periodIndex, isOwed } }];
}
