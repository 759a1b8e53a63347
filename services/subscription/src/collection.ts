import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  canceled,
  paymentFailed,
  type PaymentNews,
  paymentSucceeded,
  type SubscriptionEvent,
  type SubscriptionTransition,
  updated,
} from './announcement';
import { billEnd, type Decision } from './billing';
import { endAtOnce, endCollection, madeInvoices } from './ending';
import { findOpenInvoice, finishInvoice, hasPastDueInvoice, keepInvoice } from './open-invoices';
import { decideAfterDueSteps } from './renewals';
import type { CollectionMethod, OpenInvoice, Subscription } from './subscription';

/**
 * Of an invoice: paid by a charge, a charge failed, paid because nothing was due, given up after the last retry, unpaid at its due date,
 * voided by a caller, or not charged for a reason that is not the customer's.
 */
export type CollectionOutcome =
  'SUCCEEDED' | 'FAILED' | 'NOTHING_DUE' | 'UNCOLLECTIBLE' | 'OVERDUE' | 'VOIDED' | 'NOT_CHARGED';

/** One piece of news about the collection of an invoice. */
export interface CollectionResult {
  readonly invoiceId: string;
  /** 1, 2, 3 … for each invoice. */
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  /** The invoice's own: its customer may be billed otherwise by now. */
  readonly collectionMethod: CollectionMethod;
  readonly payment: PaymentNews;
}

// The invoice stays open after the others.
const finishing: ReadonlySet<CollectionOutcome> = new Set([
  'SUCCEEDED',
  'NOTHING_DUE',
  'UNCOLLECTIBLE',
  'VOIDED',
]);

/**
 * Applies a result once and in order, however often and in whatever order results arrive: one that was applied, and any of an invoice
 * that is finished, changes nothing; one that comes too early throws `unavailable` and is to be repeated.
 *
 * The first invoice that is past due makes the subscription PAST_DUE, the end of the last one ACTIVE again, and the first one that is
 * given up ends it. Once canceled, results are still counted but change and announce nothing else.
 */
export function applyCollectionResult(
  subscription: Subscription,
  result: CollectionResult,
  decision: Decision,
): SubscriptionTransition {
  const invoice = findOpenInvoice(subscription, result.invoiceId);
  if (invoice === undefined || result.resultNumber <= invoice.lastResult) {
    return unchanged(subscription);
  }
  if (result.resultNumber > invoice.lastResult + 1) {
    throw new DomainError('unavailable', 'RESULT_TOO_EARLY', 'Service unavailable');
  }
  return decideAfterDueSteps(subscription, decision, (current) => {
    const noted = note(current, invoice, result);
    if (noted.status === 'CANCELED') return { state: noted, events: [], commands: [] };
    return result.outcome === 'UNCOLLECTIBLE'
      ? giveUp(noted, result.payment, decision.now)
      : goOn(current, noted, result);
  });
}

/** The subscription with its invoice as it is after the result. */
function note(
  subscription: Subscription,
  invoice: OpenInvoice,
  { outcome, resultNumber, collectionMethod }: CollectionResult,
): Subscription {
  if (finishing.has(outcome)) return finishInvoice(subscription, invoice);
  // An invoice that is sent is not late before its due date, however often its payer's card fails.
  const isFailed = outcome === 'FAILED' && collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isLate = outcome === 'OVERDUE' || isFailed;
  // An amount that the provider does not take is no failure of the customer's, whatever failed before it: its retries have ended, too.
  const isPastDue = outcome !== 'NOT_CHARGED' && (invoice.isPastDue || isLate);
  return keepInvoice(subscription, invoice, { lastResult: resultNumber, isPastDue });
}

function goOn(
  before: Subscription,
  noted: Subscription,
  result: CollectionResult,
): SubscriptionTransition {
  const announced = announcementsOf(noted, result);
  const status = hasPastDueInvoice(noted) ? 'PAST_DUE' : 'ACTIVE';
  if (status === noted.status) return { state: noted, events: announced, commands: [] };
  const state: Subscription = { ...noted, status };
  // The event of a payment has already shown what the result changed.
  const shown = announced.length === 0 ? before : noted;
  return { state, events: [...announced, updated(shown, state)], commands: [] };
}

/** A charge is announced, whatever came of it; what happens to an invoice without one is not. */
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
      return [];
  }
}

/** The end for want of payment; what else is unpaid is given up with it. */
function giveUp(
  subscription: Subscription,
  payment: PaymentNews,
  now: Date,
): SubscriptionTransition {
  const state = endAtOnce(subscription, { now, cancelReason: 'PAYMENT_FAILED' });
  return {
    state,
    events: [canceled(state, payment)],
    commands: [...endCollection(madeInvoices(state), { writeOff: true }), ...billEnd(state)],
  };
}
