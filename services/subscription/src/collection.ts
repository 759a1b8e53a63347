import { DomainError } from '@billing/kernel/domain-error';
import { unchanged } from '@billing/kernel/transition';
import {
  paymentFailed,
  type PaymentNews,
  paymentSucceeded,
  type SubscriptionTransition,
  updated,
} from './announcement';
import type { Decision } from './billing';
import { failInvoice, findOpenInvoice, finishInvoice, hasFailedInvoice } from './open-invoices';
import { decideAfterDueSteps } from './renewals';
import type { OpenInvoice, Subscription } from './subscription';

/** Of an attempt to collect: paid by a charge, failed, or paid because nothing was due. */
export type CollectionOutcome = 'SUCCEEDED' | 'FAILED' | 'NOTHING_DUE';

/** What came of one attempt to collect an invoice. */
export interface CollectionResult {
  readonly invoiceId: string;
  /** 1, 2, 3 … for each invoice. */
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  readonly payment: PaymentNews;
}

/**
 * Applies a result once and in order, however often and in whatever order results arrive: one that was applied, and any of an invoice
 * that is finished, changes nothing; one that comes too early throws `unavailable` and is to be repeated.
 *
 * The first failure makes the subscription PAST_DUE, the last failed invoice's success ACTIVE again. Once canceled, results are still
 * counted but change and announce nothing else.
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
  return decideAfterDueSteps(subscription, decision, (current) =>
    result.outcome === 'FAILED' ? fail(current, invoice, result) : pay(current, invoice, result),
  );
}

function fail(
  subscription: Subscription,
  invoice: OpenInvoice,
  { resultNumber, payment }: CollectionResult,
): SubscriptionTransition {
  const failed = failInvoice(subscription, invoice, resultNumber);
  if (failed.status === 'CANCELED') return { state: failed, events: [], commands: [] };
  const announced = paymentFailed(failed, payment);
  if (failed.status === 'PAST_DUE') return { state: failed, events: [announced], commands: [] };
  const pastDue: Subscription = { ...failed, status: 'PAST_DUE' };
  return { state: pastDue, events: [announced, updated(failed, pastDue)], commands: [] };
}

function pay(
  subscription: Subscription,
  invoice: OpenInvoice,
  { outcome, payment }: CollectionResult,
): SubscriptionTransition {
  const paid = finishInvoice(subscription, invoice);
  if (paid.status === 'CANCELED') return { state: paid, events: [], commands: [] };
  const announced = outcome === 'NOTHING_DUE' ? [] : [paymentSucceeded(paid, payment)];
  if (paid.status === 'ACTIVE' || hasFailedInvoice(paid)) {
    return { state: paid, events: announced, commands: [] };
  }
  const recovered: Subscription = { ...paid, status: 'ACTIVE' };
  return { state: recovered, events: [...announced, updated(paid, recovered)], commands: [] };
}
