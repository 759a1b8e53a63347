import { sumOf } from '@billing/kernel/money';
import type { Invoice, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import { type InvoiceTax, TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { printedAmount } from './amount-text';
import { settledRows } from './invoice-settled';

/** Label and amount. */
export type SumRow = readonly [string, bigint];

type Taxed = Pick<Invoice, 'taxes' | 'pricesIncludeTax'>;

/** Amount of a line as its invoice shows it: its price, with tax where prices include it. */
export function shownAmount({ amount, pricedAmount }: LineItem, invoice: Taxed): bigint {
  return includesTax(invoice) ? pricedAmount : amount;
}

/** Discounts of an invoice, priced like its lines. */
export function discountRows(invoice: Invoice): SumRow[] {
  const { discounts, lineItems, total } = invoice;
  // An invoice has at most one discount. Line totals are their prices less their discounts.
  const priced = sumOf(lineItems.map(({ pricedAmount }) => pricedAmount)) - total;
  return discounts.map(({ name, amount }) => [
    `Discount: ${name}`,
    -(includesTax(invoice) ? priced : amount),
  ]);
}

/** One row for each group of equal taxes. */
export function taxRows(invoice: Taxed & Pick<Invoice, 'tax' | 'currency'>): SumRow[] {
  const { taxes, tax, currency } = invoice;
  if (taxes.length === 0) return tax === 0n ? [] : [['Tax', tax]];
  const prefix = includesTax(invoice) ? 'Includes ' : '';
  return taxes.map((row) => [`${prefix}${taxText(row, currency)}`, row.amount]);
}

/** Says of prices that tax is added to them, or that they include it. */
export type TaxNote = 'plus tax' | 'including tax';

/** Note for prices that are charged like an invoice; undefined where it has no tax. */
export function taxNoteOf(invoice: Taxed | undefined): TaxNote | undefined {
  if (invoice === undefined || invoice.taxes.every(({ percent }) => percent === '0')) {
    return undefined;
  }
  return invoice.pricesIncludeTax ? 'including tax' : 'plus tax';
}

/** Rows between the lines of an invoice and the amount due. */
export function sumRows(invoice: Invoice): SumRow[] {
  const { subtotal, total } = invoice;
  const settled = settledRows(invoice);
  if (includesTax(invoice)) {
    return [...discountRows(invoice), ['Total', total], ...taxRows(invoice), ...settled];
  }
  return [
    ['Subtotal', subtotal],
    ...discountRows(invoice),
    ...taxRows(invoice),
    ['Total', total],
    ...settled,
  ];
}

function includesTax({ taxes, pricesIncludeTax }: Taxed): boolean {
  return pricesIncludeTax && taxes.length > 0;
}

function taxText({ reason, name, percent, base, legalText }: InvoiceTax, currency: string): string {
  const on = `on ${printedAmount(base, currency)}`;
  if (legalText !== undefined) return `${legalText}, 0% ${on}`;
  if (reason === TaxReason.TAX_REASON_NO_RATE) return `Tax 0% ${on}`;
  return `${name ?? 'Tax'} ${percent}% ${on}`;
}
