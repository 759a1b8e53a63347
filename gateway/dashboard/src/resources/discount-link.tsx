import { useListed } from '../api/queries';
import { NamedLink } from '../parts/element/named-link';
import type { Discount } from './discount';

/** Link to a discount by name. */
export function DiscountLink({ id }: { id: string }) {
  const { data, error } = useListed<Discount>('/v1/discounts', id);
  return <NamedLink href={`/discounts/${id}`} id={id} name={data && data.name} error={error} />;
}
