import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { type Customer, externalIdTaken } from './customer';

type CustomerDocument = Omit<Customer, 'id' | 'metadata'> & {
  /** JSON text: its keys may contain dots, which mean paths to the database. */
  readonly metadata: string;
  /** Never null, because a unique index counts documents without an external id too. */
  readonly externalIdKey: string;
};

/** Customers as documents; the external id is unique in each environment. */
export const customerDefinition: AggregateDefinition<Customer> = {
  collection: 'customers',
  aggregate: 'customer',
  resource: 'Customer',
  indexes: [{ name: 'externalId', keys: { externalIdKey: 1 }, unique: true }],
  conflicts: { externalId: externalIdTaken },
  toDocument: toDocumentCustomer,
  fromDocument: (document) => fromDocumentCustomer(document as CustomerDocument & { _id: string }),
};

function toDocumentCustomer({ id, ...customer }: Customer): CustomerDocument {
  const { metadata, externalId } = customer;
  return {
    ...customer,
    metadata: JSON.stringify(metadata),
    externalIdKey: externalId === null ? `i:${id}` : `v:${externalId}`,
  };
}

function fromDocumentCustomer(document: CustomerDocument & { readonly _id: string }): Customer {
  const { _id, externalId, email, name, phone, address, currency, collectionMethod } = document;
  return {
    id: _id,
    externalId,
    email,
    name,
    phone,
    address,
    currency,
    collectionMethod,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
  };
}
