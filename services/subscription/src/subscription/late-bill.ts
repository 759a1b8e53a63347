import { unchanged } from '@billing/kernel/transition';
import type { BillLate } from './command';
import type { Subscription } from './subscription';
import type { SubscriptionTransition } from './transition';

/** Orders the next bill of late usage; nothing follows it. */
export function billLate(subscription: Subscription): SubscriptionTransition {
  const state = { ...subscription, usage: { ...subscription.usage, lateBillAt: null } };
  return { state, events: [], commands: [nextLateBill(subscription)] };
}

/**
 * Orders a bill of the late usage so far, because the customer is about to be deleted. Another one
 * follows at the planned time, unless the customer is deleted.
 */
export function billLateNow(subscription: Subscription): SubscriptionTransition {
  if (subscription.usage.lateBillAt === null) return unchanged(subscription);
  return { state: subscription, events: [], commands: [nextLateBill(subscription)] };
}

/** Number, among all bills, of the late bill of a round (1, 2, …). */
export function lateBillNumber({ periodIndex }: Subscription, round: number): number {
  return (periodIndex ?? 0) + 1 + round;
}

/** Round of a late bill by its number among all bills. */
export function lateRoundOf({ periodIndex }: Subscription, bill: number): number {
  return bill - (periodIndex ?? 0) - 1;
}

/** Key of the settlement and the invoice of a round. */
export function lateKey(round: number): string {
  return round === 1 ? 'late' : `late:${String(round)}`;
}

// The round of an order that is not billed yet is ordered again, and billed once.
function nextLateBill(subscription: Subscription): BillLate {
  const next = (subscription.usage.lastBill ?? 0) + 1;
  return { type: 'billLate', payload: { round: Math.max(lateRoundOf(subscription, next), 1) } };
}
