import { useAction } from '../../api/queries';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { AddressFields } from '../../resources/address-fields';
import type { Customer } from '../../resources/customer';
import { changedCustomer, newCustomer } from './customer-changes';
import { customerFields } from './customer-fields';

const collectionMethods = [
  ['CHARGE_AUTOMATICALLY', 'Charge automatically'],
  ['SEND_INVOICE', 'Send an invoice, due in 30 days'],
] as const;

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
      <SelectField
        name="collectionMethod"
        label="Collection"
        choices={collectionMethods}
        {...(customer !== undefined && { defaultValue: customer.collectionMethod })}
      />
      <AddressFields address={customer?.address} />
    </Form>
  );
}
