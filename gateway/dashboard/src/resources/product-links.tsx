import { useListed } from '../api/queries';
import { NamedLink } from '../parts/element/named-link';
import type { Product } from './product';

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
