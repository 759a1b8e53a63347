import { unchanged } from '@billing/kernel/transition';
import { isInvoiceOverLimit } from '../over-limit/over-limit-bill';
import { canceled, updated } from '../subscription/announcement';
import type {
  BillEnd,
  BillingCommand,
  Close,
  CreditCancellation,
  VoidChangeInvoices,
} from '../subscription/command';
import { orderedInvoiceOf } from '../subscription/billing-cycle';
import { owedInvoices } from '../subscription/open-invoices';
import { currentPeriod, type OpenInvoice, type Subscription } from '../subscription/subscription';
import type { Decision, InvoiceIdOf, SubscriptionTransition } from '../subscription/transition';
import {
  isRefused,
  recordChanges,
  roundRefused,
  superseding,
  withRemembered,
} from './apply-change';
import { checkNotCanceled } from './check-change';
import {
  billEnd,
  createdInvoices,
  endBeforeStart,
  endBilling,
  endCollection,
  endImmediately,
} from './ending';
import { type EndCredits, type EndTerms, planEnd } from './plan-end';
import { decideAfterDueSteps } from './due-steps';

/** A request to end a subscription. */
export interface Cancellation extends Decision {
  readonly atPeriodEnd: boolean;
  /** Absent: nothing is given back, and nothing was promised. */
  readonly call?: CancellationCall;
}

/** A call that ends a subscription with credits, or as previewed. */
export interface CancellationCall extends Omit<EndTerms, 'at'> {
  /** Id that retries of the call share. */
  readonly id: string;
  /** Instant of a preview; null: the time of the decision. */
  readonly instant: Date | null;
  /** Round in which its credit notes are reserved; null: nothing is. */
  readonly reservedRound: number | null;
}

/**
 * Ends a subscription now, or flags it to end with its current period, a trial with the trial. A
 * subscription that has not started or is paused has no current period: it ends immediately either
 * way.
 *
 * Canceling a canceled subscription changes nothing, so the call is idempotent. An unpaid invoice
 * of the running period is voided; older ones stay payable, and are not retried any more. With
 * proration, the unused time of what was paid is credited.
 */
export function cancel(
  subscription: Subscription,
  { atPeriodEnd, call, ...decision }: Cancellation,
): SubscriptionTransition {
  return decideAfterDueSteps(subscription, decision, (current) => {
    if (current.status === 'CANCELED') return unchanged(current);
    if (call !== undefined && isRefused(current.changes, { ...call, changeId: call.id })) {
      throw roundRefused();
    }
    const known = call === undefined ? current : withRemembered(current, call.id);
    const at = call?.instant ?? decision.now;
    if (current.phase === 'SCHEDULED') return endBeforeStart(known, at);
    if (current.phase === 'PAUSED') return endPaused(known, at);
    if (atPeriodEnd) return flag(known, at);
    return superseding(known, at, (running) => endNow(running, { ...decision, now: at }, call));
  });
}

/** The instant at which a cancellation takes effect. */
export function endOf(subscription: Subscription, { atPeriodEnd, at }: EndRequest): Date {
  const { phase } = subscription;
  const isNow = !atPeriodEnd || phase === 'SCHEDULED' || phase === 'PAUSED';
  return isNow ? at : currentPeriod(subscription).end;
}

/** When an end is asked for. */
interface EndRequest {
  readonly atPeriodEnd: boolean;
  readonly at: Date;
}

/** Clears the flag of a cancellation at period end; without a flag nothing changes. */
export function uncancel(subscription: Subscription, decision: Decision): SubscriptionTransition {
  return decideAfterDueSteps(subscription, decision, (current) => {
    checkNotCanceled(current);
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
  call: CancellationCall | undefined,
): SubscriptionTransition {
  const credits =
    call === undefined
      ? { unusedLines: [], kept: [], voided: [] }
      : creditsOf(subscription, { ...call, at: now, invoiceIdOf });
  const credited = call === undefined ? subscription : withCredits(subscription, call, credits);
  const state = endImmediately(credited, { now, cancelReason: 'REQUESTED' });
  const older = createdInvoices(state).filter(
    ({ periodIndex }) => periodIndex !== state.periodIndex,
  );
  const commands: BillingCommand[] = [
    // Ordered before the close, which waits for a payment in flight, and bills the usage: the
    // balance pays it.
    ...endCollection(older, { writeOff: false }),
    ...voidChangeInvoices(changeInvoicesOf(state)),
    ...creditCancellation(credits.kept),
    ...closeRunningPeriod(state, invoiceIdOf),
    ...creditCancellation(credits.voided),
    ...recordChanges(state),
  ];
  return { state, events: [canceled(state)], commands };
}

/** Credit notes of an end of the running period at an instant. */
export function creditsOf(
  subscription: Subscription,
  { invoiceIdOf, ...terms }: EndTerms & Pick<Decision, 'invoiceIdOf'>,
): EndCredits {
  const { periodIndex } = subscription;
  const ofChanges = changeInvoicesOf(subscription).map(({ invoiceId }) => invoiceId);
  const ofPeriod =
    periodIndex === null ? [] : [periodInvoiceOf(subscription, periodIndex, invoiceIdOf)];
  const kept = terms.facts?.invoices.filter(({ isVoidable = true }) => !isVoidable) ?? [];
  const keptIds = kept.map(({ invoiceId }) => invoiceId);
  const voidedIds = [...ofChanges, ...ofPeriod].filter((id) => !keptIds.includes(id));
  return planEnd(subscription, terms, { voidedIds });
}

function withCredits(
  subscription: Subscription,
  { id, reservedRound }: CancellationCall,
  { unusedLines, kept, voided }: EndCredits,
): Subscription {
  const { changes } = subscription;
  const creditNotes = [...kept, ...voided];
  const isCredited = creditNotes.length > 0;
  const lessening = { changeId: id, lines: unusedLines, discount: null, bill: null };
  return {
    ...subscription,
    changes: {
      ...changes,
      ...(isCredited && { cancellation: { id, reservedRound, creditNotes } }),
      ...(unusedLines.length > 0 && { putOff: [...changes.putOff, lessening] }),
    },
  };
}

function creditCancellation(creditNotes: EndCredits['kept']): CreditCancellation[] {
  if (creditNotes.length === 0) return [];
  const invoiceIds = creditNotes.map(({ invoiceId }) => invoiceId);
  return [{ type: 'creditCancellation', payload: { invoiceIds } }];
}

/** The unpaid invoices of changes in the running period. */
function changeInvoicesOf(subscription: Subscription): OpenInvoice[] {
  return createdInvoices(subscription).filter(
    ({ periodIndex, isOfChange }) =>
      isOfChange === true && periodIndex === subscription.periodIndex,
  );
}

function voidChangeInvoices(invoices: readonly OpenInvoice[]): VoidChangeInvoices[] {
  if (invoices.length === 0) return [];
  const invoiceIds = invoices.map(({ invoiceId }) => invoiceId);
  return [{ type: 'voidChangeInvoices', payload: { invoiceIds } }];
}

/** The invoice to void when a caller has ended a subscription; undefined: none. */
export function runningInvoice(
  subscription: Subscription,
  invoiceIdOf: InvoiceIdOf,
): OpenInvoice | undefined {
  const { cancelReason, cancelAtPeriodEnd, periodIndex, pausedAt } = subscription;
  const isEndedNow = cancelReason === 'REQUESTED' && !cancelAtPeriodEnd && pausedAt === null;
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
  const isOwed = owedInvoices(subscription).some((invoice) => invoice.invoiceId === invoiceId);
  return [{ type: 'close', payload: { invoiceId, periodIndex, isOwed } }];
}
