import type { EInvoiceParty, EInvoiceTransfer } from '@billing/presentation/e-invoice';
import type { InvoiceBuyer, InvoiceSeller } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { type TaxId, TaxIdType } from '@billing/proto/billing/customer/v1/customer';

interface Terms {
  /** True for a document that is not subject to VAT: it names no tax ids. */
  readonly isOutOfScope: boolean;
}

/** Seller as a document shows it. */
export function sellerOf(seller: InvoiceSeller, { isOutOfScope }: Terms): EInvoiceParty {
  const { legalName: name, registrationNumber, address = {} } = seller;
  const country = address.country;
  const ids = isOutOfScope ? undefined : idsOf(seller.taxIds, country);
  const isNamed = ids?.vatId !== undefined || registrationNumber !== undefined;
  return {
    name,
    // A seller needs an identifier, and a tax number alone is none.
    identifier: isNamed ? undefined : ids?.other,
    registrationNumber,
    registrationText: seller.registrationText,
    vatId: ids?.vatId,
    taxNumber: ids?.other,
    email: seller.email,
    contactName: seller.contactName,
    phone: seller.phone,
    address,
  };
}

/** Buyer as a document shows it. */
export function buyerOf(buyer: InvoiceBuyer, { isOutOfScope }: Terms): EInvoiceParty {
  const { name = '', email, phone, address = {} } = buyer;
  const ids = isOutOfScope ? undefined : idsOf(buyer.taxIds, address.country);
  return {
    ...{ name, email, phone, address, vatId: ids?.vatId },
    // Reverse charge needs a VAT id or a registration of the buyer.
    registrationNumber: ids?.vatId === undefined ? ids?.other : undefined,
    ...{ identifier: undefined, registrationText: undefined, taxNumber: undefined },
    contactName: undefined,
  };
}

/** Bank account of the seller, if any. */
export function transferOf({ bankAccount }: InvoiceSeller): EInvoiceTransfer | undefined {
  return bankAccount && { ...bankAccount, bic: bankAccount.bic };
}

/** VAT id of a party, of its country where it has several, and its other tax id. */
function idsOf(taxIds: readonly TaxId[], country: string | undefined) {
  const other = taxIds.find(({ type }) => type === TaxIdType.TAX_ID_TYPE_OTHER);
  const vatIds = taxIds.filter(({ type }) => type !== TaxIdType.TAX_ID_TYPE_OTHER);
  const prefix = country === 'GR' ? 'EL' : country;
  const own = vatIds.find(({ value }) => prefix !== undefined && value.startsWith(prefix));
  return { vatId: (own ?? vatIds[0])?.value, other: other?.value };
}
