import { Link } from 'wouter';
import { useResource } from '../api/queries';
import type { Discount } from './discount';

/** Link to a discount by name; by id while the name loads. */
export function DiscountLink({ id }: { id: string }) {
  const { data } = useResource<Discount>(`/v1/discounts/${id}`);
  return <Link href={`/discounts/${id}`}>{data?.name ?? id}</Link>;
}
