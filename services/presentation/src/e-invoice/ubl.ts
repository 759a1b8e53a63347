import {
  amountCode,
  billingProcess,
  dayCode,
  discountCode,
  emailScheme,
  exemptionCodes,
  priceCode,
  specifications,
  transferCode,
  typeCodes,
  unitCode,
} from './code';
import type {
  EInvoice,
  EInvoiceLine,
  EInvoiceParty,
  EInvoicePeriod,
  EInvoiceTax,
  VatCategory,
} from './e-invoice';
import { element, xmlDocument, type XmlElement } from './xml';

const schema = 'urn:oasis:names:specification:ubl:schema:xsd';
const components = {
  cac: `${schema}:CommonAggregateComponents-2`,
  cbc: `${schema}:CommonBasicComponents-2`,
};

type Nodes = readonly (XmlElement | undefined)[];

/** Document in UBL 2.1: an Invoice or a CreditNote. */
export function toUbl(invoice: EInvoice): string {
  const isInvoice = invoice.kind === 'INVOICE';
  const root = isInvoice ? 'Invoice' : 'CreditNote';
  return xmlDocument(root, { '': `${schema}:${root}-2`, ...components }, [
    ...head(invoice),
    party('cac:AccountingSupplierParty', invoice.seller),
    party('cac:AccountingCustomerParty', invoice.buyer),
    paymentMeans(invoice),
    element('cac:PaymentTerms', [element('cbc:Note', invoice.terms)]),
    taxTotal(invoice),
    monetaryTotal(invoice),
    ...invoice.lines.map((line, index) => lineOf(line, index, invoice)),
  ]);
}

function head(invoice: EInvoice): Nodes {
  const { profile, kind, number, issuedAt, dueDate, notes, currency, preceding } = invoice;
  return [
    element('cbc:CustomizationID', specifications[profile]),
    profile === 'XRECHNUNG' ? element('cbc:ProfileID', billingProcess) : undefined,
    element('cbc:ID', number),
    element('cbc:IssueDate', dayCode(issuedAt)),
    // A credit note has no due date.
    kind === 'INVOICE' && dueDate ? element('cbc:DueDate', dayCode(dueDate)) : undefined,
    element(`cbc:${kind === 'INVOICE' ? 'Invoice' : 'CreditNote'}TypeCode`, typeCodes[kind]),
    ...notes.map((note) => element('cbc:Note', note)),
    element('cbc:DocumentCurrencyCode', currency),
    element('cbc:BuyerReference', invoice.buyerReference),
    periodOf(invoice.period),
    element('cac:OrderReference', [element('cbc:ID', invoice.purchaseOrder)]),
    preceding &&
      element('cac:BillingReference', [
        element('cac:InvoiceDocumentReference', [
          element('cbc:ID', preceding.number),
          element('cbc:IssueDate', dayCode(preceding.issuedAt)),
        ]),
      ]),
  ];
}

function party(name: string, of: EInvoiceParty): XmlElement | undefined {
  return element(name, [
    element('cac:Party', [
      element('cbc:EndpointID', of.email, { schemeID: emailScheme }),
      element('cac:PartyIdentification', [element('cbc:ID', of.identifier)]),
      address(of.address),
      taxScheme(of.vatId, 'VAT'),
      taxScheme(of.taxNumber, 'FC'),
      element('cac:PartyLegalEntity', [
        element('cbc:RegistrationName', of.name),
        element('cbc:CompanyID', of.registrationNumber),
        element('cbc:CompanyLegalForm', of.registrationText),
      ]),
      element('cac:Contact', [
        element('cbc:Name', of.contactName),
        element('cbc:Telephone', of.phone),
        element('cbc:ElectronicMail', of.email),
      ]),
    ]),
  ]);
}

function address(of: EInvoiceParty['address']): XmlElement | undefined {
  return element('cac:PostalAddress', [
    element('cbc:StreetName', of.line1),
    element('cbc:AdditionalStreetName', of.line2),
    element('cbc:CityName', of.city),
    element('cbc:PostalZone', of.postalCode),
    element('cbc:CountrySubentity', of.state),
    element('cac:Country', [element('cbc:IdentificationCode', of.country)]),
  ]);
}

function taxScheme(id: string | undefined, scheme: string): XmlElement | undefined {
  if (id === undefined) return undefined;
  return element('cac:PartyTaxScheme', [
    element('cbc:CompanyID', id),
    element('cac:TaxScheme', [element('cbc:ID', scheme)]),
  ]);
}

function paymentMeans(invoice: EInvoice): XmlElement | undefined {
  const { transfer, number } = invoice;
  if (transfer === undefined) return undefined;
  return element('cac:PaymentMeans', [
    element('cbc:PaymentMeansCode', transferCode(invoice)),
    element('cbc:PaymentID', number),
    element('cac:PayeeFinancialAccount', [
      element('cbc:ID', transfer.iban),
      element('cbc:Name', transfer.holder),
      element('cac:FinancialInstitutionBranch', [element('cbc:ID', transfer.bic)]),
    ]),
  ]);
}

function taxTotal(invoice: EInvoice): XmlElement | undefined {
  return element('cac:TaxTotal', [
    amountOf('cbc:TaxAmount', invoice.tax, invoice),
    ...invoice.taxes.map((tax) => taxSubtotal(tax, invoice)),
  ]);
}

function taxSubtotal(tax: EInvoiceTax, invoice: EInvoice): XmlElement | undefined {
  const { category, base, amount, exemption } = tax;
  return element('cac:TaxSubtotal', [
    amountOf('cbc:TaxableAmount', base, invoice),
    amountOf('cbc:TaxAmount', amount, invoice),
    taxCategory('cac:TaxCategory', tax, [
      element('cbc:TaxExemptionReasonCode', exemptionCodes[category]),
      element('cbc:TaxExemptionReason', exemption),
    ]),
  ]);
}

function taxCategory(
  name: string,
  { category, percent }: { category: VatCategory; percent: string | undefined },
  more: Nodes = [],
): XmlElement | undefined {
  return element(name, [
    element('cbc:ID', category),
    element('cbc:Percent', percent),
    ...more,
    element('cac:TaxScheme', [element('cbc:ID', 'VAT')]),
  ]);
}

function monetaryTotal(invoice: EInvoice): XmlElement | undefined {
  const { net, tax, prepaid } = invoice;
  return element('cac:LegalMonetaryTotal', [
    amountOf('cbc:LineExtensionAmount', net, invoice),
    amountOf('cbc:TaxExclusiveAmount', net, invoice),
    amountOf('cbc:TaxInclusiveAmount', net + tax, invoice),
    prepaid === 0n ? undefined : amountOf('cbc:PrepaidAmount', prepaid, invoice),
    amountOf('cbc:PayableAmount', net + tax - prepaid, invoice),
  ]);
}

function lineOf(line: EInvoiceLine, index: number, invoice: EInvoice): XmlElement | undefined {
  const isInvoice = invoice.kind === 'INVOICE';
  const { quantity, net, period, discount, name, description, unitPrice } = line;
  return element(isInvoice ? 'cac:InvoiceLine' : 'cac:CreditNoteLine', [
    element('cbc:ID', String(index + 1)),
    element(isInvoice ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity', quantity, { unitCode }),
    amountOf('cbc:LineExtensionAmount', net, invoice),
    periodOf(period),
    discount &&
      element('cac:AllowanceCharge', [
        element('cbc:ChargeIndicator', 'false'),
        element('cbc:AllowanceChargeReasonCode', discountCode),
        element('cbc:AllowanceChargeReason', discount.reason),
        amountOf('cbc:Amount', discount.amount, invoice),
      ]),
    element('cac:Item', [
      element('cbc:Description', description),
      element('cbc:Name', name),
      taxCategory('cac:ClassifiedTaxCategory', line),
    ]),
    element('cac:Price', [
      element('cbc:PriceAmount', priceCode(unitPrice, invoice.decimals), {
        currencyID: invoice.currency,
      }),
    ]),
  ]);
}

function periodOf(period: EInvoicePeriod | undefined): XmlElement | undefined {
  return (
    period &&
    element('cac:InvoicePeriod', [
      element('cbc:StartDate', dayCode(period.first)),
      element('cbc:EndDate', dayCode(period.last)),
    ])
  );
}

function amountOf(
  name: string,
  amount: bigint,
  { currency, decimals }: EInvoice,
): XmlElement | undefined {
  return element(name, amountCode(amount, decimals), { currencyID: currency });
}
