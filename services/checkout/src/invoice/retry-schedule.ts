import { only, type Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { claimSlot, lastAttemptNumber, withMethod } from './attempt-slot';
import { isReportedAfterWriteOff, withResult } from './collection-result';
import { datesAfter, retryDates } from './dunning';
import { overdue, reminded } from './announcement';
import {
  withoutSchedule,
  withReturnedBalance,
  type Invoice,
  type InvoiceRecord,
  type Payment,
} from './invoice';
import { hasNoChargeableMethod, type MethodChoice, nextMethod } from './method-choice';
import { noProviderCode } from '../provider/port/decline';
import { awaitProvider } from './provider-absence';

/** Facts that decide the next step after a failure. */
export interface FailureFacts {
  readonly attempt: Attempt;
  readonly now: Date;
  /** Real time, the claim time of the next attempt of the same retry. */
  readonly claimedAt: Date;
  /** Methods for automatic attempts. */
  readonly methods: MethodChoice;
  /** Provider of the next attempt of the same retry; undefined if none is configured. */
  readonly provider: string | undefined;
  /** Days after the first failure on which the invoice is charged again. */
  readonly retryDays: readonly number[];
  /**
   * Another action needed the slot: the challenge was canceled at the provider without an answer of
   * its payer.
   */
  readonly isCanceled?: boolean | undefined;
}

/** True if an automatic step is due. */
export function isDue({ collectAt }: Pick<Invoice, 'collectAt'>, now: Date): boolean {
  return collectAt !== undefined && collectAt <= now;
}

/** True if the due step needs an empty slot: a charge, or the end of dunning. */
export function needsSlot(
  invoice: Invoice,
  { now, ...methods }: MethodChoice & { readonly now: Date },
): boolean {
  if (!isDue(invoice, now) || invoice.collectionMethod === 'SEND_INVOICE') return false;
  return invoice.retriesLeft.length === 0 || !hasNoChargeableMethod(invoice.payments, methods);
}

/**
 * Next state of an invoice after a failed attempt.
 * - Only scheduled attempts move the schedule: the first failure begins it, the last one ends it
 *   with the invoice UNCOLLECTIBLE.
 * - If the invoice rests because the provider refused its amount, any decline begins the schedule:
 *   without dates the subscription would stay PAST_DUE without an end.
 * - A retry has failed once the customer's other methods have failed too: the next one takes the
 *   slot in the same write, so that no crash comes between them.
 * - A sent invoice has no schedule, nor has the invoice of an ended subscription.
 * - The invoice of a plan change is charged once: a decline, or a challenge without a payer,
 *   voids it. It gives back what it has taken from the customer's balance.
 * - A canceled challenge does not show if the payer pays, so the subscription is not notified.
 */
export function afterFailure(invoice: Invoice, facts: FailureFacts): Transition<InvoiceRecord> {
  const { attempt, methods } = facts;
  if (invoice.status === 'UNCOLLECTIBLE') return afterFailureOfUncollectible(invoice, facts);
  if (invoice.ended === 'WRITTEN_OFF') return endDunning(invoice, facts.now);
  // Nothing was charged: the balance was too low.
  if (attempt.source.kind === 'BALANCE') return only(invoice);
  if (invoice.isChargedOnce === true && isPayersFailure(invoice, attempt)) {
    return voidAfterFailure(invoice, attempt, facts.now);
  }
  if (facts.isCanceled === true && invoice.session === undefined) return only(invoice);
  const isCharged = invoice.collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isScheduled = attempt.origin === 'COLLECTION' && isCharged && !isLeftToPayer(invoice);
  const next = isScheduled ? claimNextMethod(invoice, facts) : undefined;
  if (next !== undefined) return only(next);
  if (invoice.session === undefined && !isPayersFailure(invoice, attempt)) {
    return isScheduled ? notCharged(invoice, facts) : only(invoice);
  }
  const isMoved = isScheduled || (isCharged && isResting(invoice));
  const moved = isMoved ? toNextRetry(invoice, facts) : invoice;
  if (moved === undefined) return endDunning(invoice, facts.now);
  const isAwaited = isCharged && !hasNoChargeableMethod(moved.payments, methods);
  const nextAttemptAt = isAwaited ? moved.collectAt : undefined;
  return withResult(moved, { outcome: 'FAILED', attempt: attempt.number, nextAttemptAt });
}

// Collection has ended, but the payer may try again. A decline counts as a success would.
function afterFailureOfUncollectible(
  invoice: Invoice,
  { attempt, isCanceled = false }: FailureFacts,
): Transition<InvoiceRecord> {
  const isDeclined = attempt.source.kind !== 'BALANCE' && isPayersFailure(invoice, attempt);
  if (!isDeclined || isCanceled || !isReportedAfterWriteOff(invoice)) return only(invoice);
  return withResult(invoice, { outcome: 'FAILED', attempt: attempt.number });
}

function voidAfterFailure(invoice: Invoice, { number }: Attempt, now: Date): Transition<Invoice> {
  const { state: voided, commands } = withReturnedBalance(withoutSchedule(invoice), now);
  const reported = withResult(voided, { outcome: 'FAILED', attempt: number });
  return { ...reported, commands: [...commands, ...reported.commands] };
}

/**
 * Skips a date on which a charge would be useless and reminds the payer, or ends dunning after the
 * last one. Only the end is reported to the subscription.
 */
export function skipDate(
  invoice: Invoice,
  { now, retryDays }: { readonly now: Date; readonly retryDays: readonly number[] },
): Transition<InvoiceRecord> {
  const { retriesLeft } = invoice;
  if (retriesLeft.length === 0) return endDunning(invoice, now);
  // The configuration may have had fewer dates when the schedule began.
  const number = Math.max(1, retryDays.length - retriesLeft.length);
  return { ...only(toNextDate(invoice, now)), events: [reminded(number)] };
}

/**
 * True if the last date has passed and a charge would have been useless: the scanner is late with
 * the end of dunning.
 */
export function isDunningOver(
  invoice: Invoice,
  { methods, now }: { readonly methods: MethodChoice; readonly now: Date },
): boolean {
  const { firstFailedAt, collectAt, retriesLeft } = invoice;
  if (firstFailedAt === undefined || collectAt === undefined || retriesLeft.length > 0)
    return false;
  return collectAt < now && hasNoChargeableMethod(invoice.payments, methods);
}

/** A sent invoice that waits for its due date, and then for the dates of its reminders. */
export function withDueDate(invoice: Invoice, retryDays: readonly number[]): Invoice {
  const { dueDate } = invoice;
  const reminderDates = dueDate === undefined ? [] : retryDates(dueDate, retryDays);
  return { ...invoice, collectAt: dueDate, reminderDates };
}

/**
 * Marks a sent invoice as overdue at its due date, and reminds its payer at the dates after it.
 */
export function passSentDate(invoice: Invoice, now: Date): Transition<Invoice> {
  const { collectAt, reminderDates } = invoice;
  const isPassed = (date: Date) => collectAt !== undefined && date <= collectAt;
  const passed = reminderDates.filter(isPassed);
  const left = datesAfter(now, reminderDates.slice(passed.length));
  const next = { ...invoice, collectAt: left[0], reminderDates: [...passed, ...left] };
  if (passed.length > 0) return { ...only(next), events: [reminded(passed.length)] };
  return { ...withResult(next, { outcome: 'OVERDUE', attempt: 0 }), events: [overdue] };
}

/**
 * Applies a decision to an invoice after a date that has passed before it, in case the scanner is
 * late: its due date, or that of a reminder.
 */
export function afterDueDate(
  invoice: Invoice,
  now: Date,
  decide: (invoice: Invoice) => Transition<InvoiceRecord>,
): Transition<InvoiceRecord> {
  const { collectionMethod, collectAt } = invoice;
  const isLate = collectionMethod === 'SEND_INVOICE' && collectAt !== undefined && collectAt < now;
  if (!isLate) return decide(invoice);
  const passed = passSentDate(invoice, now);
  const { state, events, commands } = decide(passed.state);
  return {
    state,
    events: [...passed.events, ...events],
    commands: [...passed.commands, ...commands],
  };
}

/**
 * Applies a decision to an invoice after its due work that needs no charge: a due date that has
 * passed, or the end of dunning.
 */
export function afterDueWork(
  invoice: Invoice,
  { methods, now }: { readonly methods: MethodChoice; readonly now: Date },
  decide: (invoice: Invoice) => Transition<InvoiceRecord>,
): Transition<InvoiceRecord> {
  if (!isDunningOver(invoice, { methods, now })) return afterDueDate(invoice, now, decide);
  const ended = endDunning(invoice, now);
  const { state, events, commands } = decide(ended.state);
  return {
    state,
    events: [...ended.events, ...events],
    commands: [...ended.commands, ...commands],
  };
}

/** Ends dunning. */
export function endDunning(invoice: Invoice, now: Date): Transition<Invoice> {
  const uncollectible = {
    ...withoutSchedule(invoice),
    status: 'UNCOLLECTIBLE',
    givenUpAt: now,
  } as const;
  return withResult(uncollectible, {
    outcome: 'UNCOLLECTIBLE',
    attempt: lastAttemptNumber(invoice),
  });
}

// Retries nothing automatically: the invoice belongs to a session, or its subscription has ended.
function isLeftToPayer({ session, ended }: Invoice): boolean {
  return session !== undefined || ended !== undefined;
}

// The provider refused the amount: the invoice is owed, without dates. Every other automatically
// charged invoice has a date while its payer's attempt runs.
function isResting(invoice: Invoice): boolean {
  const { collectAt, awaitsProviderSince } = invoice;
  return collectAt === undefined && awaitsProviderSince === undefined && !isLeftToPayer(invoice);
}

// True if any attempt of the same date was declined for its method; otherwise the provider could
// not take the charge.
function isPayersFailure({ payments }: Invoice, { number, retry }: Attempt): boolean {
  const isOfDate = (payment: Payment) =>
    payment.number === number || (retry !== undefined && payment.retry === retry);
  return payments.some((payment) => isOfDate(payment) && payment.decline !== 'PROVIDER');
}

// Not the customer's failure: the invoice stays owed, and nothing is retried automatically while
// the reason lasts.
function notCharged(invoice: Invoice, { attempt, now }: FailureFacts): Transition<InvoiceRecord> {
  const { code } = invoice.lastPaymentError ?? {};
  const owed = { ...invoice, isChargedOnce: false };
  const stopped = code === noProviderCode ? awaitProvider(owed, now) : withoutSchedule(owed);
  return withResult(stopped, { outcome: 'NOT_CHARGED', attempt: attempt.number });
}

// Only retries try other methods: the first charge of an invoice fails with its intended method.
function claimNextMethod(invoice: Invoice, facts: FailureFacts) {
  const { attempt, methods, provider, now, claimedAt } = facts;
  const { retry } = attempt;
  if (retry === undefined || retry === 0 || provider === undefined) return undefined;
  const methodId = nextMethod(methods, { payments: invoice.payments, retry })?.methodId;
  if (methodId === undefined) return undefined;
  const claim = { source: attempt.source, methodId, provider, now, claimedAt };
  return claimSlot(invoice, withMethod(claim, methodId), { origin: 'COLLECTION', retry });
}

// Undefined after the last date. A decline after a rest begins the schedule again, because the
// reason for the rest is gone.
function toNextRetry(
  invoice: Invoice,
  { attempt, now, retryDays }: FailureFacts,
): Invoice | undefined {
  const { firstFailedAt } = invoice;
  const isStarted = firstFailedAt !== undefined && attempt.origin === 'COLLECTION';
  const started = isStarted
    ? invoice
    : { ...invoice, firstFailedAt: firstFailedAt ?? now, retriesLeft: retryDates(now, retryDays) };
  return started.retriesLeft.length > 0 ? toNextDate(started, now) : undefined;
}

function toNextDate(invoice: Invoice, now: Date): Invoice {
  const [collectAt, ...retriesLeft] = datesAfter(now, invoice.retriesLeft);
  return { ...invoice, collectAt, retriesLeft };
}
