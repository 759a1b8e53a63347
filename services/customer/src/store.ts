import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { type Customer, externalIdTaken, textsOf } from './customer';
import type { Erasure, ErasureStep } from './erasure';

/** A stored customer, without the fields that every aggregate has. */
export type CustomerDocument = Omit<
  Customer,
  'id' | 'metadata' | 'isCurrencyFixed' | 'taxIds' | 'taxExempt' | 'netDays' | 'locale' | 'erasure'
> & {
  /** Absent in documents stored before these fields existed. */
  readonly taxIds?: Customer['taxIds'];
  readonly taxExempt?: Customer['taxExempt'];
  readonly netDays?: number | bigint | null;
  readonly locale?: string | null;
  /** Absent in documents stored before this field existed. */
  readonly isCurrencyFixed?: boolean;
  /** JSON text: the keys may contain dots, which the database would read as paths. */
  readonly metadata: string;
  /** Email address in lower case; absent in documents of earlier releases. */
  readonly emailKey?: string;
  /** Value of the index by which lists filter. */
  readonly externalIdKey: string;
  /** Real time of the deletion. Absent in documents stored before this field existed, or null. */
  readonly erasedAt?: Date | null;
  /** Next step of the erasure, and the real time at which it begins. */
  readonly eraseStep?: ErasureStep | null;
  readonly eraseAt?: Date | null;
  readonly erasedCustomer?: string | null;
};

/** Customers as documents; the external id is unique in each environment. */
export const customerDefinition: AggregateDefinition<Customer> = {
  collection: 'customers',
  aggregate: 'customer',
  resource: 'Customer',
  indexes: [
    { name: 'externalId', keys: { externalIdKey: 1 } },
    { name: 'email', keys: { email: 1, createdAt: -1, _id: -1 } },
    { name: 'emailKey', keys: { emailKey: 1, createdAt: -1, _id: -1 } },
    { name: 'erased', keys: { erasedAt: 1, createdAt: -1 } },
  ],
  naturalKey: {
    field: 'externalId',
    valueOf: ({ externalId }) => externalId,
    taken: externalIdTaken,
  },
  hiddenSince: 'erasedAt',
  search: {
    revision: 2,
    findableOf: ({ name, email, externalId, erasure }) =>
      erasure === null ? { texts: [name, email, externalId] } : undefined,
    isForgiving: true,
  },
  toDocument: toDocumentCustomer,
  fromDocument: (document) => fromDocumentCustomer(document as CustomerDocument & { _id: string }),
};

/** List filter by email address and external id. */
export function customersWith({
  email,
  externalId,
}: {
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
}): Record<string, unknown> {
  return {
    ...(email !== undefined && { email: email.trim() }),
    ...(externalId !== undefined && { externalIdKey: externalIdKey(externalId) }),
  };
}

/** List filters by email address in any case; the second finds documents without a key. */
export function customersWithAddress(email: string): Record<string, unknown>[] {
  return [{ emailKey: email.toLowerCase() }, { email }];
}

function toDocumentCustomer({ id, erasure, ...customer }: Customer): CustomerDocument {
  const { metadata, externalId } = customer;
  return {
    ...customer,
    metadata: JSON.stringify(metadata),
    emailKey: customer.email.toLowerCase(),
    externalIdKey: externalId === null ? `i:${id}` : externalIdKey(externalId),
    erasedAt: erasure?.erasedAt ?? null,
    eraseStep: erasure?.next?.step ?? null,
    eraseAt: erasure?.next?.at ?? null,
    erasedCustomer: erasure?.customer ?? null,
  };
}

/** The prefix keeps an external id that looks like a customer id apart from that id. */
export function externalIdKey(externalId: string): string {
  return `v:${externalId}`;
}

function fromDocumentCustomer(document: CustomerDocument & { readonly _id: string }): Customer {
  const { _id, externalId, email, address, currency, collectionMethod, netDays } = document;
  return {
    id: _id,
    externalId,
    email,
    // A text that was added later is absent in older documents.
    ...textsOf(document),
    address,
    currency,
    isCurrencyFixed: document.isCurrencyFixed ?? false,
    collectionMethod,
    taxIds: document.taxIds ?? [],
    taxExempt: document.taxExempt ?? 'NONE',
    netDays: netDays === undefined || netDays === null ? null : Number(netDays),
    locale: document.locale ?? null,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
    erasure: fromDocumentErasure(document),
  };
}

function fromDocumentErasure(document: CustomerDocument): Erasure | null {
  const { erasedAt, eraseStep: step, eraseAt: at, erasedCustomer: customer } = document;
  if (erasedAt === undefined || erasedAt === null) return null;
  const next = step && at ? { step, at } : null;
  return { erasedAt, next, customer: customer ?? null };
}
