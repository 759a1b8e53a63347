import { Link } from 'wouter';
import { useResource } from '../../api/queries';
import type { Product } from './price-text';

/** Products by their names, each with its page. */
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

/** A product by its name; by its id until that is known. */
export function ProductLink({ id }: { id: string }) {
  const { data } = useResource<Product>(`/v1/products/${id}`);
  return <Link href={`/products/${id}`}>{data?.name ?? id}</Link>;
}
