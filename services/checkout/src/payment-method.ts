import { type Transition, unchanged } from '@billing/kernel/transition';

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

/** A customer as the one who pays: which saved method invoices are charged to. */
export interface Payer {
  readonly id: string;
  readonly customerId: string;
  readonly defaultMethodId: string;
  /** When the default was used, in both times. */
  readonly usedAt: Date;
  readonly savedAt: Date;
}

/** A customer who has just used their first method. What they owe is charged to it. */
export function newPayer(id: string, use: MethodUse): Transition<Payer> {
  return defaultingTo(id, use);
}

/**
 * Makes a method the default, unless a later one is: the late repeat of an older step must not bring the older card back. What the
 * customer owes is charged to another default at once.
 */
export function prefer(payer: Payer, use: MethodUse): Transition<Payer> {
  if (!isLater(use, payer)) return unchanged(payer);
  const preferred = defaultingTo(payer.id, use);
  return use.methodId === payer.defaultMethodId ? { ...preferred, commands: [] } : preferred;
}

function defaultingTo(id: string, use: MethodUse): Transition<Payer> {
  const { methodId: defaultMethodId, customerId, usedAt, savedAt } = use;
  return {
    state: { id, customerId, defaultMethodId, usedAt, savedAt },
    events: [],
    commands: [{ type: 'collectOpenInvoices', payload: { defaultMethodId } }],
  };
}

function isLater(use: MethodUse, payer: Payer): boolean {
  const byBusinessTime = use.usedAt.getTime() - payer.usedAt.getTime();
  if (byBusinessTime !== 0) return byBusinessTime > 0;
  const byRealTime = use.savedAt.getTime() - payer.savedAt.getTime();
  // The id decides between two of one millisecond, so that replicas agree.
  return byRealTime === 0 ? use.methodId > payer.defaultMethodId : byRealTime > 0;
}
