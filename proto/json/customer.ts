import { z } from 'zod';
import {
  type Address,
  type CollectionMethod,
  type Customer,
} from '../gen/billing/customer/v1/customer';
import { currency, id, metadata, toJsonMetadata, toJsonTime, timestamps } from './scalars';
import { collectionMethods } from '../values/customer';

const text = z.string().nullable();

export const collectionMethod = z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']);

const AddressJson = z.object({
  line1: text,
  line2: text,
  city: text,
  state: text,
  postalCode: text,
  country: text.meta({ description: 'ISO 3166-1 alpha-2 country code.' }),
});

export const CustomerJson = z
  .object({
    id,
    organizationId: id,
    externalId: text,
    email: z.string().meta({ format: 'email' }),
    name: text,
    phone: text,
    address: AddressJson.nullable(),
    currency,
    collectionMethod,
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Customer' });
export type CustomerJson = z.infer<typeof CustomerJson>;

/** Customer in REST responses. */
export function toJsonCustomer(customer: Customer): CustomerJson {
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
export function toJsonCollectionMethod(method: CollectionMethod): z.infer<typeof collectionMethod> {
  return collectionMethods.nameOf(method);
}

function toJsonAddress(address: Address): z.infer<typeof AddressJson> {
  return {
    line1: address.line1 ?? null,
    line2: address.line2 ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    postalCode: address.postalCode ?? null,
    country: address.country ?? null,
  };
}
