import type { Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { isPermanentlyRefused } from './dunning';
import { type Invoice, type InvoiceRecord, payableOf } from './invoice';
import type { MethodChoice } from './method-choice';
import type { ChargeSource } from '../provider/port/payment-provider';

/** Consequence for a method of a successful attempt, as the payload of a command. */
export interface UsedMethod {
  readonly source: ChargeSource;
  /** Environment time and real time. */
  readonly usedAt: Date;
  readonly savedAt: Date;
  /**
   * Effect on the customer's default:
   * - DEFAULT: the method becomes the default.
   * - GIVEN: the same, unless the customer has used another method since giving it.
   * - UNPAID: the method is saved, and becomes the default only if there is none.
   * Absent in commands of earlier releases: DEFAULT.
   */
  readonly keptAs?: 'DEFAULT' | 'GIVEN' | 'UNPAID' | 'AS_IT_IS';
  /** Subscription that gets the method as its own; null or absent for none. */
  readonly subscriptionId?: string | null;
  /**
   * True if the method only replaces an existing own method, so that a subscription without one
   * stays with the default.
   */
  readonly replaces?: boolean;
}

/** The fields of a running or finished attempt that decide the consequence for its method. */
export type MethodAttempt = Pick<
  Attempt,
  'origin' | 'source' | 'methodId' | 'claimedAt' | 'becomesDefault'
>;

/**
 * Consequence for a method that has paid or was verified; undefined for none. A payer's method
 * becomes the default once it has paid, and the own method of the subscription that a session
 * sells. A scheduled charge changes nothing, unless the method was given after the default, or has
 * paid after the subscription's usual method was permanently refused: then it replaces that method.
 */
export function usedMethod(
  invoice: Invoice,
  attempt: MethodAttempt,
  { usedAt, methods }: { readonly usedAt: Date; readonly methods: MethodChoice },
): UsedMethod | undefined {
  const { source, claimedAt: savedAt, origin } = attempt;
  if (source.kind === 'NONE' || source.kind === 'BALANCE') return undefined;
  const used = { source: { ...source }, usedAt, savedAt };
  if (origin === 'PAYER') {
    const keptAs = payableOf(invoice) > 0n ? 'DEFAULT' : 'UNPAID';
    const { session } = invoice;
    const subscriptionId = (session ?? invoice).subscriptionId ?? null;
    return { ...used, keptAs, subscriptionId, replaces: session === undefined };
  }
  const isSubstitute = isUsualRefused(invoice, { attempt, methods });
  if (isSubstitute && methods.isOwn !== true) return { ...used, keptAs: 'DEFAULT' };
  if (!attempt.becomesDefault && !isSubstitute) return undefined;
  const keptAs = attempt.becomesDefault ? 'GIVEN' : 'AS_IT_IS';
  const subscriptionId = isSubstitute ? (invoice.subscriptionId ?? null) : null;
  return { ...used, keptAs, subscriptionId, replaces: true };
}

/** Adds the command that keeps the method of a success. */
export function withMethodUse(
  { state, events, commands }: Transition<InvoiceRecord>,
  used: UsedMethod | undefined,
): Transition<InvoiceRecord> {
  if (used === undefined) return { state, events, commands };
  return { state, events, commands: [...commands, { type: 'preferMethod', payload: { ...used } }] };
}

// The subscription is normally charged to another method, which was permanently refused for the
// invoice: each period would begin with a failure.
function isUsualRefused(
  { payments }: Invoice,
  {
    attempt,
    methods: { methodId },
  }: { readonly attempt: MethodAttempt; readonly methods: MethodChoice },
): boolean {
  return methodId !== attempt.methodId && isPermanentlyRefused(payments, methodId);
}
