import { discountOf } from '@billing/documents/tax-text';
import { Decimal } from '@billing/kernel/decimal';
import type {
  EInvoice,
  EInvoiceLine,
  EInvoicePeriod,
  EInvoiceProfile,
} from '@billing/presentation/e-invoice';
import type { Invoice, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { present } from '../http/answer';
import { buyerOf, sellerOf, transferOf } from './parties';
import { checkedDecimals, checkedParties, checkFinalised } from './refusals';
import { categoryOf, percentOf, taxGroups } from './taxes';

/**
 * Invoice by EN 16931 as it was finalised: payments, credit notes and the status do not change it.
 * Throws failed_precondition where a needed fact is missing.
 */
export function invoiceModel(invoice: Invoice, profile: EInvoiceProfile): EInvoice {
  checkFinalised(invoice);
  const { currency, dueDate, memo, purchaseOrder, number, subtotal, discountAmount } = invoice;
  const decimals = checkedDecimals(currency);
  const taxes = taxGroups(invoice.taxes);
  const categories = taxes.map(({ category }) => category);
  const { seller, buyer } = checkedParties({ ...invoice, categories, profile });
  const terms = { isOutOfScope: categories.includes('O') };
  const lines = invoice.lineItems.map((line) => lineOf(line, invoice));
  // XRechnung demands a way to pay for every document.
  const isTransferred = profile === 'XRECHNUNG' || isSent(invoice);
  return {
    ...{ profile, kind: 'INVOICE', number: present(number), currency, decimals },
    issuedAt: present(invoice.finalizedAt),
    dueDate,
    terms: dueDate === undefined ? 'Charged automatically' : undefined,
    buyerReference: buyer.buyerReference,
    purchaseOrder,
    notes: notesOf(memo, seller),
    preceding: undefined,
    period: periodAround(lines, daysOf(invoice.periodStart, invoice.periodEnd)),
    seller: sellerOf(seller, terms),
    buyer: buyerOf(buyer, terms),
    transfer: isTransferred ? transferOf(seller) : undefined,
    lines,
    taxes,
    net: subtotal - discountAmount,
    tax: invoice.tax,
    prepaid: prepaidOf(invoice),
  };
}

/** Amount that was paid when an invoice was finalised. */
export function prepaidOf({
  checkoutSessionId,
  total,
  balanceApplied,
}: Pick<Invoice, 'checkoutSessionId' | 'total' | 'balanceApplied'>): bigint {
  return checkoutSessionId === undefined ? balanceApplied : total;
}

/** Notes of a document. */
export function notesOf(
  memo: string | undefined,
  { footer }: { readonly footer?: string | undefined },
): string[] {
  return [memo, footer].filter((note) => note !== undefined);
}

function isSent({ collectionMethod }: Invoice): boolean {
  return collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
}

function lineOf(line: LineItem, invoice: Invoice): EInvoiceLine {
  const { description, amount, discountAmount, taxReason, taxPercent } = line;
  const category = categoryOf(present(taxReason), invoice.taxes);
  const isDiscounted = discountAmount > 0n;
  return {
    name: description,
    ...priced(line, invoice),
    discount: isDiscounted
      ? { amount: discountAmount, reason: discountOf(line, invoice)?.name }
      : undefined,
    net: amount - discountAmount,
    period: daysOf(line.periodStart, line.periodEnd),
    category,
    percent: percentOf(category, present(taxPercent)),
  };
}

/** Quantity and price, if they multiply to the amount; otherwise once the amount. */
function priced(
  { quantity, unitAmount, amount }: LineItem,
  { pricesIncludeTax }: Invoice,
): Pick<EInvoiceLine, 'quantity' | 'unitPrice' | 'description'> {
  if (!pricesIncludeTax && unitAmount !== undefined && !unitAmount.startsWith('-')) {
    const product = Decimal.parse(quantity).multiply(Decimal.parse(unitAmount));
    const isExact = product.compare(Decimal.of(amount)) === 0;
    if (isExact) return { quantity, unitPrice: unitAmount, description: undefined };
  }
  return { ...once(amount), description: quantity === '1' ? undefined : `Quantity: ${quantity}` };
}

/** A line as once its amount; the price is never below 0. */
export function once(amount: bigint): Pick<EInvoiceLine, 'quantity' | 'unitPrice'> {
  return amount < 0n
    ? { quantity: '-1', unitPrice: String(-amount) }
    : { quantity: '1', unitPrice: String(amount) };
}

/**
 * Period of a document. It contains those of all lines, as XRechnung demands: usage that came late
 * is billed with its own period.
 */
export function periodAround(
  lines: readonly Pick<EInvoiceLine, 'period'>[],
  own?: EInvoicePeriod,
): EInvoicePeriod | undefined {
  const all = [own, ...lines.map(({ period }) => period)].filter((one) => one !== undefined);
  const [first] = all.map((period) => period.first).toSorted(byTime);
  const last = all
    .map((period) => period.last)
    .toSorted(byTime)
    .at(-1);
  return first && last && { first, last };
}

/** Days of a period. Periods end exclusively, and their last days are inclusive. */
export function daysOf(start: Date | undefined, end: Date | undefined): EInvoicePeriod | undefined {
  if (start === undefined || end === undefined) return undefined;
  return { first: start, last: new Date(Math.max(start.getTime(), end.getTime() - 1)) };
}

function byTime(one: Date, other: Date): number {
  return one.getTime() - other.getTime();
}
