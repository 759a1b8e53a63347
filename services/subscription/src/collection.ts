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
import { endAtOnce, endCollection, madeInvoices } from './cancellation';
import { findOpenInvoice, finishInvoice, hasPastDueInvoice, keepInvoice } from './open-invoices';
import { decideAfterDueSteps } from './renewals';
import type { CollectionMethod, OpenInvoice, Subscription } from './subscription';

/**
 * Of an invoice: paid by a charge, a charge failed, paid because nothing was due, given up after the last retry, unpaid at its due date,
 * or voided by a caller.
 */
export type CollectionOutcome =
  'SUCCEEDED' | 'FAILED' | 'NOTHING_DUE' | 'UNCOLLECTIBLE' | 'OVERDUE' | 'VOIDED';

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
      : goOn(noted, result);
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
  const isLate = outcome === 'OVERDUE' || collectionMethod === 'CHARGE_AUTOMATICALLY';
  const isPastDue = invoice.isPastDue || isLate;
  return keepInvoice(subscription, invoice, { lastResult: resultNumber, isPastDue });
}

function goOn(subscription: Subscription, result: CollectionResult): SubscriptionTransition {
  const announced = announcementsOf(subscription, result);
  const status = hasPastDueInvoice(subscription) ? 'PAST_DUE' : 'ACTIVE';
  if (status === subscription.status) {
    return { state: subscription, events: announced, commands: [] };
  }
  const state: Subscription = { ...subscription, status };
  return { state, events: [...announced, updated(subscription, state)], commands: [] };
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
