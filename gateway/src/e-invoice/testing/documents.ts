import type { Currency } from '@billing/kernel/currency';
import { sumOf } from '@billing/kernel/money';
import {
  lineAmounts,
  type TaxableLine,
  taxRows,
  type TaxPrices,
  vatEngine,
} from '@billing/kernel/tax/tax';
import type { TaxId } from '@billing/kernel/tax/tax-id';
import {
  Invoice,
  InvoiceStatus,
  LineItem,
  LineItemKind,
} from '@billing/proto/billing/checkout/v1/checkout';
import { CreditNote, CreditNoteLine } from '@billing/proto/billing/checkout/v1/credit_note';
import {
  InvoiceBuyer,
  InvoiceSeller,
  InvoiceTax,
  TaxStatus,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { taxReasons } from '@billing/proto/values/checkout';
import { taxIdTypes } from '@billing/proto/values/customer';

export const finalizedAt = new Date('2026-01-31T12:00:00Z');
const place = { country: 'DE', state: null };
const remaining = LineItemKind.LINE_ITEM_KIND_REMAINING_TIME;

const seller = InvoiceSeller.fromPartial({
  ...{ legalName: 'Ada & Söhne <GmbH>', contactName: 'Ada Lovelace', phone: '+49 30 1234567' },
  ...{ email: 'billing@ada.example', registrationNumber: 'HRB 1234' },
  registrationText: 'Amtsgericht Berlin\nGeschäftsführerin: Ada Lovelace',
  footer: 'Thank you',
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxIds: [taxId({ type: 'EU_VAT', value: 'DE136695976' })],
  bankAccount: { holder: 'Ada', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
});

type Line = Omit<Partial<TaxableLine>, 'id'> &
  Pick<LineItem, 'description'> &
  Partial<Pick<LineItem, 'quantity' | 'unitAmount' | 'periodStart' | 'periodEnd' | 'kind'>>;

/** An invoice as its kernel rules tax it. */
export interface Sale {
  readonly lines: readonly Line[];
  readonly prices?: TaxPrices;
  readonly currency?: Currency;
  readonly country?: string;
  readonly taxIds?: readonly TaxId[];
  readonly taxExempt?: 'EXEMPT' | 'REVERSE' | 'NONE';
  /** Percent of an own rate of Germany. */
  readonly percent?: string;
  readonly change?: Partial<Invoice>;
}

export const yearly: Line = {
  description: 'Pro',
  ...{ quantity: '2', unitAmount: '1450', pricedAmount: 2900n },
  periodStart: finalizedAt,
  periodEnd: new Date('2027-01-31T12:00:00Z'),
};

export function taxedInvoice({
  lines,
  prices = 'EXCLUDE_TAX',
  currency = 'EUR',
  country = 'DE',
  taxIds = [],
  taxExempt = 'NONE',
  percent,
  change = {},
}: Sale): Invoice {
  const priced = lines.map((line, index) => ({
    ...{ pricedAmount: 0n, discount: 0n, taxCategory: 'standard' },
    ...line,
    id: String(index),
  }));
  const ownRate = { ...place, category: 'standard', name: 'VAT', validFrom: null, validTo: null };
  const answer = vatEngine.calculate({
    ...{ at: finalizedAt, currency, prices, taxExempt, lines: priced },
    seller: {
      ...{ ...place, registrations: ['DE', 'EU'] },
      ownRates: percent === undefined ? [] : [{ ...ownRate, percent }],
    },
    buyer: { address: { country, state: null }, taxIds },
  });
  const taxed = priced.flatMap((line, index) => {
    const tax = answer.lines[index];
    return tax === undefined ? [] : [{ ...line, ...tax, ...lineAmounts(line, tax, prices) }];
  });
  const sum = (name: 'amount' | 'discountAmount' | 'taxAmount' | 'total') =>
    sumOf(taxed.map((line) => line[name]));
  const discountAmount = sum('discountAmount');
  return Invoice.fromPartial({
    ...{ id: 'i1', number: 'INV-000001', currency, finalizedAt, createdAt: finalizedAt },
    status: InvoiceStatus.INVOICE_STATUS_OPEN,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
    dueDate: new Date('2026-03-02T12:00:00Z'),
    lineItems: taxed.map(({ reason, percent: taxPercent, ...line }) =>
      LineItem.fromPartial({
        ...{ id: line.id, description: line.description, quantity: line.quantity ?? '1' },
        ...(line.unitAmount !== undefined && { unitAmount: line.unitAmount }),
        ...(line.kind !== undefined && { kind: line.kind }),
        ...{ pricedAmount: line.pricedAmount, amount: line.amount, total: line.total },
        ...{ discountAmount: line.discountAmount, taxAmount: line.taxAmount, taxPercent },
        taxReason: taxReasons.valueOf(reason),
        ...(line.periodStart && { periodStart: line.periodStart }),
        ...(line.periodEnd && { periodEnd: line.periodEnd }),
      }),
    ),
    discounts: discountsOf(taxed),
    taxes: taxRows(taxed, place).map(toProtoTax),
    taxStatus: TaxStatus.TAX_STATUS_FINAL,
    pricesIncludeTax: prices === 'INCLUDE_TAX',
    ...{ subtotal: sum('amount'), discountAmount, tax: sum('taxAmount'), total: sum('total') },
    amountDue: sum('total'),
    ...{ seller, buyer: buyerIn(country, taxIds) },
    ...change,
  });
}

/** Discounts of an invoice; a part of a period that was put off keeps its own. */
function discountsOf(lines: readonly Pick<LineItem, 'kind' | 'discountAmount'>[]) {
  const isOfFormer = ({ kind }: Pick<LineItem, 'kind'>) => kind === remaining;
  const sum = (some: typeof lines) => sumOf(some.map((line) => line.discountAmount));
  const both = [
    { name: 'Launch', amount: sum(lines.filter((line) => !isOfFormer(line))) },
    { name: 'Former', amount: sum(lines.filter(isOfFormer)) },
  ];
  return both.filter(({ amount }) => amount !== 0n);
}

/** A credit note of all that an invoice bills. */
export function creditNoteOf(invoice: Invoice, change: Partial<CreditNote> = {}): CreditNote {
  const { currency, lineItems, tax, total, taxes, pricesIncludeTax } = invoice;
  return CreditNote.fromPartial({
    ...{ id: 'n1', invoiceId: invoice.id, number: 'CN-000001', currency, memo: 'Sorry' },
    issuedAt: new Date('2026-02-10T12:00:00Z'),
    lines: lineItems.map(({ id, description, amount, discountAmount, taxAmount, total: its }) =>
      CreditNoteLine.fromPartial({
        ...{ id, lineItemId: id, description, amount: amount - discountAmount },
        ...{ taxAmount, total: its },
      }),
    ),
    ...{ subtotal: total - tax, tax, total, reduced: total, taxes, pricesIncludeTax },
    ...{ seller: invoice.seller, buyer: invoice.buyer },
    ...change,
  });
}

function buyerIn(country: string, taxIds: readonly TaxId[]): InvoiceBuyer {
  return InvoiceBuyer.fromPartial({
    ...{ name: 'Bob', email: 'bob@example.com', buyerReference: '04011000-1234-34' },
    address: { line1: 'Road 1', city: 'Town', postalCode: '1000', country },
    taxIds: taxIds.map(taxId),
  });
}

function taxId({ type, value }: TaxId) {
  return { type: taxIdTypes.valueOf(type), value };
}

function toProtoTax({ reason, name, state, legalText, ...row }: ReturnType<typeof taxRows>[0]) {
  return InvoiceTax.fromPartial({
    ...row,
    reason: taxReasons.valueOf(reason),
    ...(name !== null && { name }),
    ...(state !== null && { state }),
    ...(legalText !== null && { legalText }),
  });
}

const french: TaxId = { type: 'EU_VAT', value: 'FR40303265045' };
const exempt: Line = { description: 'Course', pricedAmount: 1000n, taxCategory: 'exempt' };
const fraction: Line = { description: 'Calls', quantity: '7', unitAmount: '0.5', pricedAmount: 4n };
const corrected: Line = { description: 'Late usage', pricedAmount: -150n };

const putOff: Line = {
  ...{ description: 'Remaining time on Plus', kind: remaining },
  ...{ pricedAmount: 5000n, discount: 2500n },
};

/** One invoice of each kind. */
export const sales: Readonly<Record<string, Sale>> = {
  'taxed at a standard rate': { lines: [yearly] },
  'taxed at home and exempt': { lines: [yearly, exempt] },
  'with reverse charge': { lines: [yearly], country: 'FR', taxIds: [french] },
  'exempt from tax': { lines: [yearly], taxExempt: 'EXEMPT' },
  'taxed at a rate of zero': { lines: [yearly], percent: '0' },
  'not subject to tax': { lines: [yearly], country: 'US' },
  'with a discount': { lines: [{ ...yearly, discount: 290n }] },
  'with prices that include tax': {
    prices: 'INCLUDE_TAX',
    lines: [999n, 999n, 999n].map((pricedAmount) => ({ ...yearly, pricedAmount })),
  },
  'with prices that include tax and a discount': {
    prices: 'INCLUDE_TAX',
    lines: [{ description: 'Pro', pricedAmount: 999n, discount: 100n }],
  },
  'with two discounts': { lines: [{ ...yearly, discount: 290n }, putOff] },
  'with prices that include tax and two discounts': {
    prices: 'INCLUDE_TAX',
    lines: [{ ...yearly, discount: 290n }, putOff],
  },
  'in yen': { currency: 'JPY', lines: [yearly] },
  'with a negative line and a rounded line': { lines: [yearly, fraction, corrected] },
  'charged automatically, with balance applied': {
    lines: [yearly],
    change: {
      collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
      ...{ dueDate: undefined, balanceApplied: 549n, memo: 'A & B', purchaseOrder: 'PO-7' },
    },
  },
  'paid at the checkout': {
    lines: [yearly],
    change: {
      status: InvoiceStatus.INVOICE_STATUS_PAID,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
      ...{ dueDate: undefined, checkoutSessionId: 's1' },
    },
  },
};
