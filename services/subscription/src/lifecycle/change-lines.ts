import { Decimal } from '@billing/kernel/decimal';
import type { RemainingTime, UnusedTime } from '@billing/kernel/proration/prorated-change';
import type { PeriodLine } from '../subscription/recurring-charge';
import type { Subscription, SubscriptionItem } from '../subscription/subscription';
import type { ChangeInvoice, ChangeLine, TaxTerms } from '../subscription/subscription-change';
import type { ChangeTerms } from './change-terms';
import type { ChargedItem } from './period-charges';

/** The invoice of a change. */
export function changeInvoice(
  { collectionMethod }: Pick<Subscription, 'collectionMethod'>,
  lines: readonly ChangeLine[],
  {
    terms,
    discount,
    sharesDiscount = null,
    periodIndex,
    end,
  }: {
    readonly terms: Pick<
      ChangeTerms,
      'invoiceId' | 'at' | 'requirePayment' | 'balanceRound' | 'taxFacts'
    >;
    readonly discount: ChangeInvoice['discount'];
    /** Discount of the lines that were put off; absent: `discount`. */
    readonly sharesDiscount?: ChangeInvoice['discount'];
    readonly periodIndex: number;
    readonly end: Date;
  },
): ChangeInvoice {
  const isOther = sharesDiscount !== null && sharesDiscount.id !== discount?.id;
  return {
    invoiceId: terms.invoiceId,
    periodIndex,
    periodStart: terms.at,
    periodEnd: end,
    lines,
    discount: discountOfLines(lines, discount),
    ...(isOther && { sharesDiscount }),
    isPaidFirst: terms.requirePayment && collectionMethod === 'CHARGE_AUTOMATICALLY',
    isByTime: false,
    balanceRound: terms.balanceRound,
    ...terms.taxFacts,
  };
}

/** The discount that the shares of lines are of; null: they have none. */
export function discountOfLines(
  lines: readonly ChangeLine[],
  discount: ChangeInvoice['discount'],
): ChangeInvoice['discount'] {
  const isDiscounted = lines.some(({ discountAmount }) => discountAmount > 0n);
  if (discount === null || !isDiscounted) return null;
  const { id, name, type, value } = discount;
  return { id, name, type, value };
}

/** The unused time of an item. */
export function ofItem(unused: readonly UnusedTime[], itemId: string): UnusedTime {
  const found = unused.find((one) => one.itemId === itemId);
  if (found === undefined) throw new Error(`No unused time of item ${itemId}`);
  return found;
}

/** The line that takes unused time back; its amount is below 0. */
export function unusedLine(
  { productName, ...item }: ChargedItem,
  { amount, ...taxTerms }: { readonly amount: bigint } & TaxTerms,
  { share, of, amount: whole }: UnusedTime,
): ChangeLine {
  const proration = { ...share, of: of.toString() };
  return {
    ...item,
    kind: 'UNUSED_TIME',
    description: `Unused time on ${productName}`,
    // The part without room on this invoice is credited, so the line is exactly its part.
    exactAmount: `-${amount === whole ? exactText(proration) : amount.toString()}`,
    amount: -amount,
    discountAmount: 0n,
    ...taxTerms,
    proration,
    charge: null,
  };
}

/** The line that charges an item for the rest of the period. */
export function remainingLine(
  item: SubscriptionItem,
  { gross, net, share, of }: RemainingTime,
): ChangeLine {
  const proration = { ...share, of: of.toString() };
  return {
    ...lineOf(item),
    kind: 'REMAINING_TIME',
    description: `Remaining time on ${item.productName}`,
    exactAmount: exactText(proration),
    amount: gross,
    discountAmount: gross - net,
    taxedAs: null,
    proration,
    charge: null,
  };
}

/** The recurring line of a whole period. */
export function recurringLine(
  { itemId, productId, priceId, description, quantity, amount, unitAmount, details }: PeriodLine,
  discountAmount: bigint,
): ChangeLine {
  return {
    ...{ itemId, productId, priceId, description, quantity, amount, discountAmount },
    kind: 'RECURRING',
    exactAmount: details.exactAmount,
    taxedAs: null,
    proration: null,
    charge: { unitAmount: unitAmount ?? null, ...details },
  };
}

function lineOf({ id: itemId, productId, price, quantity }: SubscriptionItem) {
  return { itemId, productId, priceId: price.id, quantity: quantity.toString() };
}

// The exact value may have no end as a decimal: it is cut after 12 digits. `proration` is exact.
const exactDigits = 12;

function exactText({ numerator, denominator, of }: NonNullable<ChangeLine['proration']>): string {
  const { unscaled, scale } = Decimal.parse(of);
  const dividend = unscaled * numerator * 10n ** BigInt(exactDigits);
  const divisor = (denominator === 0n ? 1n : denominator) * 10n ** BigInt(scale);
  return Decimal.of(dividend / divisor, exactDigits).toString();
}
