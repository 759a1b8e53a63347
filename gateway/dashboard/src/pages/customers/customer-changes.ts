import { forCustomerTexts } from '@billing/kernel/input/customer';
import { type FormValues, isSame } from '../../parts/form/form-values';
import { typedCount } from '../../parts/text/amount';
import { isSameAddress, typedAddress } from '../../resources/address';
import type { Customer } from '../../resources/customer';
import { typedTaxIds } from '../../resources/tax/tax-ids';

type Typed = Pick<FormValues, 'text' | 'optional' | 'has'>;

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
    ([name, value]) => !isSame(value, customer[name as keyof typeof typed]),
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
    netDays: typedCount(values.optional('netDays')) ?? null,
    locale: values.optional('locale') ?? null,
    taxIds: typedTaxIds(values),
    taxExempt: values.text('taxExempt'),
  };
}
