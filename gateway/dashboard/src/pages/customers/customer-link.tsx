import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import { type Customer, customerName } from './customer';

/** A customer by name; by id until that is known. */
export function CustomerLink({ id }: { id: string }) {
  const { data } = useResource<Customer>(`/v1/customers/${id}`);
  return <Link href={`/customers/${id}`}>{data === undefined ? id : customerName(data)}</Link>;
}
