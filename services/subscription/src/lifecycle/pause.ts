import { periodOf } from '../subscription/billing-cycle';
import { paused } from '../subscription/change-at-renewal';
import { monthlyAmountOf, sideOf } from '../subscription/change-side';
import { totalOfLines, waitingPutOff } from '../subscription/put-off';
import type { Subscription } from '../subscription/subscription';
import type { ChangeInvoice, ChangeLine, ChangePlan } from '../subscription/subscription-change';
import { changeInvoice } from './change-lines';
import type { ChangeTerms } from './change-terms';
import { givenBack } from './plan-new-cycle';

/**
 * Computes a pause that begins now: it charges the lines put off, and gives unused time back if
 * asked to.
 */
export function planPause(subscription: Subscription, terms: ChangeTerms): ChangePlan {
  const state = paused(subscription, terms);
  const { unusedLines, creditNotes } = givenBack(subscription, terms, { charged: 0n });
  return {
    from: sideOf(subscription),
    to: sideOf(state),
    monthlyAmountBefore: monthlyAmountOf(subscription, subscription.items),
    monthlyAmountAfter: 0n,
    invoice: pauseInvoice(subscription, unusedLines, terms),
    ...{ creditNotes, charges: [], beginsCycle: false, putOff: null },
    takenChangeIds: waitingPutOff(subscription).changeIds,
  };
}

/** The invoice of a pause, which is not paid first; null: nothing was put off. */
export function pauseInvoice(
  subscription: Subscription,
  unusedLines: readonly ChangeLine[],
  terms: Parameters<typeof changeInvoice>[2]['terms'],
): ChangeInvoice | null {
  const { periodIndex } = subscription;
  const { lines: waiting, discount } = waitingPutOff(subscription);
  const lines = [...waiting, ...unusedLines];
  if (periodIndex === null || totalOfLines(lines) <= 0n) return null;
  const { start } = periodOf(subscription, periodIndex);
  const invoice = changeInvoice(subscription, lines, {
    ...{ terms, discount, periodIndex, end: terms.at },
  });
  return { ...invoice, periodStart: start, isPaidFirst: false };
}
