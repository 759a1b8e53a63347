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
  /** Business time at which the customer used it first. */
  readonly usedAt: Date;
  /** Real time of the same: orders uses while a manual clock stands still. */
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

/** A customer who has just used their first method. */
export function newPayer(id: string, method: PaymentMethod): Transition<Payer> {
  return { state: defaultingTo(id, method), events: [], commands: [] };
}

/** Makes a method the default, unless a later one is: the late repeat of an older step must not bring the older card back. */
export function prefer(payer: Payer, method: PaymentMethod): Transition<Payer> {
  if (!isLater(method, payer)) return unchanged(payer);
  return { state: defaultingTo(payer.id, method), events: [], commands: [] };
}

function defaultingTo(id: string, method: PaymentMethod): Payer {
  const { id: defaultMethodId, customerId, usedAt, savedAt } = method;
  return { id, customerId, defaultMethodId, usedAt, savedAt };
}

function isLater(method: PaymentMethod, payer: Payer): boolean {
  const byBusinessTime = method.usedAt.getTime() - payer.usedAt.getTime();
  if (byBusinessTime !== 0) return byBusinessTime > 0;
  const byRealTime = method.savedAt.getTime() - payer.savedAt.getTime();
  // The id decides between two of one millisecond, so that replicas agree.
  return byRealTime === 0 ? method.id > payer.defaultMethodId : byRealTime > 0;
}
