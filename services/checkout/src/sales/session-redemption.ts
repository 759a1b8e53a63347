import type { SessionRecord } from './session';

/** State of a redemption according to its holder. */
export function redemptionOf(
  record: SessionRecord,
  discountId: string,
): 'HELD' | 'CONFIRMED' | 'RELEASED' {
  if (record.isTombstone || record.discountId !== discountId) return 'RELEASED';
  if (record.phase === 'COMPLETE') return 'CONFIRMED';
  return record.phase === 'EXPIRED' ? 'RELEASED' : 'HELD';
}
