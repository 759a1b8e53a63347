import { DomainError, invalidInput, notFound, staleVersion } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { type Address, addressOf } from '@billing/kernel/input/address';
import { type BankAccount, bankAccountOf } from '@billing/kernel/input/bank-account';
import { type SellerFields, sellerProblems } from '@billing/kernel/input/seller';
import { type TaxRateFields, taxRateProblems } from '@billing/kernel/input/tax-rate';
import { refuseProblems } from '@billing/kernel/input-problems';
import { Decimal } from '@billing/kernel/decimal';
import { parseEmailAddress } from '@billing/kernel/email-address';
import type { TaxPrices } from '@billing/kernel/tax/tax';
import { type TaxId, taxIdOf } from '@billing/kernel/tax/tax-id';
import { isOverlapping, STANDARD_CATEGORY, type TaxRate } from '@billing/kernel/tax/tax-rate';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

const ratesMax = 200;

/** Image of a seller, found by its hash. */
export interface Logo {
  readonly contentType: 'image/png' | 'image/jpeg';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** In bytes. */
  readonly size: number;
  /** Hash of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** Decision how invoices are taxed. */
export interface TaxSettings {
  readonly prices: TaxPrices;
  /** Country codes, and `EU` for the one-stop shop. */
  readonly registrations: readonly string[];
}

/** Seller of an environment as its invoices show it. */
export interface Seller {
  readonly legalName: string | null;
  readonly contactName: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
  readonly registrationNumber: string | null;
  readonly registrationText: string | null;
  readonly footer: string | null;
  readonly bankAccount: BankAccount | null;
  readonly logo: Logo | null;
  /** Prefix of invoice numbers, with its hyphen. */
  readonly invoicePrefix: string;
  /** Days after which a sent invoice is due. */
  readonly netDays: number;
  /** Null: invoices are not taxed. */
  readonly tax: TaxSettings | null;
}

/** Tax rate of the seller. */
export interface OwnTaxRate extends TaxRate {
  readonly id: string;
  /** Counts changes from 1. */
  readonly version: number;
  /** Environment time. */
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Settings by which the invoices of an environment are written. There is one per environment. */
export interface BillingSettings {
  /** Id of the environment. */
  readonly id: string;
  readonly seller: Seller;
  /** Counts changes of the seller; 0 before the first. */
  readonly sellerVersion: number;
  /** Environment time of the last change of the seller. */
  readonly sellerUpdatedAt: Date | undefined;
  /** Newest last. */
  readonly ownRates: readonly OwnTaxRate[];
}

/** Settings of an environment that has set nothing: nothing is taxed, invoices name no seller. */
export function offSettings(environmentId: string): BillingSettings {
  return {
    id: environmentId,
    seller: offSeller,
    sellerVersion: 0,
    sellerUpdatedAt: undefined,
    ownRates: [],
  };
}

const offSeller: Seller = {
  legalName: null,
  contactName: null,
  email: null,
  phone: null,
  address: null,
  taxIds: [],
  registrationNumber: null,
  registrationText: null,
  footer: null,
  bankAccount: null,
  logo: null,
  invoicePrefix: 'INV-',
  netDays: 30,
  tax: null,
};

/** Fields of a seller as sent; the logo has been decoded and stored. */
type SellerInput = Omit<SellerFields, 'logo'> & { readonly logo?: Logo | undefined };

/** Changes of a seller: an absent field stays, null sets it to its off value. */
export type SellerChanges = {
  readonly [Field in keyof Seller]?: SellerInput[Field] | null;
};

/** Refuses invalid fields, each checked without the others. */
export function checkSellerFields(fields: SellerFields): void {
  refuseProblems(sellerProblems(fields));
}

/** Changes the seller. Reports the problems of the whole. No change leaves the version as it is. */
export function changeSeller(
  settings: BillingSettings,
  changes: SellerChanges,
  { expectedVersion, now }: { readonly expectedVersion: number | undefined; readonly now: Date },
): Transition<BillingSettings> {
  const { sellerVersion } = settings;
  if (expectedVersion !== undefined && expectedVersion !== sellerVersion) throw staleVersion();
  const seller = sellerAfter(settings.seller, changes);
  checkTax(seller);
  if (isSameData(seller, settings.seller)) return unchanged(settings);
  return only({ ...settings, seller, sellerVersion: sellerVersion + 1, sellerUpdatedAt: now });
}

/** Tax rate as sent. */
export type TaxRateInput = TaxRateFields &
  Required<Pick<TaxRateFields, 'country' | 'percent' | 'name'>>;

/** Adds a tax rate. A repeated call finds its rate by the id. */
export function addTaxRate(
  settings: BillingSettings,
  input: TaxRateInput,
  { id, now }: { readonly id: string; readonly now: Date },
): Transition<BillingSettings> {
  if (settings.ownRates.some((rate) => rate.id === id)) return unchanged(settings);
  refuseProblems(taxRateProblems(input));
  const { country, state, category = STANDARD_CATEGORY, percent, name } = input;
  const rate: OwnTaxRate = {
    ...{ id, country, category, name, version: 1, createdAt: now, updatedAt: now },
    state: state?.trim() === '' ? null : (state?.trim() ?? null),
    percent: Decimal.parse(percent, 'percent').toString(),
    validFrom: input.validFrom ?? null,
    validTo: input.validTo ?? null,
  };
  if (settings.ownRates.some((other) => isOverlapping(rate, other))) throw overlaps();
  if (settings.ownRates.length >= ratesMax) {
    throw refused('TOO_MANY_TAX_RATES', 'Too many tax rates');
  }
  return only({ ...settings, ownRates: [...settings.ownRates, rate] });
}

/** Changes of a tax rate: an absent field stays, null opens the window. */
export interface TaxRateChanges {
  readonly name?: string | undefined;
  readonly validTo?: string | null | undefined;
}

/** Changes name and end of a tax rate. Invoices keep the rate that they were written with. */
export function changeTaxRate(
  settings: BillingSettings,
  changes: TaxRateChanges,
  {
    id,
    expectedVersion,
    now,
  }: { readonly id: string; readonly expectedVersion: number | undefined; readonly now: Date },
): Transition<BillingSettings> {
  const rate = taxRateOf(settings, id);
  const { name = rate.name, validTo = rate.validTo } = changes;
  refuseProblems(
    taxRateProblems({
      name,
      validFrom: rate.validFrom ?? undefined,
      validTo: validTo ?? undefined,
    }),
  );
  if (expectedVersion !== undefined && expectedVersion !== rate.version) throw staleVersion();
  if (name === rate.name && validTo === rate.validTo) return unchanged(settings);
  const changed = { ...rate, name, validTo, version: rate.version + 1, updatedAt: now };
  const others = settings.ownRates.filter((other) => other.id !== id);
  if (others.some((other) => isOverlapping(changed, other))) throw overlaps();
  const ownRates = settings.ownRates.map((other) => (other.id === id ? changed : other));
  return only({ ...settings, ownRates });
}

/** Tax rate with an id; throws for an unknown one. */
export function taxRateOf({ ownRates }: BillingSettings, id: string): OwnTaxRate {
  const rate = ownRates.find((own) => own.id === id);
  if (rate === undefined) throw notFound('Tax rate');
  return rate;
}

/** Error of a change to a rate that comes with the system. */
export function shippedRateIsFixed(): DomainError {
  return refused('TAX_RATE_SHIPPED', 'Shipped tax rates cannot be changed');
}

function sellerAfter(seller: Seller, changes: SellerChanges): Seller {
  const { email, address, taxIds, bankAccount, ...rest } = withoutUndefined(changes);
  const plain = Object.fromEntries(
    Object.entries(rest).map(([field, value]) => [
      field,
      value ?? offSeller[field as keyof Seller],
    ]),
  ) as Partial<Seller>;
  return {
    ...seller,
    ...plain,
    ...(email !== undefined && { email: email === null ? null : parseEmailAddress(email) }),
    ...(address !== undefined && { address: address === null ? null : addressOf(address) }),
    ...(taxIds !== undefined && { taxIds: (taxIds ?? []).map(taxIdOf) }),
    ...(bankAccount !== undefined && {
      bankAccount: bankAccount === null ? null : bankAccountOf(bankAccount),
    }),
  };
}

function withoutUndefined(changes: SellerChanges): SellerChanges {
  const entries = Object.entries(changes) as [string, unknown][];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function checkTax({ tax, legalName, address }: Seller): void {
  if (tax === null) return;
  const country = address?.country ?? null;
  if ((legalName ?? '') === '' || country === null) {
    throw invalidInput({ tax: ['Needs legalName and address.country'] });
  }
  if (!tax.registrations.includes(country)) {
    throw invalidInput({ tax: [`registrations must contain ${country}`] });
  }
}

function overlaps(): DomainError {
  return refused('TAX_RATE_OVERLAPS', 'Tax rate overlaps another');
}

function refused(reason: string, message: string): DomainError {
  return new DomainError('failed_precondition', reason, message);
}
