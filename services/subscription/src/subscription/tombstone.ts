import type { Transition } from '@billing/kernel/transition';
import type { Subscription } from './subscription';

/**
 * Takes the id of an abandoned creation, so that it can never succeed later. Callers do not see it.
 */
export interface Tombstone {
  readonly isTombstone: true;
  readonly id: string;
}

/** A record under the id of a subscription. */
export type SubscriptionRecord = Subscription | Tombstone;

/** The fate of a redemption reserved for a subscription. */
export type RedemptionState = 'CONFIRMED' | 'RELEASED';

export function tombstone(id: string): Transition<SubscriptionRecord> {
  return { state: { isTombstone: true, id }, events: [], commands: [] };
}

/**
 * A redemption is used by the subscription that was created with its discount, unless that ended
 * with it before its start. A change has its own redemption.
 */
export function redemptionState(
  record: SubscriptionRecord,
  { discountId }: { readonly discountId: string },
): RedemptionState {
  if (record.isTombstone) return 'RELEASED';
  if (record.changes.startedDiscountId === discountId) return 'CONFIRMED';
  const { discount, endedBeforeStart } = record;
  const isHolder = discount?.id === discountId && discount.holderId === null;
  return isHolder && !endedBeforeStart ? 'CONFIRMED' : 'RELEASED';
}
