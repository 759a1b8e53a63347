import { creditAtNewCycle } from '@billing/kernel/proration/change-bill';
import { sumOf } from '@billing/kernel/money';
import { unusedTime } from '@billing/kernel/proration/prorated-change';
import { beginCycle, periodOf } from '../subscription/billing-cycle';
import {
  type DiscountedPeriod,
  discountParts,
  takeDiscount,
  withFirstPeriod,
} from '../subscription/discount';
import { totalOfLines, waitingPutOff } from '../subscription/put-off';
import { periodLines } from '../subscription/recurring-charge';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { changeInvoice, discountOfLines, ofItem, recurringLine, unusedLine } from './change-lines';
import type { ChangeCost, ChangeTerms } from './change-terms';
import {
  chargedItem,
  chargesOf,
  creditableInvoices,
  creditNotesOf,
  taxTermsOf,
} from './period-charges';

/**
 * Enters the first period of a new cycle: the running period ends at this instant, and so does a
 * trial or a pause.
 */
function enterCycle(
  subscription: Subscription,
  items: SubscriptionItems,
  { at, invoiceId }: { readonly at: Date; readonly invoiceId: string | null },
): Subscription & { readonly periodIndex: number } {
  const begun = beginCycle(subscription, { at, items, invoiceId });
  const { trialEnd } = begun;
  const before = subscription.periodIndex;
  return {
    ...begun,
    phase: 'REGULAR',
    ...{ pausedAt: null, resumeAt: null },
    trialEnd: before === null && trialEnd !== null ? at : trialEnd,
    periodIndex: before === null ? 0 : before + 1,
  };
}

/** The subscription in a new cycle, and the decision whether its discount applies there. */
export function startNewCycle(
  subscription: Subscription,
  items: SubscriptionItems,
  begun: { readonly at: Date; readonly invoiceId: string | null },
): DiscountedPeriod & { readonly periodIndex: number } {
  const entered = enterCycle(withFirstPeriod(subscription, begun.at), items, begun);
  const { periodIndex } = entered;
  return { ...takeDiscount(entered, periodIndex), periodIndex };
}

/**
 * Computes a change that begins a cycle: a whole period of the new items, less the unused time of
 * the old ones as far as the total stays 0 or more. The rest is credited.
 */
export function planNewCycle(
  subscription: Subscription,
  items: SubscriptionItems,
  terms: ChangeTerms,
): { readonly state: Subscription; readonly cost: ChangeCost } {
  const { at, invoiceId } = terms;
  const begun = { at, invoiceId };
  const { state, isDiscounted, periodIndex } = startNewCycle(subscription, items, begun);
  const lines = periodLines(state, periodIndex);
  const parts = isDiscounted ? discountParts(state, lines) : lines.map(() => 0n);
  const recurring = lines.map((line, index) => recurringLine(line, parts[index] ?? 0n));
  const charges = recurring.map(({ itemId, productId, amount: gross, discountAmount }) => ({
    ...{ itemId, productId, from: at.getTime(), gross },
    net: gross - discountAmount,
  }));
  const { unusedLines, creditNotes } = givenBack(subscription, terms, {
    charged: sumOf(charges.map(({ net }) => net)),
  });
  const waiting = waitingPutOff(subscription);
  const ofCycle = discountOfLines(recurring, isDiscounted ? state.discount : null);
  const invoice = changeInvoice(state, [...recurring, ...waiting.lines, ...unusedLines], {
    ...{ terms, periodIndex, discount: ofCycle ?? waiting.discount },
    ...{ end: periodOf(state, periodIndex).end, sharesDiscount: waiting.discount },
  });
  const taken = { putOff: null, takenChangeIds: waiting.changeIds };
  return { state, cost: { invoice, creditNotes, charges, ...taken } };
}

/**
 * Unused time of all items: lines up to what a new period and the lines put off charge, and credit
 * notes.
 */
export function givenBack(
  subscription: Subscription,
  {
    facts,
    proration,
    at,
    creditNoteIdOf,
  }: Pick<ChangeTerms, 'facts' | 'proration' | 'at' | 'creditNoteIdOf'>,
  { charged }: { readonly charged: bigint },
) {
  if (facts === null || proration !== 'PRORATE') return { unusedLines: [], creditNotes: [] };
  const { end } = periodOf(subscription, facts.periodIndex);
  const before = chargesOf(subscription, facts);
  const unused = before.map((charge) =>
    unusedTime(charge, { from: at.getTime(), to: end.getTime() }),
  );
  const newestFirst = creditableInvoices(facts);
  const putOff = totalOfLines(waitingPutOff(subscription).lines);
  const { lines, creditNotes } = creditAtNewCycle(unused, { charged, newestFirst, putOff });
  const unusedLines = lines.map((line) => {
    const item = chargedItem(subscription, { charges: before, itemId: line.itemId });
    const taxTerms = taxTermsOf(line, { facts, subscription, item });
    return unusedLine(item, { amount: line.amount, ...taxTerms }, ofItem(unused, line.itemId));
  });
  const itemIds = unused.map(({ itemId }) => itemId);
  return {
    unusedLines,
    creditNotes: creditNotesOf(creditNotes, { facts, itemIds, creditNoteIdOf }),
  };
}
