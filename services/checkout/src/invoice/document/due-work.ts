import { resumeAt } from '../attempt';
import { needsWorker } from '../attempt-slot';
import type { InvoiceRecord } from '../invoice';
import { earliest, refundsLookAt, refundsResumeAt } from '../refundable';

/**
 * Time at which an invoice is due. It is not due for its attempt while that runs: the provider is
 * asked for the outcome at intervals, not on each pass.
 */
export function invoiceDueAt(
  record: InvoiceRecord,
): { readonly at: Date; readonly workClass: 'COLLECTION' } | undefined {
  if (record.isTombstone) return undefined;
  const collectAt = record.attempt?.status === 'PENDING' ? undefined : record.collectAt;
  const at = earliest([collectAt, refundsLookAt(record)]);
  return at === undefined ? undefined : { at, workClass: 'COLLECTION' };
}

/** Real time at which an attempt or a refund of an invoice is resumed. */
export function invoiceRecoverAt(record: InvoiceRecord): Date | undefined {
  if (record.isTombstone) return undefined;
  const { attempt } = record;
  const resumed = attempt === undefined || !needsWorker(record) ? undefined : resumeAt(attempt);
  return earliest([resumed, refundsResumeAt(record)]);
}
