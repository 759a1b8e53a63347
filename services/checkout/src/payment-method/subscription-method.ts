import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { isLaterUse, type MethodUse } from './payment-method';

/** Own saved method of one subscription. */
export interface SubscriptionMethod extends MethodUse {
  /** Id of the subscription. */
  readonly id: string;
}

/** A subscription with its first own method. */
export function newSubscriptionMethod(
  subscriptionId: string,
  { customerId, methodId, usedAt, savedAt }: MethodUse,
): Transition<SubscriptionMethod> {
  const state = { id: subscriptionId, customerId, methodId, usedAt, savedAt };
  return { state, events: [], commands: [] };
}

/**
 * Replaces the subscription's method, unless a later one was given: a late retry of an older step
 * changes nothing.
 */
export function giveMethod(
  current: SubscriptionMethod,
  { methodId, usedAt, savedAt }: MethodUse,
): Transition<SubscriptionMethod> {
  if (methodId === current.methodId || !isLaterUse({ methodId, usedAt, savedAt }, current)) {
    return unchanged(current);
  }
  return only({ ...current, methodId, usedAt, savedAt });
}
