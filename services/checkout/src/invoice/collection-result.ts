import type { Command, Transition } from '@billing/kernel/transition';
import type { CollectionOutcome, SentResult } from './attempt';
import type { Invoice } from './invoice';

/**
 * Recorded results of an invoice: more than it has in the time by which a restored subscription may
 * be behind.
 */
export const resultsMax = 20;

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
  const sent = { resultNumber, outcome, attempt, nextAttemptAt: nextAttemptAt ?? null };
  const results = [...(invoice.results ?? []), sent].slice(-resultsMax);
  return {
    state: { ...invoice, resultsSent: resultNumber, results },
    events: [],
    commands: [resultCommand(sent)],
  };
}

/**
 * True for an invoice that a caller has written off: its later payments are reported, too. At the
 * end of dunning the subscription has ended, and nothing is reported.
 */
export function isReportedAfterWriteOff({
  status,
  ended,
  results,
}: Pick<Invoice, 'status' | 'ended' | 'results'>): boolean {
  if (status !== 'UNCOLLECTIBLE' || ended === 'WRITTEN_OFF') return false;
  const outcome = results?.at(-1)?.outcome;
  return outcome === 'WRITTEN_OFF' || outcome === 'FAILED';
}

/** Command that sends a result. */
export function resultCommand(sent: SentResult): Command {
  return { type: 'applyCollectionResult', payload: { ...sent } };
}
