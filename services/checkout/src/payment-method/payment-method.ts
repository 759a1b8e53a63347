import { DomainError, notFound } from '@billing/kernel/domain-error';
import type { CardExpiry } from '../provider/port/payment-provider';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

// More methods than a customer can tell apart; the oldest one is dropped for a new method that
// pays.
const keptMax = 20;
// A payment begun before its method was removed ends soon; until then the method must be recorded
// as removed.
const removedMax = 100;

/** A means of charging a customer without asking again. Immutable. */
export interface PaymentMethod {
  readonly id: string;
  readonly customerId: string;
  /** Name of the adapter. */
  readonly provider: string;
  readonly providerMethodId: string;
  readonly brand: string;
  readonly last4: string;
  /** Undefined if unknown. */
  readonly expiry: CardExpiry | undefined;
  /** Country of the card's bank, as in `DE`; absent: unknown. */
  readonly country?: string | undefined;
  /** The warning that the method expires was announced or dropped; absent: not yet. */
  readonly isExpiryWarned?: boolean;
  /** Environment time at which the customer gave the method. */
  readonly usedAt: Date;
  /** Real time of the same moment; orders uses while a manual clock stands still. */
  readonly savedAt: Date;
}

/** Use of a method by a customer; the latest use decides the default. */
export interface MethodUse {
  readonly customerId: string;
  readonly methodId: string;
  /** Environment time and real time. */
  readonly usedAt: Date;
  readonly savedAt: Date;
}

/** A customer as payer: the methods in their list and the default. */
export interface Payer {
  readonly id: string;
  readonly customerId: string;
  /** Null once the customer has removed all methods. */
  readonly defaultMethodId: string | null;
  /** Last use of the default, in environment time and real time. */
  readonly usedAt: Date;
  readonly savedAt: Date;
  /**
   * Methods in the customer's list, the default among them. A method that was only tried is not
   * listed.
   */
  readonly methodIds: readonly string[];
  /** Removed methods, which are never added again. */
  readonly removedIds: readonly string[];
  /** Listed methods that were announced to expire; absent: none. */
  readonly warnedIds?: readonly string[];
}

/** A payer with a first used method. All open invoices are charged to it. */
export function newPayer(id: string, use: MethodUse): Transition<Payer> {
  const { methodId: defaultMethodId, customerId, usedAt, savedAt } = use;
  const methods = { defaultMethodId, methodIds: [defaultMethodId], removedIds: [] };
  const state = { id, customerId, usedAt, savedAt, ...methods };
  return { state, events: [], commands: collect(defaultMethodId) };
}

/**
 * Makes a method the default, unless the default was used later: a late retry of an older step must
 * not restore the older card or a removed one. Open invoices are charged to a new default
 * immediately.
 */
export function prefer(payer: Payer, use: MethodUse): Transition<Payer> {
  const { methodId, usedAt, savedAt } = use;
  if (!isLater(use, payer) || payer.removedIds.includes(methodId)) return unchanged(payer);
  const methodIds = [...payer.methodIds.filter((id) => id !== methodId), methodId];
  const state = { ...payer, defaultMethodId: methodId, usedAt, savedAt };
  const isAnother = methodId !== payer.defaultMethodId;
  return {
    state: { ...state, methodIds: methodIds.slice(-keptMax) },
    events: [],
    commands: isAnother ? collect(methodId) : [],
  };
}

/**
 * Makes a method the default of a customer who has none. A method that has not paid replaces no
 * other default.
 */
export function preferFirst(payer: Payer, use: MethodUse): Transition<Payer> {
  return payer.defaultMethodId === null ? prefer(payer, use) : unchanged(payer);
}

/**
 * Adds a method that was saved and has not paid yet; it becomes the default only if there is none.
 * Beyond the limit the oldest of the others is dropped.
 */
export function keepUnpaid(payer: Payer, use: MethodUse): Transition<Payer> {
  const { methodId } = use;
  const { defaultMethodId, methodIds, removedIds } = payer;
  if (removedIds.includes(methodId) || methodIds.includes(methodId)) return unchanged(payer);
  if (defaultMethodId === null) return prefer(payer, use);
  const oldest = methodIds.find((id) => id !== defaultMethodId);
  const kept = methodIds.length < keptMax ? methodIds : methodIds.filter((id) => id !== oldest);
  return only({ ...payer, methodIds: [...kept, methodId] });
}

/** Adds a method to the customer's list; it becomes the default on request, or if there is none. */
export function keep(
  payer: Payer,
  use: MethodUse,
  { asDefault }: { readonly asDefault: boolean },
): Transition<Payer> {
  const { methodId } = use;
  if (payer.removedIds.includes(methodId)) throw methodNotFound();
  const isNew = !payer.methodIds.includes(methodId);
  if (isNew && payer.methodIds.length >= keptMax) throw tooManyMethods();
  if (asDefault) return replaceDefault(payer, use);
  if (payer.defaultMethodId === null) return prefer(payer, use);
  if (!isNew) return unchanged(payer);
  const state = { ...payer, methodIds: [...payer.methodIds, methodId] };
  return only(state);
}

// Subscriptions that were charged to the old default follow the customer's choice; those with their
// own card keep it.
function replaceDefault(payer: Payer, use: MethodUse): Transition<Payer> {
  const { defaultMethodId: fromMethodId } = payer;
  const { methodId: toMethodId, usedAt, savedAt } = use;
  const preferred = prefer(payer, use);
  const isReplaced = preferred.state.defaultMethodId !== fromMethodId && fromMethodId !== null;
  if (!isReplaced) return preferred;
  const payload = { fromMethodId, toMethodId, usedAt, savedAt };
  const move = { type: 'moveSubscriptions', payload };
  return { ...preferred, commands: [move, ...preferred.commands] };
}

/**
 * Removes a method permanently. The default can be removed only as the last method, so that the
 * customer always chooses its replacement, and not while a subscription is charged to it.
 */
export function remove(
  payer: Payer,
  methodId: string,
  { isCharged }: { readonly isCharged: boolean },
): Transition<Payer> {
  const { defaultMethodId, methodIds, removedIds } = payer;
  if (removedIds.includes(methodId)) return unchanged(payer);
  if (!methodIds.includes(methodId)) throw methodNotFound();
  const isDefault = methodId === defaultMethodId;
  if (isDefault && methodIds.length > 1) throw methodIsDefault();
  if (isDefault && isCharged) throw methodInUse();
  const state = {
    ...payer,
    defaultMethodId: isDefault ? null : defaultMethodId,
    methodIds: methodIds.filter((id) => id !== methodId),
    removedIds: [...removedIds, methodId].slice(-removedMax),
  };
  return only(state);
}

/**
 * Removes all methods of a deleted customer, among them those that were never listed. No later use
 * of one adds it again.
 */
export function removeAll(payer: Payer, methodIds: readonly string[]): Transition<Payer> {
  const removed = new Set([...payer.removedIds, ...payer.methodIds, ...methodIds]);
  const isDone = payer.methodIds.length === 0 && removed.size === payer.removedIds.length;
  if (isDone) return unchanged(payer);
  return only({ ...payer, defaultMethodId: null, methodIds: [], removedIds: [...removed] });
}

export function methodNotFound(): DomainError {
  return notFound('Payment method');
}

export function methodRemoved(): DomainError {
  const message = 'The customer has removed the payment method';
  return new DomainError('failed_precondition', 'PAYMENT_METHOD_REMOVED', message);
}

function tooManyMethods(): DomainError {
  const message = `A customer can have at most ${String(keptMax)} payment methods`;
  return new DomainError('failed_precondition', 'TOO_MANY_PAYMENT_METHODS', message);
}

function methodIsDefault(): DomainError {
  const message = 'Make another payment method the default first';
  return new DomainError('failed_precondition', 'PAYMENT_METHOD_IS_DEFAULT', message);
}

function methodInUse(): DomainError {
  const message = 'A subscription is charged to the payment method';
  return new DomainError('failed_precondition', 'PAYMENT_METHOD_IN_USE', message);
}

function collect(defaultMethodId: string): Transition<Payer>['commands'] {
  return [{ type: 'collectOpenInvoices', payload: { defaultMethodId } }];
}

function isLater(use: MethodUse, { defaultMethodId, usedAt, savedAt }: Payer): boolean {
  return isLaterUse(use, { methodId: defaultMethodId ?? '', usedAt, savedAt });
}

type Use = Pick<MethodUse, 'methodId' | 'usedAt' | 'savedAt'>;

/** True if a method was used after another one. */
export function isLaterUse(use: Use, other: Use): boolean {
  const byBusinessTime = use.usedAt.getTime() - other.usedAt.getTime();
  if (byBusinessTime !== 0) return byBusinessTime > 0;
  const byRealTime = use.savedAt.getTime() - other.savedAt.getTime();
  // The id decides between two uses in one millisecond, so that replicas agree.
  return byRealTime === 0 ? use.methodId > other.methodId : byRealTime > 0;
}
