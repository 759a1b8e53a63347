import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { endOfExpiry } from '../provider/port/card-form';
import type { Payer, PaymentMethod } from './payment-method';

const warnedBeforeMs = 30 * 86_400_000;

/**
 * Environment time of the warning that a method expires, 30 days before the end of its month;
 * undefined once it was decided, and for a method that was saved later or whose expiry is unknown.
 */
export function expiryWarningAt({
  expiry,
  usedAt,
  isExpiryWarned,
}: Pick<PaymentMethod, 'expiry' | 'usedAt' | 'isExpiryWarned'>): Date | undefined {
  if (expiry === undefined || isExpiryWarned === true) return undefined;
  const at = new Date(endOfExpiry(expiry).getTime() - warnedBeforeMs);
  return at < usedAt ? undefined : at;
}

/** True once the method has expired: a warning comes too late. */
export function hasExpired({ expiry }: Pick<PaymentMethod, 'expiry'>, now: Date): boolean {
  return expiry !== undefined && endOfExpiry(expiry) <= now;
}

/** Method to which each subscription of a customer is charged, and the methods of the customer. */
export interface ChargedMethods {
  /** Ids of the subscriptions that are not CANCELED. */
  readonly subscriptionIds: readonly string[];
  readonly payer: Payer;
  /** Subscriptions with a method of their own. */
  readonly own: readonly { readonly id: string; readonly methodId: string }[];
}

/** True if a subscription is charged to the method: as its own, or as the customer's default. */
export function isCharged(
  methodId: string,
  { subscriptionIds, payer, own }: ChargedMethods,
): boolean {
  const { defaultMethodId, methodIds, removedIds } = payer;
  if (!methodIds.includes(methodId)) return false;
  const ownMethods = new Map(
    own.filter((one) => !removedIds.includes(one.methodId)).map((one) => [one.id, one.methodId]),
  );
  return subscriptionIds.some((id) => (ownMethods.get(id) ?? defaultMethodId) === methodId);
}

/** Announces that a method expires, once, unless the customer has removed it. */
export function warnOfExpiry(payer: Payer, method: PaymentMethod): Transition<Payer> {
  const { methodIds, warnedIds = [], defaultMethodId } = payer;
  const { id } = method;
  if (!methodIds.includes(id) || warnedIds.includes(id)) return unchanged(payer);
  const kept = warnedIds.filter((one) => methodIds.includes(one));
  return {
    state: { ...payer, warnedIds: [...kept, id] },
    events: [
      { type: 'payment_method.expiring', data: { method, isDefault: id === defaultMethodId } },
    ],
    commands: [],
  };
}

/** Records that the warning of a method was decided. */
export function withExpiryWarned(method: PaymentMethod): Transition<PaymentMethod> {
  return method.isExpiryWarned === true
    ? unchanged(method)
    : only({ ...method, isExpiryWarned: true });
}
