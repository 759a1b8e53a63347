import type {
  CollectionMethod as ProtoCollectionMethod,
  Customer as ProtoCustomer,
} from '@billing/proto/billing/customer/v1/customer';
import { collectionMethods } from '@billing/proto/values/customer';
import type { CustomerFacts } from './customer';
import type { CollectionMethod } from './subscription';

/** Maps a customer to the facts about the payer. */
export function fromProtoCustomer(customer: ProtoCustomer): CustomerFacts {
  const { id, email, name, currency, currencyFixed, collectionMethod } = customer;
  return {
    id,
    email,
    name: name ?? null,
    currency,
    isCurrencyFixed: currencyFixed ?? false,
    collectionMethod: fromProtoCollectionMethod(collectionMethod),
  };
}

/** Maps how a customer's invoices are collected. Unspecified stands for the default. */
export function fromProtoCollectionMethod(method: ProtoCollectionMethod): CollectionMethod {
  return collectionMethods.knownName(method) ?? 'CHARGE_AUTOMATICALLY';
}
