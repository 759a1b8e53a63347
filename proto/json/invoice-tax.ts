import { z } from 'zod';
import type { Invoice, LineItem } from '../gen/billing/checkout/v1/checkout';
import {
  type InvoiceBuyer,
  type InvoiceSeller,
  type InvoiceTax,
  type TaxEvidence,
  TaxReason,
  TaxStatus,
} from '../gen/billing/checkout/v1/invoice_tax';
import { taxEvidenceKinds, taxReasons, taxStatuses } from '../values/checkout';
import { AddressJson, TaxIdJson, toJsonAddress, toJsonTaxId } from './customer';
import { decimal, time, toJsonAmount, toJsonOptionalTime, toJsonTime } from './scalars';
import { SellerJson, toJsonBankAccount, toJsonLogo } from './seller';

const text = z.string().nullable();
const signedAmount = z.int().meta({ description: "In the currency's smallest unit." });
export const taxReason = z.enum([
  'STANDARD',
  'ZERO',
  'NO_RATE',
  'EXEMPT',
  'REVERSE_CHARGE',
  'OUT_OF_SCOPE',
]);

const InvoiceSellerJson = SellerJson.omit({
  invoicePrefix: true,
  netDays: true,
  tax: true,
  updatedAt: true,
})
  .extend({ legalName: z.string() })
  .meta({ id: 'InvoiceSeller' });

const InvoiceBuyerJson = z
  .object({
    name: text,
    email: text,
    phone: text,
    address: AddressJson.nullable(),
    taxIds: z.array(TaxIdJson),
    buyerReference: text,
  })
  .meta({ id: 'InvoiceBuyer' });

const InvoiceTaxJson = z
  .object({
    reason: taxReason,
    name: text,
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2.' }),
    state: text,
    percent: decimal,
    base: signedAmount,
    amount: signedAmount,
    legalText: text.meta({ description: 'Text that the law demands on the invoice.' }),
  })
  .meta({ id: 'InvoiceTax' });

const TaxEvidenceJson = z.object({
  kind: z.enum(['ADDRESS', 'TAX_ID', 'CARD_COUNTRY', 'DEFAULT']),
  value: z.string().meta({ examples: ['DE'] }),
  at: time,
});

/** Fields of an invoice about its seller, its buyer and its taxes. */
export const invoiceTaxShape = {
  seller: InvoiceSellerJson.nullable().meta({
    description: 'The seller at the finalization. Null where the seller had no legal name.',
  }),
  buyer: InvoiceBuyerJson.nullable().meta({ description: 'The buyer at the finalization.' }),
  finalizedAt: time.nullable(),
  taxes: z.array(InvoiceTaxJson).meta({ description: 'One for each group of equal terms.' }),
  taxStatus: z
    .enum(['NONE', 'ESTIMATED', 'FINAL'])
    .meta({ description: 'ESTIMATED: of a draft or of an unpaid checkout session.' }),
  pricesIncludeTax: z.boolean(),
  taxEvidence: z
    .array(TaxEvidenceJson)
    .meta({ description: 'Facts about the place of the buyer.' }),
};

const { seller, buyer, taxes, pricesIncludeTax } = invoiceTaxShape;

/** Fields of a credit note about its seller, its buyer and its taxes. */
export const creditTaxShape = { seller, buyer, taxes, pricesIncludeTax };

/** Fields of a line about its tax. */
export const lineTaxShape = {
  pricedAmount: signedAmount.meta({
    description: 'Price before discount, with tax where prices include it.',
  }),
  taxCategory: text,
  taxReason: taxReason.nullable(),
  taxPercent: decimal.nullable(),
  taxAmount: signedAmount,
  total: signedAmount.meta({ description: 'amount − discountAmount + taxAmount.' }),
};

type InvoiceTaxFields = z.infer<z.ZodObject<typeof invoiceTaxShape>>;
type LineTaxFields = z.infer<z.ZodObject<typeof lineTaxShape>>;

/** Seller, buyer and taxes of an invoice. */
export function toJsonInvoiceTax(invoice: Invoice): InvoiceTaxFields {
  const { seller, buyer, taxStatus } = invoice;
  const isOld = taxStatus === TaxStatus.TAX_STATUS_UNSPECIFIED;
  return {
    seller: seller === undefined ? null : toJsonSeller(seller),
    buyer: buyer === undefined ? null : toJsonBuyer(buyer),
    finalizedAt: toJsonOptionalTime(invoice.finalizedAt),
    taxes: toJsonTaxes(invoice.taxes),
    taxStatus: isOld ? 'NONE' : taxStatuses.nameOf(taxStatus),
    pricesIncludeTax: invoice.pricesIncludeTax,
    taxEvidence: invoice.taxEvidence.map(toJsonEvidence),
  };
}

/** Seller, buyer and taxes of a credit note. */
export function toJsonCreditTax(
  note: Pick<Invoice, 'seller' | 'buyer' | 'taxes' | 'pricesIncludeTax'>,
): z.infer<z.ZodObject<typeof creditTaxShape>> {
  return {
    seller: note.seller === undefined ? null : toJsonSeller(note.seller),
    buyer: note.buyer === undefined ? null : toJsonBuyer(note.buyer),
    taxes: note.taxes.map(toJsonTax),
    pricesIncludeTax: note.pricesIncludeTax,
  };
}

/** Taxes of an invoice or of a preview. */
export function toJsonTaxes(taxes: readonly InvoiceTax[]): InvoiceTaxFields['taxes'] {
  return taxes.map(toJsonTax);
}

/** Tax of a line. A line of an event of an earlier version has its amount as its price. */
export function toJsonLineTax(
  line: LineItem,
  { taxStatus }: Pick<Invoice, 'taxStatus'>,
): LineTaxFields {
  const isOld = taxStatus === TaxStatus.TAX_STATUS_UNSPECIFIED;
  const { taxReason: reason, taxPercent, taxCategory } = line;
  const total = isOld ? line.amount - line.discountAmount : line.total;
  return {
    pricedAmount: toJsonAmount(isOld ? line.amount : line.pricedAmount),
    taxCategory: taxCategory ?? null,
    taxReason: reason === TaxReason.TAX_REASON_UNSPECIFIED ? null : taxReasons.nameOf(reason),
    taxPercent: taxPercent ?? null,
    taxAmount: toJsonAmount(line.taxAmount),
    total: toJsonAmount(total),
  };
}

function toJsonSeller(seller: InvoiceSeller): z.infer<typeof InvoiceSellerJson> {
  return {
    legalName: seller.legalName,
    contactName: seller.contactName ?? null,
    email: seller.email ?? null,
    phone: seller.phone ?? null,
    address: seller.address === undefined ? null : toJsonAddress(seller.address),
    taxIds: seller.taxIds.map(toJsonTaxId),
    registrationNumber: seller.registrationNumber ?? null,
    registrationText: seller.registrationText ?? null,
    footer: seller.footer ?? null,
    bankAccount: toJsonBankAccount(seller.bankAccount),
    logo: toJsonLogo(seller.logo),
    version: toJsonAmount(seller.version),
  };
}

function toJsonBuyer(buyer: InvoiceBuyer): z.infer<typeof InvoiceBuyerJson> {
  return {
    name: buyer.name ?? null,
    email: buyer.email ?? null,
    phone: buyer.phone ?? null,
    address: buyer.address === undefined ? null : toJsonAddress(buyer.address),
    taxIds: buyer.taxIds.map(toJsonTaxId),
    buyerReference: buyer.buyerReference ?? null,
  };
}

function toJsonTax(row: InvoiceTax): z.infer<typeof InvoiceTaxJson> {
  return {
    reason: taxReasons.nameOf(row.reason),
    name: row.name ?? null,
    country: row.country,
    state: row.state ?? null,
    percent: row.percent,
    base: toJsonAmount(row.base),
    amount: toJsonAmount(row.amount),
    legalText: row.legalText ?? null,
  };
}

function toJsonEvidence({ kind, value, at }: TaxEvidence): z.infer<typeof TaxEvidenceJson> {
  return { kind: taxEvidenceKinds.nameOf(kind), value, at: toJsonTime(at) };
}
