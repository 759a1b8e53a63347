import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import type { Discount } from './discount-text';

/** A discount by its name; by its id until that is known. */
export function DiscountLink({ id }: { id: string }) {
  const { data } = useResource<Discount>(`/v1/discounts/${id}`);
  return <Link href={`/discounts/${id}`}>{data?.name ?? id}</Link>;
}
