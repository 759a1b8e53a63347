import { billChange, type ChangeBill } from '@billing/kernel/proration/change-bill';
import { recurringCharge } from '@billing/kernel/pricing';
import {
  chargesAfter,
  type ItemCharge,
  prorate,
  type Proration,
} from '@billing/kernel/proration/prorated-change';
import { Decimal } from '@billing/kernel/decimal';
import { isSameInterval, periodOf } from '../subscription/billing-cycle';
import {
  itemsAfter,
  monthlyAmountOf,
  sideOf,
  withDiscountAfter,
} from '../subscription/change-side';
import { coversPeriod, knownCurrency, runningDiscount, termsOf } from '../subscription/discount';
import {
  mainItem,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionItems,
} from '../subscription/subscription';
import { changeInvoice, discountOfLines, ofItem, remainingLine, unusedLine } from './change-lines';
import { taxCategoryOf } from '../subscription/command';
import { type ChangePlan, keepsPutOff } from '../subscription/subscription-change';
import { totalOfLines, waitingPutOff } from '../subscription/put-off';
import type { ChangeCost, ChangeTerms } from './change-terms';
import {
  chargedItem,
  chargesOf,
  creditableInvoices,
  creditNotesOf,
  type PeriodFacts,
  taxTermsOf,
  withChargedItem,
} from './period-charges';
import { planPause } from './pause';
import { planNewCycle } from './plan-new-cycle';

/** True if a change that takes effect now begins a cycle of periods. */
export function beginsCycle(
  subscription: Subscription,
  { kind, wanted, proration }: Pick<ChangeTerms, 'kind' | 'wanted' | 'proration'>,
): boolean {
  if (kind !== 'UPDATE') return kind === 'RESUME';
  switch (subscription.phase) {
    case 'TRIAL':
      return proration === 'FULL_AND_RESET';
    case 'REGULAR': {
      const [to] = itemsAfter(subscription, wanted);
      const isSame = isSameInterval(mainItem(subscription).price, to.price);
      return proration === 'FULL_AND_RESET' || !isSame;
    }
    case 'SCHEDULED':
    case 'PAUSED':
    case 'ENDED':
      return false;
  }
}

/**
 * Computes a change that takes effect at an instant of the running period, which keeps its
 * discount. Before the first billed period it costs nothing. A change that gives back more than it
 * charges has credit notes.
 */
export function planChange(subscription: Subscription, terms: ChangeTerms): ChangePlan {
  if (terms.kind === 'PAUSE') return planPause(subscription, terms);
  const items = itemsAfter(subscription, terms.wanted);
  const discounted = withDiscountAfter(subscription, terms.wanted);
  const from = sideOf(subscription);
  const monthlyAmountBefore = monthlyAmountOf(subscription, subscription.items);
  if (beginsCycle(subscription, terms)) {
    const { state, cost } = planNewCycle(discounted, items, terms);
    const monthlyAmountAfter = monthlyAmountOf(state, items);
    return {
      ...{ from, to: sideOf(state), monthlyAmountBefore, monthlyAmountAfter, ...cost },
      beginsCycle: true,
    };
  }
  return {
    from,
    to: sideOf({ ...discounted, items }),
    monthlyAmountBefore,
    monthlyAmountAfter: monthlyAmountOf(subscription, items),
    ...costWithin(subscription, items, terms),
    beginsCycle: false,
  };
}

const nothing: ChangeCost = { invoice: null, creditNotes: [], charges: [], ...keepsPutOff };

/** Cost of a change that keeps the running period. */
function costWithin(
  subscription: Subscription,
  items: SubscriptionItems,
  { facts, ...terms }: ChangeTerms,
): ChangeCost {
  if (subscription.phase !== 'REGULAR' || facts === null) return nothing;
  if (terms.proration !== 'NONE') return proratedCost(subscription, items, { ...terms, facts });
  // Charges stay, for later credits, which name the items as they were charged.
  const charges = chargesOf(subscription, facts);
  return { ...nothing, charges: charges.map((charge) => withChargedItem(subscription, charge)) };
}

type BilledTerms = ChangeTerms & { readonly facts: PeriodFacts };

function proratedCost(
  subscription: Subscription,
  items: SubscriptionItems,
  terms: BilledTerms,
): ChangeCost {
  const { facts, at } = terms;
  const before = chargesOf(subscription, facts);
  const { replaced, added } = differences(subscription.items, items);
  if (replaced.length + added.length === 0) return { ...nothing, charges: before };
  const { start, end } = periodOf(subscription, facts.periodIndex);
  const discount = discountOf(subscription, facts.periodIndex);
  const proration = prorate({
    period: { from: start.getTime(), to: end.getTime() },
    at: at.getTime(),
    replaced: replaced.flatMap(({ id }) => before.filter(({ itemId }) => itemId === id)),
    added: added.map((item) => ({
      itemId: item.id,
      productId: item.productId,
      exactAmount: exactAmountOf(item),
    })),
    discount: discount === null ? undefined : termsOf(discount),
    currency: knownCurrency(subscription),
  });
  const waiting = waitingPutOff(subscription);
  const bill = billChange(proration, {
    newestFirst: creditableInvoices(facts),
    putOff: totalOfLines(waiting.lines),
  });
  const itemIds = replaced.map(({ id }) => id);
  const creditNotes = creditNotesOf(bill.creditNotes, { ...terms, itemIds });
  const others = before.filter(({ itemId }) => !itemIds.includes(itemId));
  const charges: ItemCharge[] = [...others, ...chargesAfter({ at: at.getTime() }, proration)];
  const taken = { putOff: null, takenChangeIds: waiting.changeIds };
  if (bill.invoice === undefined) return { invoice: null, creditNotes, charges, ...taken };
  const lines = proratedLines(
    subscription,
    { replaced, added },
    {
      ...{ facts, charges: before, bill: bill.invoice, unused: proration.unused },
    },
  );
  if (terms.collect === 'NEXT_INVOICE') {
    if (lines.length === 0) return { ...nothing, creditNotes, charges };
    const period = { start: at, end };
    const putOff = {
      // The subscription may not have the product any more when an invoice bills the line.
      lines: lines.map((line) => ({
        taxCategory: taxCategoryOf(line, terms.taxFacts),
        ...{ ...line, period },
      })),
      discount: discountOfLines(lines, discount),
    };
    return { invoice: null, creditNotes, charges, putOff, takenChangeIds: [] };
  }
  const invoice = changeInvoice(subscription, [...waiting.lines, ...lines], {
    ...{ terms, discount, periodIndex: facts.periodIndex, end },
  });
  return { invoice, creditNotes, charges, ...taken };
}

/** For each changed item its line of unused time, then its line of remaining time. */
function proratedLines(
  subscription: Subscription,
  { replaced, added }: ReturnType<typeof differences>,
  {
    facts,
    charges,
    bill,
    unused,
  }: {
    readonly facts: PeriodFacts;
    /** Before the change. */
    readonly charges: readonly ItemCharge[];
    readonly bill: NonNullable<ChangeBill['invoice']>;
    readonly unused: Proration['unused'];
  },
) {
  const unusedLines = (item: SubscriptionItem) =>
    bill.unused
      .filter(({ itemId }) => itemId === item.id)
      .map((line) => {
        const charged = chargedItem(subscription, { charges, itemId: item.id });
        const taxTerms = taxTermsOf(line, { facts, subscription, item: charged });
        return unusedLine(charged, { amount: line.amount, ...taxTerms }, ofItem(unused, item.id));
      });
  const remainingLines = (item: SubscriptionItem) =>
    bill.remaining
      .filter(({ itemId }) => itemId === item.id)
      .map((remainingTime) => remainingLine(item, remainingTime));
  return idsInOrder(replaced, added).flatMap((id) => [
    ...replaced.filter((item) => item.id === id).flatMap(unusedLines),
    ...added.filter((item) => item.id === id).flatMap(remainingLines),
  ]);
}

/** The items whose charges a change replaces, and those that it charges from then on. */
function differences(before: SubscriptionItems, after: SubscriptionItems) {
  const isKept = (item: SubscriptionItem, others: SubscriptionItems) =>
    others.some((other) => other.id === item.id && isUnchanged(item, other));
  return {
    replaced: before.filter((item) => !isKept(item, after)),
    added: after.filter((item) => !isKept(item, before)),
  };
}

function idsInOrder(
  replaced: readonly SubscriptionItem[],
  added: readonly SubscriptionItem[],
): readonly string[] {
  return [...new Set([...replaced, ...added].map(({ id }) => id))];
}

// The quantity of a FLAT price does not count.
function isUnchanged(from: SubscriptionItem, to: SubscriptionItem): boolean {
  if (from.price.id !== to.price.id || from.productId !== to.productId) return false;
  return from.quantity === to.quantity || to.price.type === 'FLAT';
}

/** The discount, if the running period is discounted. */
function discountOf(subscription: Subscription, periodIndex: number): Subscription['discount'] {
  const discount = runningDiscount(subscription);
  if (discount === null || discount.firstPeriodStart === null) return null;
  return coversPeriod(discount, subscription, periodIndex) ? discount : null;
}

function exactAmountOf({ price, quantity }: Pick<SubscriptionItem, 'price' | 'quantity'>): Decimal {
  return Decimal.parse(recurringCharge({ ...price, quantity }).details.exactAmount);
}
