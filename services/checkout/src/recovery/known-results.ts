import type { SentResult } from '../invoice/attempt';
import { resultsMax } from '../invoice/collection-result';
import { amountDue, type Invoice, payableOf, type Payment } from '../invoice/invoice';

/** Results of an invoice, for its subscription after a restore. */
export interface KnownResults {
  /** Oldest first, without gaps. */
  readonly results: readonly SentResult[];
  /** True if the results end before the last one that was sent: its outcome is not known. */
  readonly isIncomplete: boolean;
}

/**
 * Results that the invoice has sent. Release 0.1.0 counts results without recording them: those are
 * derived from the state. All but the last left the invoice open.
 */
export function knownResults(invoice: Invoice): KnownResults {
  const recorded = new Map(
    (invoice.results ?? []).map((result) => [result.resultNumber, result] as const),
  );
  const results: SentResult[] = [];
  for (let number = firstNumber(invoice); number <= invoice.resultsSent; number += 1) {
    const isLast = number === invoice.resultsSent;
    const derive = isLast ? lastReport : earlierReport;
    const report = recorded.get(number) ?? derive(invoice, number);
    if (report === undefined) return { results, isIncomplete: true };
    results.push({ ...report, resultNumber: number });
  }
  return { results, isIncomplete: false };
}

// Only the latest ones are recorded.
function firstNumber({ results = [] }: Invoice): number {
  return results.length < resultsMax ? 1 : (results[0]?.resultNumber ?? 1);
}

type Report = Omit<SentResult, 'resultNumber'>;

const withoutAttempt = { attempt: 0, nextAttemptAt: null } as const;

function earlierReport(invoice: Invoice, resultNumber: number): Report {
  if (invoice.collectionMethod === 'SEND_INVOICE') {
    return { ...withoutAttempt, outcome: 'OVERDUE' };
  }
  const failed = failuresOf(invoice)[resultNumber - 1];
  return { ...withoutAttempt, outcome: 'FAILED', attempt: failed?.number ?? 0 };
}

function lastReport(invoice: Invoice): Report | undefined {
  switch (invoice.status) {
    case 'PAID':
      return paidReport(invoice);
    case 'VOID':
      return voidReport(invoice);
    case 'OPEN':
      return openReport(invoice);
    case 'UNCOLLECTIBLE':
      // At the end of dunning the subscription ends, otherwise it goes on: a wrong one does harm.
      return invoice.writtenOffBy === undefined
        ? undefined
        : { ...withoutAttempt, outcome: 'WRITTEN_OFF' };
    case 'DRAFT':
      return undefined;
  }
}

function paidReport(invoice: Invoice): Report {
  if (payableOf(invoice) === 0n) return { ...withoutAttempt, outcome: 'NOTHING_DUE' };
  const paid = invoice.payments.findLast(({ status }) => status === 'SUCCEEDED');
  return paid === undefined
    ? { ...withoutAttempt, outcome: 'SETTLED' }
    : { ...withoutAttempt, outcome: 'SUCCEEDED', attempt: paid.number };
}

// The only charge of a plan change voids its invoice when it fails.
function voidReport(invoice: Invoice): Report {
  const failed = failuresOf(invoice).at(-1);
  return invoice.isChargedOnce === true && failed !== undefined
    ? { ...withoutAttempt, outcome: 'FAILED', attempt: failed.number }
    : { ...withoutAttempt, outcome: 'VOIDED' };
}

function openReport(invoice: Invoice): Report {
  const failed = failuresOf(invoice).at(-1);
  const attempt = failed?.number ?? 0;
  const isSent = invoice.collectionMethod === 'SEND_INVOICE';
  const isOverdue = isSent && invoice.dueDate?.getTime() !== invoice.collectAt?.getTime();
  if (isOverdue || failed === undefined) return { ...withoutAttempt, outcome: 'OVERDUE' };
  if (failed.decline === 'PROVIDER') return { ...withoutAttempt, outcome: 'NOT_CHARGED', attempt };
  const nextAttemptAt = isSent || amountDue(invoice) === 0n ? null : (invoice.collectAt ?? null);
  return { outcome: 'FAILED', attempt, nextAttemptAt };
}

function failuresOf({ payments }: Pick<Invoice, 'payments'>): readonly Payment[] {
  return payments.filter(({ status }) => status === 'FAILED');
}
