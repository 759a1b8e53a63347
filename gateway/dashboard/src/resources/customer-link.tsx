import { Link } from 'wouter';
import { useResource } from '../api/queries';
import { type Customer, customerName } from './customer';

/** Link to a customer by name; by id while the name loads. */
export function CustomerLink({ id }: { id: string }) {
  const { data } = useResource<Customer>(`/v1/customers/${id}`);
  return <Link href={`/customers/${id}`}>{data === undefined ? id : customerName(data)}</Link>;
}
