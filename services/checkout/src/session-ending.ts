import { unchanged } from '@billing/kernel/transition';
import type { SessionRecord, SessionTransition } from './session';
import { expired, type InvoiceForm } from './session-announcement';

/**
 * The invoice of a session that has expired is void, and only now it is announced: what a receiver is shown will not change any more. A
 * session that could not be made was never offered to anybody, so nobody is told of it.
 */
export function noteVoided(record: SessionRecord, invoice: InvoiceForm): SessionTransition {
  if (record.isTombstone || record.phase !== 'EXPIRED' || record.isVoidAnnounced) {
    return unchanged(record);
  }
  // Else the redemption is what comes last.
  const isDelivered = record.isDelivered || record.discountId === undefined;
  return {
    state: { ...record, isVoidAnnounced: true, isDelivered },
    events: record.total === undefined ? [] : [expired(invoice)],
    commands: [],
  };
}

/** Whether a session has expired and its invoice is not void yet, or its redemption not free. */
export function isEnding(record: SessionRecord): boolean {
  return !record.isTombstone && record.phase === 'EXPIRED' && !record.isDelivered;
}

/** All is done that follows the session's end. */
export function noteDelivered(record: SessionRecord): SessionTransition {
  if (record.isTombstone || record.isDelivered) return unchanged(record);
  return { state: { ...record, isDelivered: true }, events: [], commands: [] };
}
