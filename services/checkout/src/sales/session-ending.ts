import { type Transition, unchanged } from '@billing/kernel/transition';
import {
  abandon,
  expire,
  type SessionRecord,
  sessionResumeAt,
  type SessionTransition,
} from './session';
import { expired, type InvoiceForm } from './session-announcement';

/**
 * Records that the invoice of an expired session is void. Only now the end is announced, because
 * the data of the event is final. A session that could not be created was never offered, so its end
 * is not announced.
 */
export function recordVoided(record: SessionRecord, invoice: InvoiceForm): SessionTransition {
  if (record.isTombstone || record.phase !== 'EXPIRED' || record.isVoidAnnounced) {
    return unchanged(record);
  }
  // Otherwise the redemption is the last step.
  const isDelivered = record.isDelivered || record.discountId === undefined;
  return {
    state: { ...record, isVoidAnnounced: true, isDelivered },
    events: record.total === undefined ? [] : [expired(invoice)],
    commands: [],
  };
}

/** True if a session has expired but its invoice is not void yet or its redemption not free. */
export function isEnding(record: SessionRecord): boolean {
  return !record.isTombstone && record.phase === 'EXPIRED' && !record.isDelivered;
}

/** Records that all work after the session's end is done. */
export function recordDelivered(record: SessionRecord): SessionTransition {
  if (record.isTombstone || record.isDelivered) return unchanged(record);
  return { state: { ...record, isDelivered: true }, events: [], commands: [] };
}

/**
 * Ends the session that a visitor ordered before at the same link, so that a visitor holds one
 * redemption at a time. A session in payment, or with a challenge that its payer has not answered,
 * stays: it may be paid at any moment.
 */
export function endEarlier(
  record: SessionRecord,
  checkoutLinkId: string | undefined,
): SessionTransition {
  if (record.isTombstone || checkoutLinkId === undefined) return unchanged(record);
  const isOfLink = record.checkoutLinkId === checkoutLinkId;
  if (!isOfLink || record.discountId === undefined) return unchanged(record);
  return expire(record, 'REPLACED');
}

/** State of a redemption that the session itself holds, not a typed code. */
export function redemptionOf(
  record: SessionRecord,
  discountId: string,
): 'HELD' | 'CONFIRMED' | 'RELEASED' {
  if (record.isTombstone || record.discountId !== discountId) return 'RELEASED';
  if (record.codes?.held !== undefined) return 'RELEASED';
  if (record.phase === 'COMPLETE') return 'CONFIRMED';
  return record.phase === 'EXPIRED' ? 'RELEASED' : 'HELD';
}

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
