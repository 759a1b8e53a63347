import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  canceled,
  paymentFailed,
  type PaymentOutcome,
  paymentSucceeded,
  type SubscriptionEvent,
  updated,
} from '../subscription/announcement';
import { applyPaidChange, applyUnchargedChange, failChange, superseding } from './apply-change';
import { endBilling, endImmediately } from './ending';
import {
  findOpenInvoice,
  finishInvoice,
  hasPastDueInvoice,
  updateOpenInvoice,
  writeInvoiceOff,
} from '../subscription/open-invoices';
import { decideAfterDueSteps } from './due-steps';
import type { ChangeFailure, SubscriptionChange } from '../subscription/subscription-change';
import {
  type CollectionMethod,
  currentPeriod,
  type OpenInvoice,
  type Subscription,
} from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';

/**
 * Outcomes of an invoice: paid by a charge, a charge failed, paid because nothing was due,
 * abandoned after the last retry, unpaid at its due date, voided by a caller, not charged for a
 * reason that is not the customer's, paid because nothing is owed any more, or written off by a
 * caller.
 */
export type CollectionOutcome =
  | 'SUCCEEDED'
  | 'FAILED'
  | 'NOTHING_DUE'
  | 'UNCOLLECTIBLE'
  | 'OVERDUE'
  | 'VOIDED'
  | 'NOT_CHARGED'
  | 'SETTLED'
  | 'WRITTEN_OFF';

/** One result of the collection of an invoice. */
export interface CollectionResult {
  readonly invoiceId: string;
  /** 1, 2, 3 … for each invoice. */
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  /** The invoice's own method: the customer's may have changed since. */
  readonly collectionMethod: CollectionMethod;
  readonly payment: PaymentOutcome;
  /** Start of the period that the invoice of a renewal bills; undefined for other invoices. */
  readonly renewedAt?: Date | undefined;
  /** Reason why the latest charge failed; undefined: none did. */
  readonly failure?: ChangeFailure | undefined;
}

// The invoice stays open after all other outcomes.
const finishing: ReadonlySet<CollectionOutcome> = new Set([
  'SUCCEEDED',
  'NOTHING_DUE',
  'UNCOLLECTIBLE',
  'VOIDED',
  'SETTLED',
]);

/**
 * Applies each result once and in order, regardless of the order of arrival and of duplicates. A
 * duplicate, and any result of a finished invoice, changes nothing; a result that arrives too early
 * throws `unavailable` and has to be retried.
 *
 * The first past-due invoice makes the subscription PAST_DUE, the end of the last one makes it
 * ACTIVE again, and the first abandoned invoice ends it. After the end, results are still counted
 * but change and announce nothing else.
 */
export function applyCollectionResult(
  subscription: Subscription,
  result: CollectionResult,
  decision: Decision,
): SubscriptionTransition {
  const { paying } = subscription.changes;
  if (paying?.invoice?.invoiceId === result.invoiceId) {
    return decideAfterDueSteps(subscription, decision, (current) =>
      // A step that was due before the result has failed the change.
      current.changes.paying === null
        ? unchanged(current)
        : finishPayingChange(current, paying, result, decision.now),
    );
  }
  const invoice = findOpenInvoice(subscription, result.invoiceId);
  if (invoice === undefined && isOfLaterPeriod(subscription, result)) throw tooEarly();
  if (invoice === undefined || result.resultNumber <= invoice.lastResult) {
    return unchanged(subscription);
  }
  if (result.resultNumber > invoice.lastResult + 1) {
    throw tooEarly();
  }
  return decideAfterDueSteps(subscription, decision, (current) => {
    const recorded = recordResult(current, invoice, result);
    if (recorded.status === 'CANCELED') return { state: recorded, events: [], commands: [] };
    return result.outcome === 'UNCOLLECTIBLE'
      ? endForNonPayment(recorded, result.payment, decision.now)
      : continueAfter(current, recorded, result);
  });
}

/**
 * True for the invoice of a period that the subscription has yet to enter again: a restore has put
 * it back. In any other case an invoice that is not open is finished.
 */
function isOfLaterPeriod(subscription: Subscription, { renewedAt }: CollectionResult): boolean {
  const { status, phase } = subscription;
  if (status === 'CANCELED' || phase === 'PAUSED' || renewedAt === undefined) return false;
  return renewedAt >= currentPeriod(subscription).end;
}

function tooEarly(): DomainError {
  return new DomainError('unavailable', 'RESULT_TOO_EARLY', 'Service unavailable');
}

/** Decides the change whose invoice has its first result. */
function finishPayingChange(
  current: Subscription,
  change: SubscriptionChange,
  { outcome, payment, failure, resultNumber }: CollectionResult,
  now: Date,
): SubscriptionTransition {
  switch (outcome) {
    case 'SUCCEEDED':
      return applyPaidChange(current, change, { payment, isCharged: true }, now);
    case 'NOTHING_DUE':
    case 'SETTLED':
      return applyPaidChange(current, change, { payment, isCharged: false }, now);
    case 'NOT_CHARGED':
      return applyUnchargedChange(current, change, { lastResult: resultNumber, now });
    case 'FAILED':
      return failChange(current, change, { failure: failure ?? unknownFailure, payment }, now);
    case 'UNCOLLECTIBLE':
    case 'OVERDUE':
    case 'VOIDED':
    case 'WRITTEN_OFF':
      return failChange(current, change, { failure: notPaid, payment: null }, now);
  }
}

const unknownFailure: ChangeFailure = { code: 'payment_failed', message: 'The payment failed' };
const notPaid: ChangeFailure = { code: 'superseded', message: 'The invoice was closed unpaid' };

/** Returns the subscription with the result recorded on its invoice. */
function recordResult(
  subscription: Subscription,
  invoice: OpenInvoice,
  { outcome, resultNumber, collectionMethod }: CollectionResult,
): Subscription {
  if (finishing.has(outcome)) return finishInvoice(subscription, invoice);
  if (outcome === 'WRITTEN_OFF' || invoice.isWrittenOff === true) {
    return writeInvoiceOff(subscription, invoice, { lastResult: resultNumber });
  }
  // An invoice that is sent is not late before its due date, even if payments by card fail.
  const isFailed = outcome === 'FAILED' && collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isLate = outcome === 'OVERDUE' || isFailed;
  // An amount that the provider does not accept is no failure of the customer's. Its retries have
  // ended, so an earlier failure does not count either.
  const isPastDue = outcome !== 'NOT_CHARGED' && (invoice.isPastDue || isLate);
  return updateOpenInvoice(subscription, invoice, { lastResult: resultNumber, isPastDue });
}

function continueAfter(
  before: Subscription,
  recorded: Subscription,
  result: CollectionResult,
): SubscriptionTransition {
  const announced = announcementsOf(recorded, result);
  const status = hasPastDueInvoice(recorded) ? 'PAST_DUE' : 'ACTIVE';
  if (status === recorded.status) return { state: recorded, events: announced, commands: [] };
  const state: Subscription = { ...recorded, status };
  // The payment event has already shown what the result changed.
  const shown = announced.length === 0 ? before : recorded;
  return { state, events: [...announced, updated(shown, state)], commands: [] };
}

/** The events of a result: each charge is announced, other changes of an invoice are not. */
function announcementsOf(
  subscription: Subscription,
  { outcome, payment }: CollectionResult,
): SubscriptionEvent[] {
  switch (outcome) {
    case 'SUCCEEDED':
      return [paymentSucceeded(subscription, payment)];
    case 'FAILED':
      return [paymentFailed(subscription, payment)];
    case 'NOTHING_DUE':
    case 'OVERDUE':
    case 'VOIDED':
    case 'NOT_CHARGED':
    case 'UNCOLLECTIBLE':
    case 'SETTLED':
    case 'WRITTEN_OFF':
      return [];
  }
}

/**
 * Ends the subscription for non-payment; the collection of its other unpaid invoices is abandoned,
 * too.
 */
function endForNonPayment(
  subscription: Subscription,
  payment: PaymentOutcome,
  now: Date,
): SubscriptionTransition {
  return superseding(subscription, now, (current) => {
    const state = endImmediately(current, { now, cancelReason: 'PAYMENT_FAILED' });
    return {
      state,
      events: [canceled(state, payment)],
      commands: endBilling(state, { writeOff: true }),
    };
  });
}
