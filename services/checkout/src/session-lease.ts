import { type Transition, unchanged } from '@billing/kernel/transition';
import { abandon, type SessionRecord, sessionResumeAt } from './session';

/**
 * Takes up what was begun and whose time is over, by real time. A payment goes to whoever wins this write, and to nobody else for another
 * such time; a session that nobody waits for is given up.
 */
export function takeUpBegun(record: SessionRecord, realNow: Date): Transition<SessionRecord> {
  if (record.isTombstone || record.payment === undefined) return abandon(record, realNow);
  const at = sessionResumeAt(record);
  if (at === undefined || at > realNow) return unchanged(record);
  const payment = { ...record.payment, claimedAt: realNow };
  return { state: { ...record, payment }, events: [], commands: [] };
}
