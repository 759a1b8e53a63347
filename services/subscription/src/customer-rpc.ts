import {
  CollectionMethod as ProtoCollectionMethod,
  type Customer as ProtoCustomer,
} from '@billing/proto/billing/customer/v1/customer';
import type { CustomerFacts } from './creation-input';
import type { CollectionMethod } from './subscription';

const protoCollectionMethods: Readonly<Record<CollectionMethod, ProtoCollectionMethod>> = {
  CHARGE_AUTOMATICALLY: ProtoCollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  SEND_INVOICE: ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

/** Who pays. */
export function fromProtoCustomer(customer: ProtoCustomer): CustomerFacts {
  const { id, email, name, currency, collectionMethod } = customer;
  return {
    id,
    email,
    name: name ?? null,
    currency,
    collectionMethod: fromProtoCollectionMethod(collectionMethod),
  };
}

export function toProtoCollectionMethod(method: CollectionMethod): ProtoCollectionMethod {
  return protoCollectionMethods[method];
}

/** How a customer's invoices are collected. Unspecified stands for the default. */
export function fromProtoCollectionMethod(method: ProtoCollectionMethod): CollectionMethod {
  return method === ProtoCollectionMethod.COLLECTION_METHOD_SEND_INVOICE
    ? 'SEND_INVOICE'
    : 'CHARGE_AUTOMATICALLY';
}
