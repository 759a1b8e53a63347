import type { Transition } from '@billing/kernel/transition';
import type { Invoice } from './invoice';

/** What an invoice's holder is told of it. */
export type CollectionOutcome =
  | 'SUCCEEDED'
  | 'FAILED'
  | 'NOTHING_DUE'
  /** Given up: nothing comes of it any more. */
  | 'UNCOLLECTIBLE'
  /** The provider could not take the charge, or none is configured: no failure of the customer's. */
  | 'NOT_CHARGED'
  /** Sent, and unpaid after its due date. */
  | 'OVERDUE'
  /** Voided by a caller. */
  | 'VOIDED';

/** An outcome, of which attempt (0: of none), and when the next one is made by itself. */
export interface CollectionNews {
  readonly outcome: CollectionOutcome;
  readonly attempt: number;
  readonly nextAttemptAt?: Date | undefined;
}

/**
 * The invoice with the command that tells its holder. A subscription's result is numbered in the very write that appends the command, so
 * the receiver can take results in order and once; a session looks at the invoice itself.
 */
export function withResult(invoice: Invoice, news: CollectionNews): Transition<Invoice> {
  if (invoice.session !== undefined) {
    const payload = { sessionId: invoice.session.sessionId };
    return { state: invoice, events: [], commands: [{ type: 'tellSession', payload }] };
  }
  const { outcome, attempt, nextAttemptAt } = news;
  const resultNumber = invoice.resultsSent + 1;
  const payload = { resultNumber, outcome, attempt, nextAttemptAt: nextAttemptAt ?? null };
  return {
    state: { ...invoice, resultsSent: resultNumber },
    events: [],
    commands: [{ type: 'applyCollectionResult', payload }],
  };
}
