import { forCustomerTexts } from '@billing/kernel/input/customer';
import type { FormValues } from '../../parts/form/form-values';
import type { Customer } from '../../resources/customer';

export const addressParts = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const;
type AddressPart = (typeof addressParts)[number];

type Typed = Pick<FormValues, 'text' | 'optional'>;

/** Body of `POST /v1/customers` from a form. */
export function newCustomer(values: Typed): object {
  return {
    ...detailsOf(values),
    externalId: values.optional('externalId') ?? null,
    // Null selects the organization's currency.
    currency: values.optional('currency') ?? null,
    address: typedAddress(values),
  };
}

/** Body of `PATCH /v1/customers/…`: only changed fields, so that concurrent changes survive. */
export function changedCustomer(values: Typed, customer: Customer): object {
  const typed = { ...detailsOf(values), currency: values.text('currency').trim().toUpperCase() };
  const address = typedAddress(values);
  const changes = Object.entries(typed).filter(
    ([name, value]) => value !== customer[name as keyof typeof typed],
  );
  return {
    ...Object.fromEntries(changes),
    ...(!isSameAddress(address, customer.address) && { address }),
  };
}

function detailsOf(values: Typed) {
  return {
    email: values.text('email').trim(),
    ...forCustomerTexts((name) => values.optional(name) ?? null),
    collectionMethod: values.text('collectionMethod'),
  };
}

function typedAddress(values: Typed): Record<AddressPart, string | null> | null {
  const parts = addressParts.map(
    (part) => [part, values.optional(`address.${part}`) ?? null] as const,
  );
  if (parts.every(([, value]) => value === null)) return null;
  return Object.fromEntries(parts) as Record<AddressPart, string | null>;
}

function isSameAddress(a: Customer['address'], b: Customer['address']): boolean {
  return addressParts.every((part) => (a?.[part] ?? null) === (b?.[part] ?? null));
}
