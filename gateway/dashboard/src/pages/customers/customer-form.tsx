import { useAction } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { AddressFields } from '../../resources/address-fields';
import type { Customer } from '../../resources/customer';
import { TaxIdsField } from '../../resources/tax/tax-ids-field';
import { changedCustomer, newCustomer } from './customer-changes';
import { collectionMethods, customerFields, taxExemptions } from './customer-fields';

/** Form that creates a customer, or edits the given one. */
export function CustomerForm({
  customer,
  onCancel,
  onDone,
}: {
  customer?: Customer;
  onCancel: () => void;
  onDone: (customer: Customer) => void;
}) {
  const save = useAction<object, Customer>(
    (body) =>
      customer === undefined
        ? { method: 'POST', path: '/v1/customers', body }
        : { method: 'PATCH', path: `/v1/customers/${customer.id}`, body },
    customer === undefined ? 'Customer created' : 'Customer saved',
  );
  return (
    <Form
      submit={customer === undefined ? 'Create customer' : 'Save'}
      onCancel={onCancel}
      onSubmit={async (values) => {
        const body =
          customer === undefined ? newCustomer(values) : changedCustomer(values, customer);
        onDone(await save.mutateAsync(body));
      }}
    >
      {customerFields
        .filter(({ isFixed }) => customer === undefined || isFixed !== true)
        .map(({ name, input }) => (
          <TextField key={name} name={name} {...input} defaultValue={customer?.[name] ?? ''} />
        ))}
      <TextField
        name="currency"
        label="Currency"
        maxLength={3}
        defaultValue={customer?.currency}
        {...(customer === undefined && {
          hint: 'Optional, such as USD. Default: your organization’s currency.',
        })}
      />
      <CollectionFields customer={customer} />
      <TextField
        name="locale"
        label="Language"
        defaultValue={customer?.locale ?? ''}
        hint="Optional, such as en, de-CH or pt-BR. Language of pages, documents and emails. Default: that of your branding."
      />
      <AddressFields address={customer?.address} />
      <TaxFields customer={customer} />
    </Form>
  );
}

function CollectionFields({ customer }: { customer: Customer | undefined }) {
  return (
    <>
      <SelectField
        name="collectionMethod"
        label="Collection"
        choices={collectionMethods}
        {...(customer !== undefined && { defaultValue: customer.collectionMethod })}
      />
      <TextField
        name="netDays"
        label="Net days"
        inputMode="numeric"
        defaultValue={String(customer?.netDays ?? '')}
        hint="Optional. Days until a sent invoice is due. Default: those of the seller."
      />
    </>
  );
}

function TaxFields({ customer }: { customer: Customer | undefined }) {
  return (
    <>
      <TaxIdsField taxIds={customer?.taxIds ?? []} />
      <SelectField
        name="taxExempt"
        label="Tax exemption"
        choices={taxExemptions}
        {...(customer !== undefined && { defaultValue: customer.taxExempt })}
        hint="Applies to invoices that are finalized from now on."
      />
    </>
  );
}
