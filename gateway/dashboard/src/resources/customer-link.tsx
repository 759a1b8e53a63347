import { useListed } from '../api/queries';
import { NamedLink } from '../parts/element/named-link';
import type { Column } from '../parts/table/data-table';
import { type Customer, customerName } from './customer';

/** Link to a customer by name. */
export function CustomerLink({ id }: { id: string }) {
  const { data, error } = useListed<Customer>('/v1/customers', id);
  return (
    <NamedLink href={`/customers/${id}`} id={id} name={data && customerName(data)} error={error} />
  );
}

/** Column with that link. */
export const customerColumn: Column<{ readonly customerId: string }> = {
  title: 'Customer',
  text: ({ customerId }) => customerId,
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};
