import type { Currency } from '@billing/kernel/currency';
import { sumOf } from '@billing/kernel/money';
import {
  lineAmounts,
  type LineTax,
  type TaxPrices,
  taxRows,
  type TaxTerms,
  vatEngine,
} from '@billing/kernel/tax/tax';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type { TaxEvidence, TaxSeller } from '@billing/kernel/tax/treatment';
import type { BillingSettings, Seller } from '../seller/billing-settings';
import {
  type BuyerFacts,
  type Finalization,
  type InvoiceSeller,
  type InvoiceTaxes,
  pricedOf,
  type TaxableAmounts,
} from './finalization';

/** Facts by which an invoice is written. They are read once, before its deciding write. */
export interface InvoiceTerms {
  readonly settings: BillingSettings;
  /** Locale of a customer without one. */
  readonly defaultLocale?: string | undefined;
  /** Undefined: the customer is unknown. */
  readonly buyer: BuyerFacts | undefined;
  /** Country of the card to be charged; absent: none is known. */
  readonly cardCountry?: string | undefined;
  /** Tax date. */
  readonly at: Date;
  /** False: the taxes are an estimate, computed again later. */
  readonly isFinal: boolean;
}

/** Line whose tax is computed. */
interface TaxableLine extends TaxableAmounts {
  readonly id: string;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
}

/** Lines and discounts of an invoice. */
interface Taxable<Line extends TaxableLine, Discount extends { readonly amount: bigint }> {
  readonly lineItems: readonly Line[];
  readonly discounts: readonly Discount[];
  readonly currency: Currency;
}

/**
 * Applies terms to the lines of an invoice: their taxes, and what the invoice keeps of seller and
 * buyer. Lines that were taxed before are taxed again from their prices. `taxedAs` holds terms of
 * lines that take over those of a line they correct, by line id. `ofSecond` holds ids of lines
 * whose discount is part of the second entry of `discounts`; all others are part of the first.
 */
export function withTerms<Line extends TaxableLine, Discount extends { readonly amount: bigint }>(
  invoice: Taxable<Line, Discount>,
  terms: InvoiceTerms,
  {
    taxedAs = new Map(),
    ofSecond = new Set(),
  }: {
    readonly taxedAs?: ReadonlyMap<string, TaxTerms>;
    readonly ofSecond?: ReadonlySet<string>;
  } = {},
): { lineItems: Line[]; discounts: Discount[]; finalization: Finalization } {
  const { settings, buyer, at, isFinal, defaultLocale } = terms;
  const { seller } = settings;
  const taxed = taxedLines(invoice, terms, taxedAs);
  const lineItems = taxed?.lineItems ?? invoice.lineItems.map(untaxed);
  const discounted = (index: number) =>
    sumOf(
      lineItems
        .filter(({ id }) => ofSecond.has(id) === (index === 1))
        .map(({ discountAmount }) => discountAmount),
    );
  const finalization = {
    at: isFinal ? at : undefined,
    netDays: buyer?.netDays ?? seller.netDays,
    invoicePrefix: seller.invoicePrefix,
    locale: buyer?.locale ?? defaultLocale,
    parties: partiesOf(settings, buyer),
    taxes: taxed?.taxes,
  };
  return {
    lineItems,
    discounts: invoice.discounts.map((discount, index) => ({
      ...discount,
      amount: discounted(index),
    })),
    finalization,
  };
}

function untaxed<Line extends TaxableLine>(line: Line): Line {
  if (line.tax === undefined) return line;
  const { pricedAmount: amount, pricedDiscount: discountAmount } = pricedOf(line);
  return { ...line, amount, discountAmount, tax: undefined };
}

function taxedLines<Line extends TaxableLine>(
  { lineItems, currency }: { readonly lineItems: readonly Line[]; readonly currency: Currency },
  { settings, buyer, cardCountry, at }: InvoiceTerms,
  taxedAs: ReadonlyMap<string, TaxTerms>,
): { readonly lineItems: Line[]; readonly taxes: InvoiceTaxes } | undefined {
  const taxing = taxingOf(settings.seller);
  if (taxing === undefined) return undefined;
  const { prices, seller } = taxing;
  const priced = lineItems.map((line) => ({ line, ...pricedOf(line) }));
  const answer = vatEngine.calculate({
    ...{ at, currency, prices },
    seller: { ...seller, ownRates: settings.ownRates },
    buyer: {
      address: {
        country: buyer?.buyer.address?.country ?? null,
        state: buyer?.buyer.address?.state ?? null,
      },
      taxIds: buyer?.buyer.taxIds ?? [],
      cardCountry,
    },
    taxExempt: buyer?.taxExempt ?? 'NONE',
    lines: priced.map(({ line, pricedAmount, pricedDiscount }) => ({
      ...{ id: line.id, pricedAmount, discount: pricedDiscount },
      taxCategory: line.taxCategory ?? STANDARD_CATEGORY,
      taxedAs: taxedAs.get(line.id),
    })),
  });
  const taxed = priced.map((one, index) => taxedLine(one, answer.lines[index], prices));
  return { lineItems: taxed, taxes: taxesOf(taxed, { ...answer, seller, prices }) };
}

/** Mode of taxation and place of a seller; undefined while tax is off. */
function taxingOf({
  tax,
  address,
}: Seller): { readonly prices: TaxPrices; readonly seller: TaxSeller } | undefined {
  if (tax === null) return undefined;
  const country = address?.country ?? null;
  if (country === null) throw new Error('A seller that taxes has no country');
  const { prices, registrations } = tax;
  return { prices, seller: { country, state: address?.state ?? null, registrations } };
}

function taxedLine<Line extends TaxableLine>(
  {
    line,
    pricedAmount,
    pricedDiscount,
  }: { readonly line: Line; readonly pricedAmount: bigint; readonly pricedDiscount: bigint },
  lineTax: LineTax | undefined,
  prices: TaxPrices,
): Line {
  if (lineTax === undefined) throw new Error(`Line ${line.id} has no tax`);
  const { reason, name, country, state, percent, taxAmount } = lineTax;
  const { amount, discountAmount } = lineAmounts(
    { pricedAmount, discount: pricedDiscount },
    lineTax,
    prices,
  );
  const tax = {
    ...{ pricedAmount, pricedDiscount, amount: taxAmount },
    ...{ reason, name, country, state, percent },
  };
  return { ...line, amount, discountAmount, tax };
}

function taxesOf(
  lines: readonly TaxableLine[],
  {
    evidence,
    prices,
    seller,
  }: {
    readonly evidence: readonly TaxEvidence[];
    readonly prices: TaxPrices;
    readonly seller: TaxSeller;
  },
): InvoiceTaxes {
  const taxed = lines.flatMap(({ tax, amount, discountAmount }) =>
    tax === undefined ? [] : [{ ...tax, amount, discountAmount, taxAmount: tax.amount }],
  );
  return { prices, rows: taxRows(taxed, seller), evidence };
}

function partiesOf(
  { seller, sellerVersion }: BillingSettings,
  facts: BuyerFacts | undefined,
): Finalization['parties'] {
  const { legalName, invoicePrefix: _prefix, netDays: _days, tax: _tax, ...shown } = seller;
  if (legalName === null || legalName === '') return undefined;
  const snapshot: InvoiceSeller = { ...shown, legalName, version: sellerVersion };
  return { seller: snapshot, buyer: facts?.buyer };
}
