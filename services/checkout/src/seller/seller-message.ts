import { derivedId } from '@billing/chassis/ids';
import { maskedFields } from '@billing/chassis/request-fields';
import type { Address } from '@billing/kernel/input/address';
import type { SellerFields } from '@billing/kernel/input/seller';
import type { TaxId } from '@billing/kernel/tax/tax-id';
import { shippedTaxRates, type TaxRate } from '@billing/kernel/tax/tax-rate';
import { invalidInput } from '@billing/kernel/domain-error';
import type {
  Seller as ProtoSeller,
  TaxRate as ProtoTaxRate,
  TaxSettings as ProtoTaxSettings,
  UpdateSellerRequest,
} from '@billing/proto/billing/checkout/v1/seller';
import type {
  Address as ProtoAddress,
  TaxId as ProtoTaxId,
} from '@billing/proto/billing/customer/v1/customer';
import { taxPrices, taxRateSources } from '@billing/proto/values/checkout';
import { taxIdTypes } from '@billing/proto/values/customer';
import type { BillingSettings, OwnTaxRate, Seller, TaxSettings } from './billing-settings';

/** Changes of a seller as sent: null returns a field to its off value. */
export type SentSellerChanges = {
  readonly [Field in keyof SellerFields]?: SellerFields[Field] | null;
};

/** The fields that the mask of a request names. */
export function fromProtoSellerChanges(request: UpdateSellerRequest): SentSellerChanges {
  const fields = {
    legalName: request.legalName ?? null,
    contactName: request.contactName ?? null,
    email: request.email ?? null,
    phone: request.phone ?? null,
    address: request.address ?? null,
    taxIds: request.taxIds.map(fromProtoTaxId),
    registrationNumber: request.registrationNumber ?? null,
    registrationText: request.registrationText ?? null,
    footer: request.footer ?? null,
    bankAccount: request.bankAccount ?? null,
    logo: request.logo ?? null,
    invoicePrefix: request.invoicePrefix ?? null,
    netDays: request.netDays ?? null,
    tax: request.tax === undefined ? null : fromProtoTaxSettings(request.tax),
  };
  return maskedFields(fields, request.updateMask);
}

export function toProtoSeller({
  seller,
  sellerVersion,
  sellerUpdatedAt,
}: BillingSettings): ProtoSeller {
  const { tax } = seller;
  return {
    ...toProtoShownSeller(seller),
    legalName: seller.legalName ?? undefined,
    invoicePrefix: seller.invoicePrefix,
    netDays: seller.netDays,
    tax:
      tax === null
        ? undefined
        : { prices: taxPrices.valueOf(tax.prices), registrations: [...tax.registrations] },
    version: BigInt(sellerVersion),
    updatedAt: sellerUpdatedAt,
  };
}

/** The fields of a seller that invoices show, but its name. */
export function toProtoShownSeller(
  seller: Omit<Seller, 'legalName' | 'invoicePrefix' | 'netDays' | 'tax'>,
) {
  const { address, bankAccount, logo } = seller;
  return {
    contactName: seller.contactName ?? undefined,
    email: seller.email ?? undefined,
    phone: seller.phone ?? undefined,
    address: toProtoAddress(address),
    taxIds: seller.taxIds.map(toProtoTaxId),
    registrationNumber: seller.registrationNumber ?? undefined,
    registrationText: seller.registrationText ?? undefined,
    footer: seller.footer ?? undefined,
    bankAccount:
      bankAccount === null ? undefined : { ...bankAccount, bic: bankAccount.bic ?? undefined },
    logo: logo ?? undefined,
  };
}

export function toProtoOwnRate(rate: OwnTaxRate): ProtoTaxRate {
  const { id, createdAt, updatedAt, version } = rate;
  const source = taxRateSources.valueOf('OWN');
  return { ...toProtoRate(rate), id, source, createdAt, updatedAt, version: BigInt(version) };
}

/** The rates that come with the system, as an environment shows them. */
export function shippedRatesOf(environmentId: string): ProtoTaxRate[] {
  return shippedTaxRates.map((rate) => ({
    ...toProtoRate(rate),
    id: derivedId(environmentId, 'shippedTaxRate', rate.country, rate.validFrom ?? ''),
    source: taxRateSources.valueOf('SHIPPED'),
    createdAt: undefined,
    updatedAt: undefined,
    version: 1n,
  }));
}

function toProtoRate({ country, state, category, percent, name, validFrom, validTo }: TaxRate) {
  return {
    ...{ country, category, percent, name },
    state: state ?? undefined,
    validFrom: validFrom ?? undefined,
    validTo: validTo ?? undefined,
  };
}

function fromProtoTaxSettings({ prices, registrations }: ProtoTaxSettings): TaxSettings {
  const known = taxPrices.knownName(prices);
  if (known === undefined) throw invalidInput({ tax: ['prices: Required'] });
  return { prices: known, registrations };
}

function fromProtoTaxId({ type, value }: ProtoTaxId, index: number): TaxId {
  const known = taxIdTypes.knownName(type);
  if (known === undefined) throw invalidInput({ taxIds: [`${String(index)}.type: Required`] });
  return { type: known, value };
}

export function toProtoTaxId({ type, value }: TaxId): ProtoTaxId {
  return { type: taxIdTypes.valueOf(type), value };
}

export function toProtoAddress(address: Address | null): ProtoAddress | undefined {
  if (address === null) return undefined;
  return {
    line1: address.line1 ?? undefined,
    line2: address.line2 ?? undefined,
    city: address.city ?? undefined,
    state: address.state ?? undefined,
    postalCode: address.postalCode ?? undefined,
    country: address.country ?? undefined,
  };
}
