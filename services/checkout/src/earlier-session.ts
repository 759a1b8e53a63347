import { unchanged } from '@billing/kernel/transition';
import { expire, type SessionRecord, type SessionTransition } from './session';

/**
 * Ends what a visitor ordered before at the same link, so that the visitor holds one redemption at a time. A session that is being paid, or
 * that waits for its payer to confirm a payment, stays: it may be paid at any moment.
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
