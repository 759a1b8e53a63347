/** VAT category (UNTDID 5305): standard, zero, exempt, reverse charge, not subject to VAT. */
export type VatCategory = 'S' | 'Z' | 'E' | 'AE' | 'O';

/** Rules that a document follows: those of EN 16931, or also those of XRechnung 3.0. */
export type EInvoiceProfile = 'EN16931' | 'XRECHNUNG';

/**
 * Invoice or credit note by the model of EN 16931; BT and BG are the names of its fields. Amounts
 * are in the smallest unit of the currency. Texts may be of any content; the syntaxes escape them.
 */
export interface EInvoice {
  readonly profile: EInvoiceProfile;
  readonly kind: 'INVOICE' | 'CREDIT_NOTE';
  /** BT-1. */
  readonly number: string;
  /** BT-2, the day in UTC. */
  readonly issuedAt: Date;
  /** BT-5, ISO 4217. */
  readonly currency: string;
  /** Number of decimals of the currency, at most 2. */
  readonly decimals: number;
  /** BT-9, the day in UTC. */
  readonly dueDate: Date | undefined;
  /** BT-20. */
  readonly terms: string | undefined;
  /** BT-10. */
  readonly buyerReference: string | undefined;
  /** BT-13. */
  readonly purchaseOrder: string | undefined;
  /** BT-22. */
  readonly notes: readonly string[];
  /** BG-3: the credited invoice. */
  readonly preceding: { readonly number: string; readonly issuedAt: Date } | undefined;
  /** BG-14. */
  readonly period: EInvoicePeriod | undefined;
  /** BG-4. */
  readonly seller: EInvoiceParty;
  /** BG-7. */
  readonly buyer: EInvoiceParty;
  /** BG-16: a bank transfer to the seller. */
  readonly transfer: EInvoiceTransfer | undefined;
  /** BG-25. */
  readonly lines: readonly EInvoiceLine[];
  /** BG-23. */
  readonly taxes: readonly EInvoiceTax[];
  /** BT-106 and BT-109: Σ of the lines. */
  readonly net: bigint;
  /** BT-110: Σ of the taxes. */
  readonly tax: bigint;
  /** BT-113. */
  readonly prepaid: bigint;
}

/** Days in UTC, both inclusive. */
export interface EInvoicePeriod {
  readonly first: Date;
  readonly last: Date;
}

/** Seller (BG-4) or buyer (BG-7). */
export interface EInvoiceParty {
  /** BT-27, BT-44. */
  readonly name: string;
  /** BT-29: identifier of a seller without VAT identifier and registration. */
  readonly identifier: string | undefined;
  /** BT-30, BT-47. */
  readonly registrationNumber: string | undefined;
  /** BT-33. */
  readonly registrationText: string | undefined;
  /** BT-31, BT-48. */
  readonly vatId: string | undefined;
  /** BT-32. */
  readonly taxNumber: string | undefined;
  /** BT-34, BT-49 and BT-43, BT-58. */
  readonly email: string | undefined;
  /** BT-41. */
  readonly contactName: string | undefined;
  /** BT-42, BT-57. */
  readonly phone: string | undefined;
  /** BG-5, BG-8. */
  readonly address: {
    readonly line1?: string | undefined;
    readonly line2?: string | undefined;
    readonly city?: string | undefined;
    readonly postalCode?: string | undefined;
    readonly state?: string | undefined;
    readonly country?: string | undefined;
  };
}

/** Bank transfer (BG-17) with the number of the document as reference (BT-83). */
export interface EInvoiceTransfer {
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
}

/** One line (BG-25): quantity × unit price − discount = net. */
export interface EInvoiceLine {
  /** BT-153. */
  readonly name: string;
  /** BT-154. */
  readonly description: string | undefined;
  /** BT-129, a decimal string; negative on a negative line. */
  readonly quantity: string;
  /** BT-146, a decimal string in the smallest unit; never negative. */
  readonly unitPrice: string;
  /** BG-27. */
  readonly discount: { readonly amount: bigint; readonly reason: string | undefined } | undefined;
  /** BT-131. */
  readonly net: bigint;
  /** BG-26. */
  readonly period: EInvoicePeriod | undefined;
  /** BT-151. */
  readonly category: VatCategory;
  /** BT-152; absent where no VAT applies. */
  readonly percent: string | undefined;
}

/** Lines of one category and rate (BG-23). */
export interface EInvoiceTax {
  readonly category: VatCategory;
  /** BT-119. */
  readonly percent: string;
  /** BT-116. */
  readonly base: bigint;
  /** BT-117. */
  readonly amount: bigint;
  /** BT-120: why no VAT is due. */
  readonly exemption: string | undefined;
}
