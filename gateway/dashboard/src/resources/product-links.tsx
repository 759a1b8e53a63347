import { useListed, useResource } from '../api/queries';
import { NamedLink } from '../parts/element/named-link';
import type { Product } from './product';
import type { Subscription } from './subscription';

/** List of links to products. */
export function ProductLinks({ ids }: { ids: readonly string[] }) {
  return (
    <ul className="plain">
      {ids.map((id) => (
        <li key={id}>
          <ProductLink id={id} />
        </li>
      ))}
    </ul>
  );
}

/** Link to a product by name. */
export function ProductLink({ id }: { id: string }) {
  const { data, error } = useListed<Product>('/v1/products', id);
  return <NamedLink href={`/products/${id}`} id={id} name={data && data.name} error={error} />;
}

/** Link to a subscription by the name of its product. */
export function SubscriptionLink({ id }: { id: string }) {
  const { data, error } = useResource<Subscription>(`/v1/subscriptions/${id}`);
  if (data === undefined) {
    return <NamedLink href={`/subscriptions/${id}`} id={id} name={undefined} error={error} />;
  }
  return <SubscriptionNamed id={id} productId={data.productId} />;
}

/** The same link in a row of a list: all rows are read together. */
export function ListedSubscriptionLink({ id }: { id: string }) {
  const { data, error } = useListed<Subscription>('/v1/subscriptions', id);
  if (data === undefined || data === null) {
    return <NamedLink href={`/subscriptions/${id}`} id={id} name={data} error={error} />;
  }
  return <SubscriptionNamed id={id} productId={data.productId} />;
}

/** The same link where the product is known. */
export function SubscriptionNamed({ id, productId }: { id: string; productId: string }) {
  const { data, error } = useListed<Product>('/v1/products', productId);
  return <NamedLink href={`/subscriptions/${id}`} id={id} name={data && data.name} error={error} />;
}
