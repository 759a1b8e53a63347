import { useListed } from '../../api/queries';
import { NameSkeleton } from '../../parts/element/skeleton';
import type { CheckoutLink } from './link-form';

/** Title of a checkout link: a skeleton while it loads, the id if it cannot be loaded. */
export function LinkName({ id }: { id: string }) {
  const { data, error } = useListed<CheckoutLink>('/v1/checkout-links', id);
  if (data === undefined && error === null) return <NameSkeleton />;
  return <>{data?.label ?? id}</>;
}
