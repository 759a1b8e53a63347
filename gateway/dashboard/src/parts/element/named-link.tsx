import { Link } from 'wouter';
import { NameSkeleton } from './skeleton';

/**
 * Link to a resource by name: a skeleton while the name loads, the id if it is unknown or cannot be
 * loaded.
 */
export function NamedLink({
  href,
  id,
  name,
  error,
}: {
  href: string;
  id: string;
  /** Undefined while the name loads; null if there is no such resource. */
  name: string | null | undefined;
  error: Error | null;
}) {
  if (name === undefined && error === null) return <NameSkeleton />;
  return <Link href={href}>{name ?? id}</Link>;
}
