import { type Transition, unchanged } from '@billing/kernel/transition';
import { abandon, type SessionRecord, sessionResumeAt } from './session';

// Time after the caller's deadline in which a retry with the same key can resume the session.
const resumeWithinMs = 5_000;

/** Real time at which a session without a waiting caller is abandoned. */
export function abandonAt({ deadline }: { readonly deadline: Date }): Date {
  return new Date(deadline.getTime() + resumeWithinMs);
}

/**
 * Resumes work whose lease has expired, in real time. A payment is claimed by the worker that wins
 * this write, for another lease; a session without a waiting caller is abandoned.
 */
export function resumeUnfinished(record: SessionRecord, realNow: Date): Transition<SessionRecord> {
  if (record.isTombstone || record.payment === undefined) return abandon(record, realNow);
  const at = sessionResumeAt(record);
  if (at === undefined || at > realNow) return unchanged(record);
  const payment = { ...record.payment, claimedAt: realNow };
  return { state: { ...record, payment }, events: [], commands: [] };
}
