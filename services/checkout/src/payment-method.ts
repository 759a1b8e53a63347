import { DomainError, notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

// As many as anybody tells apart; a customer who gives one more by paying with it loses sight of the oldest.
const keptMax = 20;
// A payment that was begun before its method was removed ends soon; until then the method must be known as removed.
const removedMax = 100;

/** A way to charge a customer without asking again. Never changes. */
export interface PaymentMethod {
  readonly id: string;
  readonly customerId: string;
  /** The adapter's name. */
  readonly provider: string;
  readonly providerMethodId: string;
  readonly brand: string;
  readonly last4: string;
  /** Business time at which the customer gave it. */
  readonly usedAt: Date;
  /** Real time of the same: orders uses while a manual clock stands still. */
  readonly savedAt: Date;
}

/** That a customer has used a method, by which it may become their default. */
export interface MethodUse {
  readonly customerId: string;
  readonly methodId: string;
  /** In business time, and in real time. */
  readonly usedAt: Date;
  readonly savedAt: Date;
}

/** A customer as the one who pays: the methods that they have, and which of them invoices are charged to. */
export interface Payer {
  readonly id: string;
  readonly customerId: string;
  /** Null once the customer has removed all. */
  readonly defaultMethodId: string | null;
  /** When the last default was used, in both times. */
  readonly usedAt: Date;
  readonly savedAt: Date;
  /** What the customer has, the default among them. One that was only tried is not. */
  readonly methodIds: readonly string[];
  /** What the customer had: it never comes back. */
  readonly removedIds: readonly string[];
}

/** A customer who has just used their first method. What they owe is charged to it. */
export function newPayer(id: string, use: MethodUse): Transition<Payer> {
  const { methodId: defaultMethodId, customerId, usedAt, savedAt } = use;
  const methods = { defaultMethodId, methodIds: [defaultMethodId], removedIds: [] };
  const state = { id, customerId, usedAt, savedAt, ...methods };
  return { state, events: [], commands: collect(defaultMethodId) };
}

/**
 * Makes a method the default, unless a later one is: the late repeat of an older step must not bring the older card back, nor one that was
 * removed. What the customer owes is charged to another default at once.
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

/** Makes a method the default of a customer who has none. It takes the place of no other before it has paid. */
export function preferFirst(payer: Payer, use: MethodUse): Transition<Payer> {
  return payer.defaultMethodId === null ? prefer(payer, use) : unchanged(payer);
}

/**
 * Gives the customer a method that was saved and has not paid yet: it is the default only where there is none. Beyond the most that a
 * customer keeps, the oldest of the others gives way.
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

/** Gives the customer a method beside those that they have; it is the default where wanted, and where there is none. */
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

// Subscriptions that were charged to the old default follow the customer's choice; those with a card of their own keep it.
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
 * Takes a method from the customer for good. The default goes last, so that it is always the customer who says what takes its place, and
 * not at all while anything is charged to it.
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

/** Whether a method was used after another one. */
export function isLaterUse(use: Use, other: Use): boolean {
  const byBusinessTime = use.usedAt.getTime() - other.usedAt.getTime();
  if (byBusinessTime !== 0) return byBusinessTime > 0;
  const byRealTime = use.savedAt.getTime() - other.savedAt.getTime();
  // The id decides between two of one millisecond, so that replicas agree.
  return byRealTime === 0 ? use.methodId > other.methodId : byRealTime > 0;
}
