import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { resumeAt } from './attempt';
import { isUnderWay } from './collection';
import { type InvoiceRecord, isOwed } from './invoice';

/**
 * Takes over an attempt whose worker has had its time: whoever wins this write goes on with it, everybody else leaves it alone. So a
 * provider that does not answer is asked again only after another such time, and by one worker.
 */
export function takeOver(record: InvoiceRecord, realNow: Date): Transition<InvoiceRecord> {
  if (!isOwed(record) || record.attempt === undefined) return unchanged(record);
  const { attempt } = record;
  if (!isUnderWay(record) || resumeAt(attempt) > realNow) return unchanged(record);
  return only({ ...record, attempt: { ...attempt, claimedAt: realNow } });
}
