import type { Transition } from '@billing/kernel/transition';
import type { Invoice } from './invoice';

/** Outcome that an invoice reports to its subscription or session. */
export type CollectionOutcome =
  | 'SUCCEEDED'
  | 'FAILED'
  | 'NOTHING_DUE'
  /** Given up: nothing comes of it any more. */
  | 'UNCOLLECTIBLE'
  /** The provider is unavailable or not configured; the customer is not at fault. */
  | 'NOT_CHARGED'
  /** Sent, and unpaid after its due date. */
  | 'OVERDUE'
  /** Voided by a caller. */
  | 'VOIDED'
  /** Nothing is outstanding any more, without a payment: the rest was credited. */
  | 'SETTLED'
  /** Written off by a caller; the subscription goes on. */
  | 'WRITTEN_OFF';

/** Outcome of an invoice's collection, as reported to its subscription. */
export interface OutcomeReport {
  readonly outcome: CollectionOutcome;
  /** Number of the attempt; 0 for none. */
  readonly attempt: number;
  /** Time of the next automatic attempt; undefined if none follows. */
  readonly nextAttemptAt?: Date | undefined;
}

/**
 * Adds the command that reports the outcome. A subscription's result is numbered in the write that
 * appends the command, so the receiver can apply results in order and once; a session reads the
 * invoice instead, and a one-off invoice reports nothing.
 */
export function withResult(invoice: Invoice, report: OutcomeReport): Transition<Invoice> {
  if (invoice.session !== undefined) {
    const payload = { sessionId: invoice.session.sessionId };
    return { state: invoice, events: [], commands: [{ type: 'tellSession', payload }] };
  }
  if (invoice.subscriptionId === undefined) return { state: invoice, events: [], commands: [] };
  const { outcome, attempt, nextAttemptAt } = report;
  const resultNumber = invoice.resultsSent + 1;
  const payload = { resultNumber, outcome, attempt, nextAttemptAt: nextAttemptAt ?? null };
  return {
    state: { ...invoice, resultsSent: resultNumber },
    events: [],
    commands: [{ type: 'applyCollectionResult', payload }],
  };
}
