import { isPartOfPeriod } from '@billing/kernel/discounting';
import { sumOf } from '@billing/kernel/money';
import type {
  Invoice,
  InvoiceDiscount,
  LineItem,
} from '@billing/proto/billing/checkout/v1/checkout';
import { type InvoiceTax, TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { type Seller, TaxPrices } from '@billing/proto/billing/checkout/v1/seller';
import { lineKinds } from '@billing/proto/values/checkout';
import { amountText, quantityText } from './amount-text';
import { settledRows, type SumRow } from './invoice-settled';
import type { Shown } from './reader';
import { say } from './say';

type Taxed = Pick<Invoice, 'taxes' | 'pricesIncludeTax'>;

/** Amount of a line as its invoice shows it: its price, with tax where prices include it. */
export function shownAmount({ amount, pricedAmount }: LineItem, invoice: Taxed): bigint {
  return includesTax(invoice) ? pricedAmount : amount;
}

/** Discounts of an invoice, priced like its lines. */
export function discountRows(invoice: Invoice): SumRow[] {
  return invoice.discounts.map((discount) => [
    say('invoice.discount', { name: discount.name }),
    -(includesTax(invoice) ? pricedDiscount(discount, invoice) : discount.amount),
  ]);
}

// Line totals are their prices less their discounts.
function pricedDiscount(discount: InvoiceDiscount, invoice: Invoice): bigint {
  const lines = invoice.lineItems.filter((line) => discountOf(line, invoice) === discount);
  return sumOf(lines.map(({ pricedAmount, total }) => pricedAmount - total));
}

/**
 * The discount that a line may be lessened by; undefined if its invoice has none. Where there are
 * two, the second one is of parts of a period that were put off.
 */
export function discountOf(
  { kind }: Pick<LineItem, 'kind'>,
  { discounts: [first, second] }: Pick<Invoice, 'discounts'>,
): InvoiceDiscount | undefined {
  const isPart = kind !== undefined && isPartOfPeriod(lineKinds.knownName(kind));
  return isPart && second !== undefined ? second : first;
}

/** One row for each group of equal taxes. */
export function taxRows(invoice: Taxed & Pick<Invoice, 'tax' | 'currency'>): SumRow[] {
  const { taxes, tax, currency } = invoice;
  if (taxes.length === 0) return tax === 0n ? [] : [[say('invoice.tax'), tax]];
  const label = (row: InvoiceTax) => taxText(row, currency);
  return taxes.map((row) => [
    includesTax(invoice) ? say('invoice.includes', { tax: label(row) }) : label(row),
    row.amount,
  ]);
}

/** Says of prices that tax is added to them, or that they include it. */
export type TaxNote = 'PLUS_TAX' | 'INCLUDING_TAX';

/** Note for prices that are charged like an invoice; undefined where it has no tax. */
export function taxNoteOf(invoice: Taxed | undefined): TaxNote | undefined {
  if (invoice === undefined || invoice.taxes.every(({ percent }) => percent === '0')) {
    return undefined;
  }
  return invoice.pricesIncludeTax ? 'INCLUDING_TAX' : 'PLUS_TAX';
}

/** Note for the listed prices of a seller; undefined while tax is off. */
export function listedTaxNote({ tax }: Pick<Seller, 'tax'>): TaxNote | undefined {
  if (tax === undefined) return undefined;
  return tax.prices === TaxPrices.TAX_PRICES_INCLUDE_TAX ? 'INCLUDING_TAX' : 'PLUS_TAX';
}

/** Rows between the lines of an invoice and the amount due. */
export function sumRows(invoice: Invoice): SumRow[] {
  const { subtotal } = invoice;
  const settled = settledRows(invoice);
  if (includesTax(invoice)) {
    return [...discountRows(invoice), totalRow(invoice), ...taxRows(invoice), ...settled];
  }
  return [
    [say('invoice.subtotal'), subtotal],
    ...discountRows(invoice),
    ...taxRows(invoice),
    totalRow(invoice),
    ...settled,
  ];
}

/** The total of an invoice. */
export function totalRow({ total }: Pick<Invoice, 'total'>): SumRow {
  return [say('invoice.total'), total];
}

function includesTax({ taxes, pricesIncludeTax }: Taxed): boolean {
  return pricesIncludeTax && taxes.length > 0;
}

function taxText({ reason, name, percent, base, legalText }: InvoiceTax, currency: string): Shown {
  const amount = amountText(base, currency);
  if (legalText !== undefined) return say('invoice.legalTaxOn', { text: legalText, amount });
  const isUnknown = reason === TaxReason.TAX_REASON_NO_RATE;
  return say('invoice.taxOn', {
    name: (isUnknown ? undefined : name) ?? say('invoice.tax'),
    percent: quantityText(isUnknown ? '0' : percent),
    amount,
  });
}
