import { Link } from 'wouter';
import { useResource } from '../api/queries';
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

/** Link to a product by name; by id while the name loads. */
export function ProductLink({ id }: { id: string }) {
  const { data } = useResource<Product>(`/v1/products/${id}`);
  return <Link href={`/products/${id}`}>{data?.name ?? id}</Link>;
}
