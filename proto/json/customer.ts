import { z } from 'zod';
import {
  type Address,
  type CollectionMethod,
  type Customer,
  TaxExempt,
  type TaxId,
} from '../gen/billing/customer/v1/customer';
import { currency, id, metadata, toJsonMetadata, toJsonTime, timestamps } from './scalars';
import { collectionMethods, taxExempts, taxIdTypes } from '../values/customer';

const text = z.string().nullable();

export const collectionMethod = z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']);

export const taxExempt = z.enum(['NONE', 'EXEMPT', 'REVERSE']);

export const AddressJson = z.object({
  line1: text,
  line2: text,
  city: text,
  state: text,
  postalCode: text,
  country: text.meta({ description: 'ISO 3166-1 alpha-2 country code.' }),
});

export const TaxIdJson = z
  .object({
    type: z.enum(['EU_VAT', 'GB_VAT', 'CH_VAT', 'NO_VAT', 'OTHER']),
    value: z.string().meta({ examples: ['DE136695976'] }),
  })
  .meta({ id: 'TaxId' });

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
    taxIds: z.array(TaxIdJson),
    taxExempt: taxExempt.meta({ description: 'REVERSE: the customer owes the tax.' }),
    netDays: z
      .int()
      .nullable()
      .meta({ description: "Days after which sent invoices are due. Null: the seller's." }),
    buyerReference: text,
    locale: text.meta({
      description: 'BCP 47 tag of pages, documents and mails. Null: the default of the branding.',
    }),
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Customer' });
export type CustomerJson = z.infer<typeof CustomerJson>;

/** A deleted customer, where another resource shows it. */
export const DeletedCustomerJson = z
  .object({ id, email: z.null(), name: z.null() })
  .meta({ id: 'DeletedCustomer', description: 'A customer that was deleted.' });

/** Customer in another resource. A deleted one has no email address, as every other has. */
export function toJsonEmbeddedCustomer(
  customer: Customer,
): CustomerJson | z.infer<typeof DeletedCustomerJson> {
  const { id: customerId, email } = customer;
  return email === '' ? { id: customerId, email: null, name: null } : toJsonCustomer(customer);
}

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
    taxIds: customer.taxIds.map(toJsonTaxId),
    taxExempt: toJsonTaxExempt(customer.taxExempt),
    netDays: customer.netDays ?? null,
    buyerReference: customer.buyerReference ?? null,
    locale: customer.locale ?? null,
    metadata: toJsonMetadata(customer.metadata),
    createdAt: toJsonTime(customer.createdAt),
    updatedAt: toJsonTime(customer.updatedAt),
  };
}

/** CHARGE_AUTOMATICALLY or SEND_INVOICE. */
export function toJsonCollectionMethod(method: CollectionMethod): z.infer<typeof collectionMethod> {
  return collectionMethods.nameOf(method);
}

export function toJsonAddress(address: Address): z.infer<typeof AddressJson> {
  return {
    line1: address.line1 ?? null,
    line2: address.line2 ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    postalCode: address.postalCode ?? null,
    country: address.country ?? null,
  };
}

export function toJsonTaxId({ type, value }: TaxId): z.infer<typeof TaxIdJson> {
  return { type: taxIdTypes.nameOf(type), value };
}

// Customers in events of earlier versions have no exemption.
function toJsonTaxExempt(exempt: TaxExempt): z.infer<typeof taxExempt> {
  return exempt === TaxExempt.TAX_EXEMPT_UNSPECIFIED ? 'NONE' : taxExempts.nameOf(exempt);
}
