import { useResource } from '../api/queries';
import { NamedLink } from '../parts/element/named-link';
import { type Customer, customerName } from './customer';

/** Link to a customer by name. */
export function CustomerLink({ id }: { id: string }) {
  const { data, error } = useResource<Customer>(`/v1/customers/${id}`);
  return (
    <NamedLink
      href={`/customers/${id}`}
      id={id}
      name={data === undefined ? undefined : customerName(data)}
      error={error}
    />
  );
}
