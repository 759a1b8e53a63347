import { z } from 'zod';
import type { BankAccount, Logo, Seller, TaxRate } from '../gen/billing/checkout/v1/seller';
import { taxPrices, taxRateSources } from '../values/checkout';
import { AddressJson, TaxIdJson, toJsonAddress, toJsonTaxId } from './customer';
import { decimal, id, time, toJsonAmount, toJsonOptionalTime } from './scalars';

const text = z.string().nullable();
const day = z.iso.date().nullable();

export const SellerJson = z
  .object({
    legalName: text,
    contactName: text,
    email: z.string().meta({ format: 'email' }).nullable(),
    phone: text,
    address: AddressJson.nullable(),
    taxIds: z.array(TaxIdJson),
    registrationNumber: text,
    registrationText: text,
    footer: text,
    bankAccount: z.object({ holder: z.string(), iban: z.string(), bic: text }).nullable(),
    logo: z
      .object({
        contentType: z.enum(['image/png', 'image/jpeg']),
        width: z.int(),
        height: z.int(),
        size: z.int().meta({ description: 'In bytes.' }),
        sha256: z
          .string()
          .meta({ description: 'Hash of the image, which is at `/logos/<sha256>`.' }),
      })
      .nullable(),
    invoicePrefix: z.string().meta({ description: 'Prefix of invoice numbers.' }),
    netDays: z.int().meta({ description: 'Days after which a sent invoice is due.' }),
    tax: z
      .object({
        prices: z.enum(['EXCLUDE_TAX', 'INCLUDE_TAX']),
        registrations: z
          .array(z.string())
          .meta({ description: 'Country codes, and `EU` for the one-stop shop.' }),
      })
      .nullable()
      .meta({ description: 'Null: invoices are not taxed.' }),
    version: z.int().meta({ description: 'Counts changes; 0 before the first.' }),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'Seller' });
export type SellerJson = z.infer<typeof SellerJson>;

export const TaxRateJson = z
  .object({
    id,
    source: z.enum(['OWN', 'SHIPPED']).meta({ description: 'SHIPPED rates come with the system.' }),
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2.' }),
    state: text.meta({ description: 'Null: the whole country.' }),
    category: z.string().meta({ description: 'Tax category of products.' }),
    percent: decimal,
    name: z.string(),
    validFrom: day.meta({ description: 'First day (UTC). Null: open.' }),
    validTo: day.meta({ description: 'Day (UTC) after the last one. Null: open.' }),
    createdAt: time.nullable(),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'TaxRate' });
export type TaxRateJson = z.infer<typeof TaxRateJson>;

/** Seller in REST responses. */
export function toJsonSeller(seller: Seller): SellerJson {
  const { address, bankAccount, logo, tax } = seller;
  return {
    legalName: seller.legalName ?? null,
    contactName: seller.contactName ?? null,
    email: seller.email ?? null,
    phone: seller.phone ?? null,
    address: address === undefined ? null : toJsonAddress(address),
    taxIds: seller.taxIds.map(toJsonTaxId),
    registrationNumber: seller.registrationNumber ?? null,
    registrationText: seller.registrationText ?? null,
    footer: seller.footer ?? null,
    bankAccount: toJsonBankAccount(bankAccount),
    logo: toJsonLogo(logo),
    invoicePrefix: seller.invoicePrefix,
    netDays: seller.netDays,
    tax:
      tax === undefined
        ? null
        : { prices: taxPrices.nameOf(tax.prices), registrations: tax.registrations },
    version: toJsonAmount(seller.version),
    updatedAt: toJsonOptionalTime(seller.updatedAt),
  };
}

/** Tax rate in REST responses. */
export function toJsonTaxRate(rate: TaxRate): TaxRateJson {
  return {
    id: rate.id,
    source: taxRateSources.nameOf(rate.source),
    country: rate.country,
    state: rate.state ?? null,
    category: rate.category,
    percent: rate.percent,
    name: rate.name,
    validFrom: rate.validFrom ?? null,
    validTo: rate.validTo ?? null,
    createdAt: toJsonOptionalTime(rate.createdAt),
    updatedAt: toJsonOptionalTime(rate.updatedAt),
  };
}

/** Null for a seller without one. */
export function toJsonBankAccount(account: BankAccount | undefined): SellerJson['bankAccount'] {
  return account === undefined ? null : { ...account, bic: account.bic ?? null };
}

/** Null for a seller without one. */
export function toJsonLogo(logo: Logo | undefined): SellerJson['logo'] {
  return logo === undefined ? null : { ...logo, contentType: imageType(logo.contentType) };
}

function imageType(contentType: string): 'image/png' | 'image/jpeg' {
  return contentType === 'image/png' ? 'image/png' : 'image/jpeg';
}
