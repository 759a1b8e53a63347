import type { Attempt } from './attempt';
import { type Invoice, totalOf } from './invoice';
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

/**
 * What follows for the method that has paid, or was verified; undefined: nothing. A payer's method becomes the default once it has paid,
 * and the own one of the subscription that a session sells. What the schedule charges changes nothing, unless it was given after the
 * default, or has paid where the subscription's method was refused for good.
 */
export function usedMethod(
  invoice: Invoice,
  attempt: Attempt,
  usedAt: Date,
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
  const isSubstitute = hasRefusedAnother(invoice, attempt);
  if (!attempt.becomesDefault && !isSubstitute) return undefined;
  const keptAs = attempt.becomesDefault ? 'GIVEN' : 'AS_IT_IS';
  const subscriptionId = isSubstitute ? (invoice.subscriptionId ?? null) : null;
  return { ...used, keptAs, subscriptionId, replaces: true };
}

// The schedule charged another method before, and that one will never work again.
function hasRefusedAnother({ payments }: Invoice, { methodId }: Attempt): boolean {
  return payments.some(
    (payment) =>
      payment.origin === 'COLLECTION' &&
      payment.decline === 'HARD' &&
      payment.methodId !== methodId,
  );
}
