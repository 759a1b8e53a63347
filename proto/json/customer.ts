import {
  type Address,
  type CollectionMethod,
  type Customer,
} from '../gen/billing/customer/v1/customer';
import { toJsonMetadata, toJsonTime } from './scalars';
import { collectionMethods } from '../values/customer';

/** Customer in REST responses. */
export function toJsonCustomer(customer: Customer) {
  return {
    id: customer.id,
    organizationId: customer.organizationId,
    externalId: customer.externalId ?? null,
    email: customer.email,
    name: customer.name ?? null,
    phone: customer.phone ?? null,
    address: customer.address === undefined ? null : toJsonAddress(customer.address),
    currency: customer.currency,
    collectionMethod: toJsonCollectionMethod(customer.collectionMethod),
    metadata: toJsonMetadata(customer.metadata),
    createdAt: toJsonTime(customer.createdAt),
    updatedAt: toJsonTime(customer.updatedAt),
  };
}

/** CHARGE_AUTOMATICALLY or SEND_INVOICE. */
export function toJsonCollectionMethod(method: CollectionMethod): string {
  return collectionMethods.nameOf(method);
}

function toJsonAddress(address: Address) {
  return {
    line1: address.line1 ?? null,
    line2: address.line2 ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    postalCode: address.postalCode ?? null,
    country: address.country ?? null,
  };
}
