import { noCredits } from '../invoice/credit/credit';
import { isPartOfPeriod } from '@billing/kernel/discounting';
import { invalidInput } from '@billing/kernel/domain-error';
import { AMOUNT_MAX, isAmount, parseAmount, sumOf } from '@billing/kernel/money';
import type { TaxTerms } from '@billing/kernel/tax/tax';
import type { Transition } from '@billing/kernel/transition';
import {
  type Invoice,
  type InvoiceSession,
  type LineItem,
  type OneOffTerms,
  totalOf,
} from '../invoice/invoice';
import { type DiscountOnInvoice, discountLines } from '../invoice/invoice-discount';
import { type InvoiceTerms, withTerms } from '../tax/invoice-terms';

/** Line of a new invoice, with its price as amount. */
export type NewLineItem = Omit<LineItem, 'discountAmount' | 'tax'> & {
  /** Share of the discount; absent: the discount is split over the lines. */
  readonly discountShare?: bigint | undefined;
  /** Terms of the line that this one corrects; absent: the terms of this invoice. */
  readonly taxedAs?: TaxTerms | undefined;
};

/** Input of an invoice. */
export type NewInvoice = Pick<
  Invoice,
  | 'id'
  | 'subscriptionId'
  | 'customerId'
  | 'billingReason'
  | 'collectionMethod'
  | 'currency'
  | 'periodStart'
  | 'periodEnd'
  | 'authorizedTransactionId'
> & {
  /** The discount is split over the lines, unless they name their shares. */
  readonly lineItems: readonly NewLineItem[];
  readonly isChargedOnce?: boolean;
  readonly session?: InvoiceSession | undefined;
  readonly discount?: DiscountOnInvoice | undefined;
  /** Discount that the shares of lines of parts of a period are of; absent: `discount`. */
  readonly sharesDiscount?: DiscountOnInvoice | undefined;
  readonly balanceRound?: number | undefined;
  readonly oneOff?: OneOffTerms | undefined;
  /** Absent: the invoice is not taxed and names no seller. */
  readonly terms?: InvoiceTerms | undefined;
};

/**
 * A new invoice, without a number yet. Its command numbers it and starts its collection; a session
 * opens its own invoice, and a one-off draft waits until it is finalized.
 */
export function draft(invoice: NewInvoice): Transition<Invoice> {
  const drafted = unchecked(invoice);
  checkTotal(drafted.state);
  return drafted;
}

/**
 * Draft of an invoice that has to be created: what it bills is stored already. Its unused time is
 * taxed like the lines that it corrects. If these have a higher tax than the charges, so that the
 * total would be below 0, unused time is taxed by the terms of this invoice, or else like the
 * charge with the lowest tax, or else not at all.
 */
export function draftOwed(invoice: NewInvoice): Transition<Invoice> {
  const isPossible = ({ state }: Transition<Invoice>) => totalOf(state) >= 0n;
  const corrected = unchecked(invoice);
  if (isPossible(corrected)) return corrected;
  const present = unchecked(withUnusedTaxedAs(invoice, undefined));
  const others = lowestTerms(present.state).map((terms) =>
    unchecked(withUnusedTaxedAs(invoice, terms)),
  );
  const owed = [present, ...others].find(isPossible) ?? corrected;
  checkTotal(owed.state);
  return owed;
}

function withUnusedTaxedAs(
  { lineItems, ...invoice }: NewInvoice,
  taxedAs: TaxTerms | undefined,
): NewInvoice {
  const retaxed = lineItems.map((line) =>
    line.kind === 'UNUSED_TIME' ? { ...line, taxedAs } : line,
  );
  return { ...invoice, lineItems: retaxed };
}

/** Terms of the charge with the lowest tax, then terms of no tax at all; empty: tax is off. */
function lowestTerms({ lineItems }: Pick<Invoice, 'lineItems'>): TaxTerms[] {
  const [lowest] = lineItems
    .flatMap(({ amount, tax }) => (amount > 0n && tax !== undefined ? [tax] : []))
    .toSorted((one, other) => Number(one.percent) - Number(other.percent));
  if (lowest === undefined) return [];
  const { country } = lowest;
  return [lowest, { reason: 'OUT_OF_SCOPE', name: null, country, state: null, percent: '0' }];
}

function unchecked({
  lineItems,
  discount,
  sharesDiscount,
  session,
  balanceRound,
  oneOff,
  terms,
  ...input
}: NewInvoice): Transition<Invoice> {
  checkLineItems(lineItems);
  const state: Invoice = {
    ...input,
    ...amountsOf({ lineItems, discount, sharesDiscount, terms, currency: input.currency }),
    session,
    isTombstone: false,
    status: 'DRAFT',
    number: undefined,
    dueDate: undefined,
    paidAt: undefined,
    collectAt: undefined,
    retriesLeft: [],
    reminderDates: [],
    firstFailedAt: undefined,
    ended: undefined,
    givenUpAt: undefined,
    awaitsProviderSince: undefined,
    lastPaymentError: undefined,
    attempt: undefined,
    payments: [],
    resultsSent: 0,
    balanceRound,
    balanceApplied: 0n,
    oneOff,
    reservation: undefined,
    ...noCredits,
  };
  const isLeft =
    session !== undefined || (oneOff !== undefined && oneOff.finalizedAt === undefined);
  const commands = isLeft ? [] : [{ type: 'openInvoice', payload: {} }];
  return { state, events: [], commands };
}

/**
 * Refuses a total below 0: lines of other terms than their corrections may sum to one. The tax of a
 * one-off invoice must not exceed the maximum either; others are limited without their tax, because
 * the period of a subscription has to be billed.
 */
export function checkTotal(invoice: Parameters<typeof totalOf>[0] & Pick<Invoice, 'oneOff'>): void {
  const total = totalOf(invoice);
  if (total < 0n) throw invalidInput({ lines: ['Total must not be negative'] });
  if (invoice.oneOff === undefined || isAmount(total)) return;
  throw invalidInput({ lines: ['The total with tax exceeds the maximum amount'] });
}

/** Price of the lines of a new invoice after its discount, without tax that is added to it. */
export function totalOfNew({
  lineItems,
  discount,
  currency,
}: Pick<NewInvoice, 'discount' | 'currency'> & {
  readonly lineItems: readonly Pick<LineItem, 'amount' | 'itemProductId'>[];
}): bigint {
  const subtotal = sumOf(lineItems.map(({ amount }) => amount));
  return discount === undefined
    ? subtotal
    : subtotal - discountLines(discount, { currency, lines: lineItems }).amount;
}

function checkLineItems(lineItems: readonly Pick<LineItem, 'amount'>[]): void {
  if (lineItems.length === 0) throw invalidInput({ lineItems: ['Required'] });
  for (const { amount } of lineItems) parseAmount(amount < 0n ? -amount : amount, 'lineItems');
  const sum = sumOf(lineItems.map(({ amount }) => amount));
  if (!isAmount(sum)) {
    throw invalidInput({ lineItems: [`Must sum to 0 to ${AMOUNT_MAX.toString()}`] });
  }
}

function amountsOf({
  lineItems,
  discount,
  sharesDiscount,
  currency,
  terms,
}: Pick<NewInvoice, 'lineItems' | 'discount' | 'sharesDiscount' | 'currency' | 'terms'>) {
  const taxedAs = new Map(
    lineItems.flatMap(({ id, taxedAs: corrected }) =>
      corrected === undefined ? [] : [[id, corrected] as const],
    ),
  );
  const discounted = discountedLines({ lineItems, discount, sharesDiscount, currency });
  if (terms === undefined) return discounted;
  const hasBoth = discounted.discounts.length > 1;
  const shared = lineItems.filter((line) => hasBoth && isOfShares(line));
  const ofSecond = new Set(shared.map(({ id }) => id));
  return withTerms({ ...discounted, currency }, terms, { taxedAs, ofSecond });
}

/** True for a line whose share is of `sharesDiscount`; that of others is of `discount`. */
function isOfShares({ kind }: NewLineItem): boolean {
  return isPartOfPeriod(kind);
}

function discountedLines({
  lineItems,
  discount,
  sharesDiscount,
  currency,
}: Pick<NewInvoice, 'lineItems' | 'discount' | 'sharesDiscount' | 'currency'>): Pick<
  Invoice,
  'discounts' | 'lineItems'
> {
  const lines = lineItems.map(({ taxedAs: _corrected, discountShare: _share, ...line }) => line);
  const given = lineItems.map((line) => line.discountShare);
  const parts =
    discount === undefined
      ? given.map((share) => (sharesDiscount === undefined ? 0n : (share ?? 0n)))
      : discountLines(discount, { currency, lines, given }).parts;
  const ofShares =
    sharesDiscount === undefined || sharesDiscount.discountId === discount?.discountId
      ? 0n
      : sumOf(lineItems.filter(isOfShares).map(({ discountShare = 0n }) => discountShare));
  const entry = ({ discountId, name }: DiscountOnInvoice, amount: bigint) => ({
    ...{ discountId, name, amount },
  });
  return {
    lineItems: lines.map((line, index) => ({ ...line, discountAmount: parts[index] ?? 0n })),
    discounts: [
      ...(discount === undefined ? [] : [entry(discount, sumOf(parts) - ofShares)]),
      ...(sharesDiscount === undefined || ofShares === 0n ? [] : [entry(sharesDiscount, ofShares)]),
    ],
  };
}
