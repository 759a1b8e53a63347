import type { Transition } from '@billing/kernel/transition';
import type { Attempt } from './attempt';
import { isRefusedForGood } from './dunning';
import { type Invoice, type InvoiceRecord, totalOf } from './invoice';
import type { MethodChoice } from './method-choice';
import type { ChargeSource } from './payment-provider';

/** What follows for a method from the success of an attempt with it, in the payload of a command. */
export interface UsedMethod {
  readonly source: ChargeSource;
  /** In business time, and in real time. */
  readonly usedAt: Date;
  readonly savedAt: Date;
  /**
   * DEFAULT: it becomes the customer's default. GIVEN: so, unless the customer has used another one since they gave it. UNPAID: it is
   * kept, and the default only where there is none. Absent in commands of earlier releases: DEFAULT.
   */
  readonly keptAs?: 'DEFAULT' | 'GIVEN' | 'UNPAID' | 'AS_IT_IS';
  /** The subscription whose own method it becomes; null or absent: of none. */
  readonly subscriptionId?: string | null;
  /** Whether it only takes the place of an own method, so that a subscription without one stays with the default. */
  readonly replaces?: boolean;
}

/** An attempt as far as it decides what follows for its method: one in the slot, or one that has ended. */
export type MethodAttempt = Pick<
  Attempt,
  'origin' | 'source' | 'methodId' | 'claimedAt' | 'becomesDefault'
>;

/**
 * What follows for the method that has paid, or was verified; undefined: nothing. A payer's method becomes the default once it has paid,
 * and the own one of the subscription that a session sells. What the schedule charges changes nothing, unless the method was given after
 * the default, or has paid where the method that the subscription is charged to was refused permanently: then it takes that one's place.
 */
export function usedMethod(
  invoice: Invoice,
  attempt: MethodAttempt,
  { usedAt, methods }: { readonly usedAt: Date; readonly methods: MethodChoice },
): UsedMethod | undefined {
  const { source, claimedAt: savedAt, origin } = attempt;
  if (source.kind === 'NONE') return undefined;
  const used = { source: { ...source }, usedAt, savedAt };
  if (origin === 'PAYER') {
    const keptAs = totalOf(invoice) > 0n ? 'DEFAULT' : 'UNPAID';
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

/** A success with the command that keeps its method. */
export function withUse(
  { state, events, commands }: Transition<InvoiceRecord>,
  used: UsedMethod | undefined,
): Transition<InvoiceRecord> {
  if (used === undefined) return { state, events, commands };
  return { state, events, commands: [...commands, { type: 'preferMethod', payload: { ...used } }] };
}

// The subscription is charged to another method, and the invoice was refused with that one permanently: each period would begin with it.
function isUsualRefused(
  { payments }: Invoice,
  {
    attempt,
    methods: { methodId },
  }: { readonly attempt: MethodAttempt; readonly methods: MethodChoice },
): boolean {
  return methodId !== attempt.methodId && isRefusedForGood(payments, methodId);
}
