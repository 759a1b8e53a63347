import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { isLaterUse, type MethodUse } from './payment-method';

/** The saved method that one subscription is charged to, where it has one of its own. */
export interface SubscriptionMethod extends MethodUse {
  /** The subscription's. */
  readonly id: string;
}

/** A subscription that has been given its first own method. */
export function newSubscriptionMethod(
  subscriptionId: string,
  { customerId, methodId, usedAt, savedAt }: MethodUse,
): Transition<SubscriptionMethod> {
  const state = { id: subscriptionId, customerId, methodId, usedAt, savedAt };
  return { state, events: [], commands: [] };
}

/** Gives the subscription another method, unless a later one was given: the late repeat of an older step changes nothing. */
export function giveMethod(
  current: SubscriptionMethod,
  { methodId, usedAt, savedAt }: MethodUse,
): Transition<SubscriptionMethod> {
  if (methodId === current.methodId || !isLaterUse({ methodId, usedAt, savedAt }, current)) {
    return unchanged(current);
  }
  return only({ ...current, methodId, usedAt, savedAt });
}
