import { type Currency, parseCurrency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { parseEmailAddress } from '@billing/kernel/email-address';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Address, type AddressInput, addressOf } from '@billing/kernel/input/address';
import { customerProblems } from '@billing/kernel/input/customer';

// No organisation has another default yet.
const currencyDefault: Currency = 'USD';

/** How a customer's invoices are collected. */
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** A party that is billed. */
export interface Customer {
  readonly id: string;
  /** The caller's own id of it, unique in the environment; never changes. */
  readonly externalId: string | null;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
  readonly currency: Currency;
  /** The first invoice has set the currency. */
  readonly isCurrencyFixed: boolean;
  readonly collectionMethod: CollectionMethod;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A customer as it was sent. */
export interface CustomerInput {
  /** With or without space around it. */
  readonly email: string;
  readonly externalId?: string | undefined;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: AddressInput | undefined;
  /** In any case; absent: USD. */
  readonly currency?: string | undefined;
  /** Absent: CHARGE_AUTOMATICALLY. UNKNOWN: a method that this version does not know. */
  readonly collectionMethod: CollectionMethod | 'UNKNOWN' | undefined;
  /** Absent: empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What is to change about a customer: a field that is absent stays, one that is null is cleared. */
export type CustomerChanges = {
  readonly [Field in Exclude<keyof CustomerInput, 'externalId'>]?: CustomerInput[Field] | null;
};

/** What a new customer is given beside its input. */
export interface CustomerCreation {
  readonly id: string;
  /** Metadata is checked alike by all services, outside their rules; its problems are reported with the others. */
  readonly metadataProblems: readonly string[];
}

/** A new customer. Refuses the input once, for everything that is wrong with it. */
export function createCustomer(
  input: CustomerInput,
  { id, metadataProblems }: CustomerCreation,
): Customer {
  const { externalId, name, phone, address, currency = currencyDefault } = input;
  const { collectionMethod = 'CHARGE_AUTOMATICALLY' } = input;
  refuseProblems({
    ...customerProblems(input),
    collectionMethod: collectionMethod === 'UNKNOWN' ? ['Invalid collection method'] : [],
    metadata: metadataProblems,
  });
  if (collectionMethod === 'UNKNOWN') throw new Error('The collection method was not checked');
  return {
    id,
    externalId: externalId ?? null,
    email: parseEmailAddress(input.email),
    name: name ?? null,
    phone: phone ?? null,
    address: address === undefined ? null : addressOf(address),
    currency: parseCurrency(currency),
    isCurrencyFixed: false,
    collectionMethod,
    metadata: input.metadata ?? {},
  };
}

/**
 * The customer after a change: what a creation with its fields would make of them, so that a cleared field is back at its default and
 * nothing can be changed to what could not have been created. The very same customer where nothing differs.
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

/** The customer with the currency of their first invoice. The first one wins: a fixed currency stays. */
export function fixCurrency(customer: Customer, currency: string): Customer {
  if (customer.isCurrencyFixed) return customer;
  return { ...customer, currency: parseCurrency(currency), isCurrencyFixed: true };
}

/** Another customer of the environment has the external id. */
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
    name: after.name ?? undefined,
    phone: after.phone ?? undefined,
    address: after.address ?? undefined,
    currency: after.currency ?? undefined,
    collectionMethod: after.collectionMethod ?? undefined,
    metadata: after.metadata ?? undefined,
  };
}
