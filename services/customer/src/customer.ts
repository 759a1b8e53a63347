import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import { parseEmailAddress } from '@billing/kernel/email-address';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Address, addressOf } from '@billing/kernel/input/address';
import {
  type CustomerFields,
  customerProblems,
  type CustomerText,
  forCustomerTexts,
} from '@billing/kernel/input/customer';
import { isTaxIdOf, TAX_IDS_MAX, type TaxId, taxIdOf } from '@billing/kernel/tax/tax-id';
import type { TaxExempt } from '@billing/kernel/tax/treatment';
import { localeProblems, supportedLocale } from '@billing/presentation/locale';
import type { Erasure } from './erasure';

// Organizations cannot configure another default yet.
const currencyDefault: Currency = 'USD';

const taxExemptDefault: TaxExempt = 'NONE';

/** Collection method of a customer's invoices. */
type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** A party that is billed. */
export interface Customer extends Readonly<Record<CustomerText, string | null>> {
  readonly id: string;
  /** The caller's own id, unique in the environment; never changes. */
  readonly externalId: string | null;
  readonly email: string;
  readonly address: Address | null;
  readonly currency: Currency;
  /** True once the first invoice has fixed the currency. */
  readonly isCurrencyFixed: boolean;
  readonly collectionMethod: CollectionMethod;
  readonly taxIds: readonly TaxId[];
  readonly taxExempt: TaxExempt;
  /** Days after which sent invoices are due; null: the seller's. */
  readonly netDays: number | null;
  /** Supported BCP 47 tag; null: the default of the environment's branding. */
  readonly locale: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Set once the customer is deleted: from then on callers see no such customer. */
  readonly erasure: Erasure | null;
}

/** Customer fields as sent by the caller. */
export interface CustomerInput extends CustomerFields {
  /** With or without surrounding whitespace. */
  readonly email: string;
  /** In any case; absent: USD. */
  readonly currency?: string | undefined;
  /** Absent: CHARGE_AUTOMATICALLY. UNKNOWN: a value that this version does not know. */
  readonly collectionMethod: CollectionMethod | 'UNKNOWN' | undefined;
  /** Absent: NONE. UNKNOWN: a value that this version does not know. */
  readonly taxExempt?: TaxExempt | 'UNKNOWN' | undefined;
  /** BCP 47 tag in any case. */
  readonly locale?: string | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes to a customer: an absent field stays, null clears it. */
export type CustomerChanges = {
  readonly [Field in Exclude<keyof CustomerInput, 'externalId'>]?: CustomerInput[Field] | null;
};

/** Inputs of a creation other than the customer fields. */
export interface CustomerCreation {
  readonly id: string;
  /**
   * Results of the metadata check that all services share; reported together with the other
   * problems.
   */
  readonly metadataProblems: readonly string[];
}

/** Creates a customer. Reports all invalid fields in one error. */
export function createCustomer(
  input: CustomerInput,
  { id, metadataProblems }: CustomerCreation,
): Customer {
  const { externalId, address, currency = currencyDefault } = input;
  const { collectionMethod = 'CHARGE_AUTOMATICALLY', taxExempt = taxExemptDefault } = input;
  refuseProblems({
    ...customerProblems(input),
    collectionMethod: collectionMethod === 'UNKNOWN' ? ['Invalid collection method'] : [],
    taxExempt: taxExempt === 'UNKNOWN' ? ['Invalid tax exemption'] : [],
    locale: localeProblems(input.locale),
    metadata: metadataProblems,
  });
  if (collectionMethod === 'UNKNOWN' || taxExempt === 'UNKNOWN') {
    throw new Error('Unvalidated enum');
  }
  return {
    id,
    externalId: externalId ?? null,
    email: parseEmailAddress(input.email),
    ...textsOf(input),
    address: address === undefined ? null : addressOf(address),
    currency: parseCurrency(currency),
    isCurrencyFixed: false,
    collectionMethod,
    taxIds: (input.taxIds ?? []).map(taxIdOf),
    taxExempt,
    netDays: input.netDays ?? null,
    locale: supportedLocale(input.locale ?? '') ?? null,
    metadata: input.metadata ?? {},
    erasure: null,
  };
}

/** Throws "not found" for a deleted customer. */
export function requireKnown({ erasure }: Customer): void {
  if (erasure !== null) throw notFound('Customer');
}

/**
 * Applies changes with the rules of createCustomer: a cleared field returns to its default, and no
 * change can produce a customer that could not have been created. Returns the same customer if
 * nothing differs.
 */
export function changeCustomer(
  customer: Customer,
  changes: CustomerChanges,
  { metadataProblems }: Pick<CustomerCreation, 'metadataProblems'>,
): Customer {
  const { id, isCurrencyFixed } = customer;
  if (isCurrencyFixed && 'currency' in changes) {
    refuseProblems({ currency: ['Cannot be changed once the customer has an invoice'] });
  }
  const created = createCustomer(inputAfter(customer, changes), { id, metadataProblems });
  const changed = { ...created, isCurrencyFixed };
  return isSameData(customer, changed) ? customer : changed;
}

/** Fixes the currency to that of the first invoice. The first call wins; a fixed currency stays. */
export function fixCurrency(customer: Customer, currency: string): Customer {
  if (customer.isCurrencyFixed) return customer;
  return { ...customer, currency: parseCurrency(currency), isCurrencyFixed: true };
}

/** Facts that a payer typed at a purchase; an absent one was not typed. */
export interface TypedFacts {
  readonly country?: string | undefined;
  readonly state?: string | undefined;
  readonly name?: string | undefined;
  readonly taxId?: TaxId | undefined;
}

/**
 * Fills in what a payer typed where the customer has nothing, with the rules of createCustomer. A
 * state and a tax id count only for the country for which they were typed.
 */
export function fillCustomer(customer: Customer, typed: TypedFacts): Customer {
  const country = customer.address?.country ?? typed.country ?? null;
  const isOfCountry = country !== null && (typed.country ?? country) === country;
  const state = customer.address?.state ?? (isOfCountry ? typed.state : null) ?? null;
  const taxIds =
    isOfCountry && typed.taxId !== undefined
      ? withTaxId(customer, typed.taxId, country)
      : undefined;
  const name = customer.name ?? typed.name ?? null;
  const hasAddress = customer.address !== null || country !== null;
  const changes = {
    ...(hasAddress && { address: { ...customer.address, country, state } }),
    ...(taxIds !== undefined && { taxIds }),
    ...(name !== null && { name }),
  };
  return changeCustomer(customer, changes, { metadataProblems: [] });
}

function withTaxId({ taxIds }: Customer, taxId: TaxId, country: string): readonly TaxId[] {
  const isFull = taxIds.length >= TAX_IDS_MAX;
  return isFull || taxIds.some((one) => isTaxIdOf(one, country)) ? taxIds : [...taxIds, taxId];
}

/** Texts of a customer; null for an absent one. */
export function textsOf(
  source: Readonly<Partial<Record<CustomerText, string | null | undefined>>>,
): Record<CustomerText, string | null> {
  return forCustomerTexts((name) => source[name] ?? null);
}

/** The error if another customer of the environment has the external id. */
export function externalIdTaken(): DomainError {
  return new DomainError(
    'already_exists',
    'EXTERNAL_ID_TAKEN',
    'Customer with this externalId already exists',
  );
}

function inputAfter(customer: Customer, changes: CustomerChanges): CustomerInput {
  const after = { ...customer, ...changes };
  return {
    email: after.email ?? '',
    externalId: customer.externalId ?? undefined,
    ...forCustomerTexts((name) => after[name] ?? undefined),
    address: after.address ?? undefined,
    currency: after.currency ?? undefined,
    collectionMethod: after.collectionMethod ?? undefined,
    taxIds: after.taxIds ?? undefined,
    taxExempt: after.taxExempt ?? undefined,
    netDays: after.netDays ?? undefined,
    locale: after.locale ?? undefined,
    metadata: after.metadata ?? undefined,
  };
}
