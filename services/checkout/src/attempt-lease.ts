import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { resumeAt } from './attempt';
import { needsWorker } from './collection';
import { type InvoiceRecord, isOwed } from './invoice';

/**
 * Claims an attempt whose lease has expired. One worker wins this write and resumes the attempt,
 * all others leave it alone. So a provider that does not answer is asked once per lease, by one
 * worker.
 */
export function takeOver(record: InvoiceRecord, realNow: Date): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt === undefined) return unchanged(record);
  const { attempt } = record;
  if (!needsWorker(record) || resumeAt(attempt) > realNow) return unchanged(record);
  return only({ ...record, attempt: { ...attempt, claimedAt: realNow } });
}
