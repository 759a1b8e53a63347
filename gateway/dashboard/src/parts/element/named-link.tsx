import { Link } from 'wouter';
import { NameSkeleton } from './skeleton';

/** Link to a resource by name: a skeleton while the name loads, the id if it cannot be loaded. */
export function NamedLink({
  href,
  id,
  name,
  error,
}: {
  href: string;
  id: string;
  name: string | undefined;
  error: Error | null;
}) {
  if (name === undefined && error === null) return <NameSkeleton />;
  return <Link href={href}>{name ?? id}</Link>;
}
