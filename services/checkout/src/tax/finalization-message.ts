import { addressOf } from '@billing/kernel/input/address';
import { invalidInput } from '@billing/kernel/domain-error';
import type { TaxRow } from '@billing/kernel/tax/tax';
import type { TaxId } from '@billing/kernel/tax/tax-id';
import { STANDARD_CATEGORY } from '@billing/kernel/tax/tax-rate';
import type {
  BuyerFacts as ProtoBuyerFacts,
  InvoiceBuyer as ProtoInvoiceBuyer,
  InvoiceSeller as ProtoInvoiceSeller,
  InvoiceTax as ProtoInvoiceTax,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import type { Customer, TaxId as ProtoTaxId } from '@billing/proto/billing/customer/v1/customer';
import { taxEvidenceKinds, taxReasons, taxStatuses } from '@billing/proto/values/checkout';
import { taxExempts, taxIdTypes } from '@billing/proto/values/customer';
import { toProtoAddress, toProtoShownSeller, toProtoTaxId } from '../seller/seller-message';
import {
  type BuyerFacts,
  type Finalization,
  type InvoiceBuyer,
  type InvoiceSeller,
  lineTaxOf,
  lineTotalOf,
  pricedOf,
  type TaxableAmounts,
} from './finalization';

/** Facts about a customer for an invoice. */
export function buyerFactsOf(customer: Customer): BuyerFacts {
  const { name, email, phone, address, taxIds, taxExempt, netDays, buyerReference } = customer;
  const { locale } = customer;
  const buyer = fromProtoBuyer({ name, email, phone, address, taxIds, buyerReference });
  return { buyer, taxExempt: taxExempts.knownName(taxExempt) ?? 'NONE', netDays, locale };
}

/** Undefined for a caller that sent none. */
export function fromProtoBuyerFacts(facts: ProtoBuyerFacts | undefined): BuyerFacts | undefined {
  if (facts?.buyer === undefined) return undefined;
  const taxExempt = taxExempts.knownName(facts.taxExempt) ?? 'NONE';
  const { netDays, locale } = facts;
  return { buyer: fromProtoBuyer(facts.buyer), taxExempt, netDays, locale };
}

/** Fields of an invoice that come from its finalization, or the buyer that it kept without one. */
export function toProtoFinalization(
  finalization: Finalization | undefined,
  keptBuyer?: InvoiceBuyer,
) {
  const { at, parties, taxes } = finalization ?? {};
  const buyer = parties?.buyer ?? keptBuyer;
  const status = at === undefined ? 'ESTIMATED' : 'FINAL';
  return {
    seller: parties === undefined ? undefined : toProtoSeller(parties.seller),
    buyer: buyer === undefined ? undefined : toProtoBuyer(buyer),
    finalizedAt: at,
    taxes: (taxes?.rows ?? []).map(toProtoRow),
    taxStatus: taxStatuses.valueOf(taxes === undefined ? 'NONE' : status),
    pricesIncludeTax: taxes?.prices === 'INCLUDE_TAX',
    taxEvidence: (taxes?.evidence ?? []).map(({ kind, value, at: seenAt }) => ({
      ...{ kind: taxEvidenceKinds.valueOf(kind), value },
      at: seenAt,
    })),
  };
}

/** Fields of a line that come from its tax. */
export function toProtoLineTax(
  line: TaxableAmounts & { readonly taxCategory?: string | undefined },
) {
  const { tax } = line;
  return {
    pricedAmount: pricedOf(line).pricedAmount,
    taxCategory: line.taxCategory ?? (tax === undefined ? undefined : STANDARD_CATEGORY),
    taxReason: taxReasons.valueOf(tax?.reason),
    taxPercent: tax?.percent,
    taxAmount: lineTaxOf(line),
    total: lineTotalOf(line),
    taxedAs: undefined,
  };
}

function toProtoSeller({ legalName, version, ...shown }: InvoiceSeller): ProtoInvoiceSeller {
  return { ...toProtoShownSeller(shown), legalName, version: BigInt(version) };
}

function toProtoBuyer(buyer: InvoiceBuyer): ProtoInvoiceBuyer {
  return {
    name: buyer.name ?? undefined,
    email: buyer.email ?? undefined,
    phone: buyer.phone ?? undefined,
    address: toProtoAddress(buyer.address),
    taxIds: buyer.taxIds.map(toProtoTaxId),
    buyerReference: buyer.buyerReference ?? undefined,
  };
}

function toProtoRow(row: TaxRow): ProtoInvoiceTax {
  const { reason, name, country, state, percent, base, amount, legalText } = row;
  return {
    ...{ country, percent, base, amount },
    reason: taxReasons.valueOf(reason),
    name: name ?? undefined,
    state: state ?? undefined,
    legalText: legalText ?? undefined,
  };
}

function fromProtoBuyer(buyer: ProtoInvoiceBuyer): InvoiceBuyer {
  const { name, email, phone, address, taxIds, buyerReference } = buyer;
  return {
    name: name ?? null,
    email: email ?? null,
    phone: phone ?? null,
    address: address === undefined ? null : addressOf(address),
    taxIds: taxIds.map(fromProtoTaxId),
    buyerReference: buyerReference ?? null,
  };
}

function fromProtoTaxId({ type, value }: ProtoTaxId): TaxId {
  const known = taxIdTypes.knownName(type);
  if (known === undefined) throw invalidInput({ buyer: ['taxIds: Invalid type'] });
  return { type: known, value };
}
