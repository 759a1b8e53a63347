import { unchanged } from '@billing/kernel/transition';
import type { BillLate } from './command';
import type { Subscription } from './subscription';
import type { SubscriptionTransition } from './transition';

/** Orders the next bill of late usage; nothing follows it. */
export function billLate(subscription: Subscription): SubscriptionTransition {
  return orderLast(subscription, {});
}

/**
 * Orders the last bill of a subscription whose customer is deleted: of usage that was accepted
 * while the deletion ran. `buyer` is the customer as it was.
 */
export function billErased(
  subscription: Subscription,
  buyer: string | undefined,
): SubscriptionTransition {
  if (subscription.usage.lateBillAt === null) return unchanged(subscription);
  return orderLast(subscription, { buyer });
}

/**
 * Orders a bill of the late usage so far, because the customer is about to be deleted. Another one
 * follows at the planned time, unless the customer is deleted.
 */
export function billLateNow(subscription: Subscription): SubscriptionTransition {
  if (subscription.usage.lateBillAt === null) return unchanged(subscription);
  return orderNext(subscription, {});
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

function orderLast(
  subscription: Subscription,
  facts: Pick<BillLate['payload'], 'buyer'>,
): SubscriptionTransition {
  const { usage } = subscription;
  return orderNext({ ...subscription, usage: { ...usage, lateBillAt: null } }, facts);
}

// An order that waits may have settled its usage already, so each order has a round of its own.
function orderNext(
  subscription: Subscription,
  { buyer }: Pick<BillLate['payload'], 'buyer'>,
): SubscriptionTransition {
  const { usage } = subscription;
  const { lastBill, lateRound = 0 } = usage;
  const next = lateRoundOf(subscription, (lastBill ?? 0) + 1);
  const round = Math.max(next, lateRound + 1);
  const payload = { round, ...(buyer !== undefined && { buyer }) };
  const order: BillLate = { type: 'billLate', payload };
  const state = { ...subscription, usage: { ...usage, lateRound: round } };
  return { state, events: [], commands: [order] };
}
