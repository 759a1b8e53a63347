import type { SessionRecord } from './session';

/** What the holder of a redemption says of it. */
export function redemptionOf(
  record: SessionRecord,
  discountId: string,
): 'HELD' | 'CONFIRMED' | 'RELEASED' {
  if (record.isTombstone || record.discountId !== discountId) return 'RELEASED';
  if (record.phase === 'COMPLETE') return 'CONFIRMED';
  return record.phase === 'EXPIRED' ? 'RELEASED' : 'HELD';
}
