import { everyScope } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { isRead } from '../http/method';

/** Scope required by a method on a route, named from the route's first path segment. */
export function scopeOf({ method, segment }: { method: string; segment: string }): string {
  return `${segment}:${isRead(method) ? 'read' : 'write'}`;
}

/** True if the scopes allow the method on the route's first path segment. */
export function isAllowed(
  scopes: readonly string[],
  wanted: { method: string; segment: string },
): boolean {
  return scopes.includes(everyScope) || scopes.includes(scopeOf(wanted));
}

/**
 * Throws permission unless the scopes allow the method on the route's first path segment. With
 * `readsOnly`, a read scope suffices.
 */
export function checkScope(
  scopes: readonly string[],
  { method, segment, readsOnly = false }: { method: string; segment: string; readsOnly?: boolean },
): void {
  if (isAllowed(scopes, { method, segment })) return;
  if (readsOnly && scopes.includes(scopeOf({ method: 'GET', segment }))) return;
  throw new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
}
