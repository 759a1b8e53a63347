import { currentPeriod, type Subscription } from '../subscription/subscription';
import type { ChangeCreditNote, ChangeLine } from '../subscription/subscription-change';
import type { ChangeTerms } from './change-terms';
import { givenBack } from './plan-new-cycle';

/** How an end now is asked for, and the facts that its credits are computed from. */
export type EndTerms = Pick<ChangeTerms, 'facts' | 'proration' | 'at' | 'creditNoteIdOf'>;

/** What an end now gives back. */
export interface EndCredits {
  /** On the bill of the end, of lines that were put off. */
  readonly unusedLines: readonly ChangeLine[];
  /** On invoices that stay. */
  readonly kept: readonly ChangeCreditNote[];
  /** On unpaid invoices that the end voids: issued only on one that is paid all the same. */
  readonly voided: readonly ChangeCreditNote[];
}

/**
 * Computes what an end now gives back: the unused time of all items. It lessens the lines put off;
 * all else are credit notes.
 */
export function planEnd(
  subscription: Subscription,
  terms: EndTerms,
  { voidedIds }: { readonly voidedIds: readonly string[] },
): EndCredits {
  const { creditNotes, unusedLines: unused } = givenBack(subscription, terms, { charged: 0n });
  const period = { start: terms.at, end: currentPeriod(subscription).end };
  const isVoided = ({ invoiceId, settledBy }: ChangeCreditNote) =>
    settledBy === 'AMOUNT_DUE' && voidedIds.includes(invoiceId);
  return {
    unusedLines: unused.map((line) => ({ ...line, period })),
    kept: creditNotes.filter((note) => !isVoided(note)),
    voided: creditNotes.filter(isVoided),
  };
}
