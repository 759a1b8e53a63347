import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { type Customer, customerName } from '../../resources/customer';

/** Deletes a customer after a confirmation. */
export function DeleteButton({ customer }: { readonly customer: Customer }) {
  const refusal = useRefusal('customers');
  const [, navigate] = useLocation();
  const path = `/v1/customers/${customer.id}`;
  const remove = useAction(() => ({ method: 'DELETE', path }), 'Customer deleted');
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this customer?"
      confirm="Delete customer"
      refusal={refusal}
      onConfirm={async () => {
        await remove.mutateAsync({});
        navigate('/customers');
      }}
    >
      <p>
        The personal data of {customerName(customer)} is erased: contact details, metadata, saved
        payment methods, portal sessions, usage properties and emails. Invoices and credit notes
        stay, as tax law demands. This can’t be undone.
      </p>
    </ConfirmButton>
  );
}
