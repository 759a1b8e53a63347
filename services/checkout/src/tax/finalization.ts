import type { Address } from '@billing/kernel/input/address';
import type { TaxPrices, TaxRow, TaxTerms } from '@billing/kernel/tax/tax';
import type { TaxId } from '@billing/kernel/tax/tax-id';
import type { TaxEvidence, TaxExempt } from '@billing/kernel/tax/treatment';
import type { Seller } from '../seller/billing-settings';

/** The seller as an invoice shows it. */
export interface InvoiceSeller extends Omit<
  Seller,
  'legalName' | 'invoicePrefix' | 'netDays' | 'tax'
> {
  readonly legalName: string;
  /** Version of the seller that was read. */
  readonly version: number;
}

/** The buyer as an invoice shows it. */
export interface InvoiceBuyer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
  readonly buyerReference: string | null;
}

/** Facts about a customer that decide the terms of an invoice. */
export interface BuyerFacts {
  readonly buyer: InvoiceBuyer;
  readonly taxExempt: TaxExempt;
  /** Days until a sent invoice is due; undefined: the seller's. */
  readonly netDays: number | undefined;
  /** Undefined: the default of the environment. */
  readonly locale?: string | undefined;
}

/** Taxes of an invoice. */
export interface InvoiceTaxes {
  readonly prices: TaxPrices;
  readonly rows: readonly TaxRow[];
  readonly evidence: readonly TaxEvidence[];
}

/** Facts that an invoice keeps from its finalization; before it, as of the latest write. */
export interface Finalization {
  /** Environment time; undefined: a draft or an unpaid session, which may still change. */
  readonly at: Date | undefined;
  /** Days from the opening to the due date. */
  readonly netDays: number;
  /** Prefix of the invoice's number. */
  readonly invoicePrefix: string;
  /** Supported BCP 47 tag of the document; undefined for invoices of an earlier release. */
  readonly locale?: string | undefined;
  /** Undefined while the seller has no legal name. */
  readonly parties:
    { readonly seller: InvoiceSeller; readonly buyer: InvoiceBuyer | undefined } | undefined;
  /** Undefined: the invoice is not taxed. */
  readonly taxes: InvoiceTaxes | undefined;
}

/** Tax of a line. Amounts are in minor units. */
export interface TaxOfLine extends TaxTerms {
  /** Price before discount, with tax where prices include it. */
  readonly pricedAmount: bigint;
  /** The line's share of the discount, priced alike. */
  readonly pricedDiscount: bigint;
  /** Negative on a negative line. */
  readonly amount: bigint;
}

/** Amounts of a line: amount − discountAmount + tax = its total. */
export interface TaxableAmounts {
  readonly amount: bigint;
  readonly discountAmount: bigint;
  readonly tax?: TaxOfLine | undefined;
}

/** Tax of a line, in minor units. */
export function lineTaxOf({ tax }: Pick<TaxableAmounts, 'tax'>): bigint {
  return tax?.amount ?? 0n;
}

/** Total of a line, in minor units. */
export function lineTotalOf(line: TaxableAmounts): bigint {
  return line.amount - line.discountAmount + lineTaxOf(line);
}

/** The line as it is priced, with tax where prices include it. */
export function pricedOf({ amount, discountAmount, tax }: TaxableAmounts) {
  return {
    pricedAmount: tax?.pricedAmount ?? amount,
    pricedDiscount: tax?.pricedDiscount ?? discountAmount,
  };
}

/** Fixes the facts of an invoice; later calls change nothing. */
export function fixed(finalization: Finalization | undefined, at: Date): Finalization | undefined {
  return finalization?.at === undefined && finalization !== undefined
    ? { ...finalization, at }
    : finalization;
}

/**
 * Records the country of the card that pays an invoice whose facts may still change; a later card
 * replaces an earlier one.
 */
export function withCardCountry(
  finalization: Finalization | undefined,
  { country, at }: { readonly country: string | undefined; readonly at: Date },
): Finalization | undefined {
  if (finalization?.taxes === undefined || finalization.at !== undefined) return finalization;
  if (country === undefined) return finalization;
  const { taxes } = finalization;
  const others = taxes.evidence.filter(({ kind }) => kind !== 'CARD_COUNTRY');
  const isDefault = ({ kind }: TaxEvidence) => kind === 'DEFAULT';
  const evidence: TaxEvidence[] = [
    ...others.filter((one) => !isDefault(one)),
    { kind: 'CARD_COUNTRY', value: country, at },
    ...others.filter(isDefault),
  ];
  return { ...finalization, taxes: { ...taxes, evidence } };
}
