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
} from './e-invoice';
import { element, xmlDocument, type XmlElement } from './xml';

const schema = 'urn:un:unece:uncefact:data:standard';
const namespaces = {
  rsm: `${schema}:CrossIndustryInvoice:100`,
  ram: `${schema}:ReusableAggregateBusinessInformationEntity:100`,
  qdt: `${schema}:QualifiedDataType:100`,
  udt: `${schema}:UnqualifiedDataType:100`,
};
// Days are written as 20260131.
const dayFormat = { format: '102' };

/** Document in UN/CEFACT Cross Industry Invoice D16B, the syntax of Factur-X. */
export function toCii(invoice: EInvoice): string {
  return xmlDocument('rsm:CrossIndustryInvoice', namespaces, [
    contextOf(invoice),
    documentOf(invoice),
    element('rsm:SupplyChainTradeTransaction', [
      ...invoice.lines.map((line, index) => lineOf(line, index, invoice)),
      agreementOf(invoice),
      // Required, even without a delivery.
      { name: 'ram:ApplicableHeaderTradeDelivery', attributes: {}, content: [] },
      settlementOf(invoice),
    ]),
  ]);
}

function contextOf({ profile }: EInvoice): XmlElement | undefined {
  const process = profile === 'XRECHNUNG' ? billingProcess : undefined;
  return element('rsm:ExchangedDocumentContext', [
    element('ram:BusinessProcessSpecifiedDocumentContextParameter', [element('ram:ID', process)]),
    element('ram:GuidelineSpecifiedDocumentContextParameter', [
      element('ram:ID', specifications[profile]),
    ]),
  ]);
}

function documentOf({ number, kind, issuedAt, notes }: EInvoice): XmlElement | undefined {
  return element('rsm:ExchangedDocument', [
    element('ram:ID', number),
    element('ram:TypeCode', typeCodes[kind]),
    dayOf('ram:IssueDateTime', issuedAt),
    ...notes.map((note) => element('ram:IncludedNote', [element('ram:Content', note)])),
  ]);
}

function lineOf(line: EInvoiceLine, index: number, invoice: EInvoice): XmlElement | undefined {
  const { decimals } = invoice;
  return element('ram:IncludedSupplyChainTradeLineItem', [
    element('ram:AssociatedDocumentLineDocument', [element('ram:LineID', String(index + 1))]),
    element('ram:SpecifiedTradeProduct', [
      element('ram:Name', line.name),
      element('ram:Description', line.description),
    ]),
    element('ram:SpecifiedLineTradeAgreement', [
      element('ram:NetPriceProductTradePrice', [
        element('ram:ChargeAmount', priceCode(line.unitPrice, decimals)),
      ]),
    ]),
    element('ram:SpecifiedLineTradeDelivery', [
      element('ram:BilledQuantity', line.quantity, { unitCode }),
    ]),
    element('ram:SpecifiedLineTradeSettlement', [
      element('ram:ApplicableTradeTax', [
        element('ram:TypeCode', 'VAT'),
        element('ram:CategoryCode', line.category),
        element('ram:RateApplicablePercent', line.percent),
      ]),
      periodOf(line.period),
      discountOf(line, decimals),
      element('ram:SpecifiedTradeSettlementLineMonetarySummation', [
        element('ram:LineTotalAmount', amountCode(line.net, decimals)),
      ]),
    ]),
  ]);
}

function discountOf({ discount }: EInvoiceLine, decimals: number): XmlElement | undefined {
  return (
    discount &&
    element('ram:SpecifiedTradeAllowanceCharge', [
      element('ram:ChargeIndicator', [element('udt:Indicator', 'false')]),
      element('ram:ActualAmount', amountCode(discount.amount, decimals)),
      element('ram:ReasonCode', discountCode),
      element('ram:Reason', discount.reason),
    ])
  );
}

function agreementOf(invoice: EInvoice): XmlElement | undefined {
  return element('ram:ApplicableHeaderTradeAgreement', [
    element('ram:BuyerReference', invoice.buyerReference),
    party('ram:SellerTradeParty', invoice.seller),
    party('ram:BuyerTradeParty', invoice.buyer),
    element('ram:BuyerOrderReferencedDocument', [
      element('ram:IssuerAssignedID', invoice.purchaseOrder),
    ]),
  ]);
}

function party(name: string, of: EInvoiceParty): XmlElement | undefined {
  const { address } = of;
  return element(name, [
    element('ram:ID', of.identifier),
    element('ram:Name', of.name),
    element('ram:Description', of.registrationText),
    element('ram:SpecifiedLegalOrganization', [element('ram:ID', of.registrationNumber)]),
    element('ram:DefinedTradeContact', [
      element('ram:PersonName', of.contactName),
      element('ram:TelephoneUniversalCommunication', [element('ram:CompleteNumber', of.phone)]),
      element('ram:EmailURIUniversalCommunication', [element('ram:URIID', of.email)]),
    ]),
    element('ram:PostalTradeAddress', [
      element('ram:PostcodeCode', address.postalCode),
      element('ram:LineOne', address.line1),
      element('ram:LineTwo', address.line2),
      element('ram:CityName', address.city),
      element('ram:CountryID', address.country),
      element('ram:CountrySubDivisionName', address.state),
    ]),
    element('ram:URIUniversalCommunication', [
      element('ram:URIID', of.email, { schemeID: emailScheme }),
    ]),
    taxRegistration(of.vatId, 'VA'),
    taxRegistration(of.taxNumber, 'FC'),
  ]);
}

function taxRegistration(id: string | undefined, schemeID: string): XmlElement | undefined {
  return element('ram:SpecifiedTaxRegistration', [element('ram:ID', id, { schemeID })]);
}

function settlementOf(invoice: EInvoice): XmlElement | undefined {
  const { number, currency, transfer, taxes, preceding } = invoice;
  return element('ram:ApplicableHeaderTradeSettlement', [
    element('ram:PaymentReference', transfer && number),
    element('ram:InvoiceCurrencyCode', currency),
    paymentMeans(invoice),
    ...taxes.map((tax) => taxOf(tax, invoice)),
    periodOf(invoice.period),
    element('ram:SpecifiedTradePaymentTerms', [
      element('ram:Description', invoice.terms),
      invoice.dueDate && dayOf('ram:DueDateDateTime', invoice.dueDate),
    ]),
    summation(invoice),
    preceding &&
      element('ram:InvoiceReferencedDocument', [
        element('ram:IssuerAssignedID', preceding.number),
        dayOf('ram:FormattedIssueDateTime', preceding.issuedAt, 'qdt'),
      ]),
  ]);
}

function paymentMeans(invoice: EInvoice): XmlElement | undefined {
  const { transfer } = invoice;
  return (
    transfer &&
    element('ram:SpecifiedTradeSettlementPaymentMeans', [
      element('ram:TypeCode', transferCode(invoice)),
      element('ram:PayeePartyCreditorFinancialAccount', [
        element('ram:IBANID', transfer.iban),
        element('ram:AccountName', transfer.holder),
      ]),
      element('ram:PayeeSpecifiedCreditorFinancialInstitution', [
        element('ram:BICID', transfer.bic),
      ]),
    ])
  );
}

function taxOf(tax: EInvoiceTax, { decimals }: EInvoice): XmlElement | undefined {
  const { category, percent, base, amount, exemption } = tax;
  return element('ram:ApplicableTradeTax', [
    element('ram:CalculatedAmount', amountCode(amount, decimals)),
    element('ram:TypeCode', 'VAT'),
    element('ram:ExemptionReason', exemption),
    element('ram:BasisAmount', amountCode(base, decimals)),
    element('ram:CategoryCode', category),
    element('ram:ExemptionReasonCode', exemptionCodes[category]),
    element('ram:RateApplicablePercent', percent),
  ]);
}

function summation({ net, tax, prepaid, currency, decimals }: EInvoice): XmlElement | undefined {
  const amount = (value: bigint) => amountCode(value, decimals);
  return element('ram:SpecifiedTradeSettlementHeaderMonetarySummation', [
    element('ram:LineTotalAmount', amount(net)),
    element('ram:TaxBasisTotalAmount', amount(net)),
    element('ram:TaxTotalAmount', amount(tax), { currencyID: currency }),
    element('ram:GrandTotalAmount', amount(net + tax)),
    prepaid === 0n ? undefined : element('ram:TotalPrepaidAmount', amount(prepaid)),
    element('ram:DuePayableAmount', amount(net + tax - prepaid)),
  ]);
}

function periodOf(period: EInvoicePeriod | undefined): XmlElement | undefined {
  return (
    period &&
    element('ram:BillingSpecifiedPeriod', [
      dayOf('ram:StartDateTime', period.first),
      dayOf('ram:EndDateTime', period.last),
    ])
  );
}

function dayOf(name: string, at: Date, type: 'udt' | 'qdt' = 'udt'): XmlElement | undefined {
  const day = dayCode(at).replaceAll('-', '');
  return element(name, [element(`${type}:DateTimeString`, day, dayFormat)]);
}
