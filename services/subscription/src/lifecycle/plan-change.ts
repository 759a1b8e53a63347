import {
  billChange,
  type CreditableInvoice,
  type CreditNoteAmount,
} from '@billing/kernel/proration/change-bill';
import { type CreditableLine, creditLines, roomOf } from '@billing/kernel/proration/credit-lines';
import { isCurrency } from '@billing/kernel/currency';
import { discountsPeriod } from '@billing/kernel/discount-validity';
import { sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import {
  chargesAfter,
  type ItemCharge,
  prorate,
  type RemainingTime,
  type UnusedTime,
} from '@billing/kernel/proration/prorated-change';
import { Decimal } from '@billing/kernel/decimal';
import { itemsAfter, monthlyAmountOf, sideOf } from '../subscription/change-side';
import type {
  ChangeCreditNote,
  ChangeInvoice,
  ChangeLine,
  SubscriptionChange,
  WantedChange,
} from '../subscription/subscription-change';
import {
  currencyOf,
  mainItem,
  periodOf,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionItems,
} from '../subscription/subscription';

/** An invoice of the running period, as a change finds it. */
export interface PeriodInvoice {
  readonly invoiceId: string;
  readonly status: 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  /** In the order of the invoice. */
  readonly lines: readonly CreditableLine[];
  /** Recurring line of the subscription's item; null: none. */
  readonly recurring: {
    readonly lineItemId: string;
    readonly amount: bigint;
    readonly discountAmount: bigint;
  } | null;
}

/** Facts about customer and product that the tax of an invoice depends on. */
interface TaxFacts {
  readonly buyer: string | null;
  readonly taxCategory: string | null;
}

/** Invoices of a running period, newest first. */
export interface PeriodFacts {
  readonly periodIndex: number;
  readonly invoices: readonly PeriodInvoice[];
}

/** How a change is asked for, and the facts that it is computed from. */
export interface ChangeTerms {
  readonly wanted: WantedChange;
  readonly at: Date;
  readonly invoiceId: string;
  /** Derives the id of the change's credit note on an invoice. */
  readonly creditNoteIdOf: (invoiceId: string) => string;
  readonly requirePayment: boolean;
  /** Round of the reserved balance; null: none. */
  readonly balanceRound: number | null;
  /** Null where no period runs that is billed. */
  readonly facts: PeriodFacts | null;
  readonly taxFacts: TaxFacts;
}

/** Result of a change that takes effect now. */
export type ChangePlan = Pick<
  SubscriptionChange,
  | 'from'
  | 'to'
  | 'monthlyAmountBefore'
  | 'monthlyAmountAfter'
  | 'invoice'
  | 'creditNotes'
  | 'charges'
>;

/** True if both prices have periods of the same length. */
export function isSameInterval(
  { price: a }: Pick<SubscriptionItem, 'price'>,
  { price: b }: Pick<SubscriptionItem, 'price'>,
): boolean {
  return a.billingInterval === b.billingInterval && a.intervalCount === b.intervalCount;
}

/**
 * Computes a change that takes effect at an instant of the running period. Before the first billed
 * period it costs nothing. A change that gives back more than it charges has credit notes.
 */
export function planChange(subscription: Subscription, terms: ChangeTerms): ChangePlan {
  const items = itemsAfter(subscription, terms.wanted);
  const billed =
    subscription.phase === 'REGULAR' && terms.facts !== null
      ? billOf(subscription, items, { ...terms, facts: terms.facts })
      : { invoice: null, creditNotes: [], charges: [] };
  return {
    from: sideOf(subscription),
    to: sideOf({ ...subscription, items }),
    monthlyAmountBefore: monthlyAmountOf(subscription, subscription.items),
    monthlyAmountAfter: monthlyAmountOf(subscription, items),
    ...billed,
  };
}

type BilledTerms = ChangeTerms & { readonly facts: PeriodFacts };

function billOf(
  subscription: Subscription,
  items: SubscriptionItems,
  terms: BilledTerms,
): Pick<ChangePlan, 'invoice' | 'creditNotes' | 'charges'> {
  const { periodIndex, invoices } = terms.facts;
  const before = chargesOf(subscription, terms.facts);
  const [from] = subscription.items;
  const [to] = items;
  if (isUnchanged(from, to)) return { invoice: null, creditNotes: [], charges: before };
  const { start, end } = periodOf(subscription, periodIndex);
  const at = terms.at.getTime();
  const currency = currencyOf(subscription);
  if (!isCurrency(currency)) throw new Error(`Unknown currency ${currency}`);
  const discount = discountOf(subscription, start);
  const { price, quantity } = to;
  const proration = prorate({
    period: { from: start.getTime(), to: end.getTime() },
    at,
    replaced: before.filter(({ itemId }) => itemId === from.id),
    added: [
      {
        itemId: to.id,
        productId: to.productId,
        exactAmount: exactAmountOf({ price, quantity }),
      },
    ],
    discount:
      discount === null
        ? undefined
        : {
            type: discount.type,
            value: discount.value,
            currency: null,
            productIds: discount.productIds ?? [],
          },
    currency,
  });
  const bill = billChange(proration, invoices.flatMap(creditable));
  const creditNotes = bill.creditNotes
    .map((note) => noteOf(note, from, terms))
    .filter(({ amount }) => amount > 0n);
  const others = before.filter(({ itemId }) => itemId !== from.id);
  const charges = [...others, ...chargesAfter({ at }, proration)];
  if (bill.invoice === undefined) return { invoice: null, creditNotes, charges };
  const { unused, remaining } = bill.invoice;
  const lines = [
    ...unused.map(({ itemId, amount }) =>
      unusedLine(from, { amount, taxedAs: sourceOf(invoices) }, ofItem(proration.unused, itemId)),
    ),
    ...remaining.map((line) => remainingLine(to, line)),
  ];
  const invoice = invoiceOf(subscription, lines, { ...terms, end, discount });
  return { invoice, creditNotes, charges };
}

/** The credit note that gives back an amount of an invoice. */
function noteOf(
  { invoiceId, amount: priced, settledBy }: CreditNoteAmount,
  { id: itemId }: SubscriptionItem,
  { facts, creditNoteIdOf }: BilledTerms,
): ChangeCreditNote {
  const { lines = [] } = facts.invoices.find((one) => one.invoiceId === invoiceId) ?? {};
  const credits = creditLines(lines, { priced, itemId });
  return {
    ...{ id: creditNoteIdOf(invoiceId), invoiceId, settledBy },
    amount: sumOf(credits.map(({ total }) => total)),
    lines: credits.map((credit) => ({ lineItemId: credit.lineItemId, priced: credit.priced })),
  };
}

function invoiceOf(
  { collectionMethod }: Subscription,
  lines: readonly ChangeLine[],
  {
    end,
    discount,
    ...terms
  }: BilledTerms & { readonly end: Date; readonly discount: Subscription['discount'] },
): ChangeInvoice {
  const isDiscounted = lines.some(({ discountAmount }) => discountAmount > 0n);
  return {
    invoiceId: terms.invoiceId,
    periodIndex: terms.facts.periodIndex,
    periodStart: terms.at,
    periodEnd: end,
    lines,
    discount:
      discount === null || !isDiscounted
        ? null
        : { id: discount.id, name: discount.name, type: discount.type, value: discount.value },
    isPaidFirst: terms.requirePayment && collectionMethod === 'CHARGE_AUTOMATICALLY',
    balanceRound: terms.balanceRound,
    ...terms.taxFacts,
  };
}

/** The charges of the running period: those of its invoice, or of the last change in it. */
function chargesOf(subscription: Subscription, facts: PeriodFacts): readonly ItemCharge[] {
  const { period } = subscription.changes;
  if (period?.periodIndex === facts.periodIndex) return period.charges;
  const { id: itemId, productId } = mainItem(subscription);
  const recurring = facts.invoices.at(-1)?.recurring;
  if (recurring === undefined || recurring === null) return [];
  const { amount, discountAmount } = recurring;
  const from = periodOf(subscription, facts.periodIndex).start.getTime();
  return [{ itemId, productId, from, gross: amount, net: amount - discountAmount }];
}

// Of FLAT the quantity does not count.
function isUnchanged(from: SubscriptionItem, to: SubscriptionItem): boolean {
  if (from.price.id !== to.price.id || from.productId !== to.productId) return false;
  return from.quantity === to.quantity || to.price.type === 'FLAT';
}

/** The discount, if the running period is discounted. */
function discountOf({ discount }: Subscription, start: Date): Subscription['discount'] {
  if (discount === null || discount.firstPeriodStart === null) return null;
  return discountsPeriod(discount, { first: discount.firstPeriodStart, start }) ? discount : null;
}

function creditable({ invoiceId, status, lines }: PeriodInvoice): CreditableInvoice[] {
  const isOwed = status === 'PAID' || status === 'OPEN';
  return isOwed ? [{ invoiceId, status, room: roomOf(lines) }] : [];
}

function exactAmountOf({ price, quantity }: Pick<SubscriptionItem, 'price' | 'quantity'>): Decimal {
  return Decimal.parse(recurringCharge({ ...price, quantity }).details.exactAmount);
}

function ofItem(unused: readonly UnusedTime[], itemId: string): UnusedTime {
  const found = unused.find((one) => one.itemId === itemId);
  if (found === undefined) throw new Error(`No unused time of item ${itemId}`);
  return found;
}

/** The newest line that has charged the item. */
function sourceOf(invoices: readonly PeriodInvoice[]): ChangeLine['taxedAs'] {
  const [source] = invoices.flatMap(({ invoiceId, recurring }) =>
    recurring === null ? [] : [{ invoiceId, lineItemId: recurring.lineItemId }],
  );
  return source ?? null;
}

function unusedLine(
  item: SubscriptionItem,
  { amount, taxedAs }: { readonly amount: bigint } & Pick<ChangeLine, 'taxedAs'>,
  { share, of }: UnusedTime,
): ChangeLine {
  const proration = { ...share, of: of.toString() };
  return {
    ...lineOf(item, proration),
    kind: 'UNUSED_TIME',
    description: `Unused time on ${item.productName}`,
    exactAmount: `-${exactText(proration)}`,
    amount: -amount,
    discountAmount: 0n,
    taxedAs,
  };
}

function remainingLine(
  item: SubscriptionItem,
  { gross, net, share, of }: RemainingTime,
): ChangeLine {
  const proration = { ...share, of: of.toString() };
  return {
    ...lineOf(item, proration),
    kind: 'REMAINING_TIME',
    description: `Remaining time on ${item.productName}`,
    exactAmount: exactText(proration),
    amount: gross,
    discountAmount: gross - net,
    taxedAs: null,
  };
}

function lineOf(item: SubscriptionItem, proration: ChangeLine['proration']) {
  const { id: itemId, productId, price, quantity } = item;
  return { itemId, productId, priceId: price.id, quantity: quantity.toString(), proration };
}

// The exact value may have no end as a decimal: it is cut after 12 digits. `proration` is exact.
const exactDigits = 12;

function exactText({ numerator, denominator, of }: ChangeLine['proration']): string {
  const { unscaled, scale } = Decimal.parse(of);
  const dividend = unscaled * numerator * 10n ** BigInt(exactDigits);
  const divisor = (denominator === 0n ? 1n : denominator) * 10n ** BigInt(scale);
  return Decimal.of(dividend / divisor, exactDigits).toString();
}
