import type { Subscription } from '../subscription/subscription';
import type { ChangeCreditNote } from '../subscription/subscription-change';
import type { ChangeTerms } from './change-terms';
import { givenBack } from './plan-new-cycle';

/** How an end now is asked for, and the facts that its credits are computed from. */
export type EndTerms = Pick<ChangeTerms, 'facts' | 'proration' | 'at' | 'creditNoteIdOf'>;

/** Credit notes of an end now. */
export interface EndCredits {
  /** On invoices that stay. */
  readonly kept: readonly ChangeCreditNote[];
  /** On unpaid invoices that the end voids: issued only on one that is paid all the same. */
  readonly voided: readonly ChangeCreditNote[];
}

/** Computes what an end now gives back: the unused time of all items, all by credit notes. */
export function planEnd(
  subscription: Subscription,
  terms: EndTerms,
  { voidedIds }: { readonly voidedIds: readonly string[] },
): EndCredits {
  const { creditNotes } = givenBack(subscription, terms, { charged: 0n });
  const isVoided = ({ invoiceId, settledBy }: ChangeCreditNote) =>
    settledBy === 'AMOUNT_DUE' && voidedIds.includes(invoiceId);
  return {
    kept: creditNotes.filter((note) => !isVoided(note)),
    voided: creditNotes.filter(isVoided),
  };
}
