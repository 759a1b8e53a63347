import { unchanged } from '@billing/kernel/transition';
import { expire, type SessionRecord, type SessionTransition } from './session';

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
  return expire(record);
}
