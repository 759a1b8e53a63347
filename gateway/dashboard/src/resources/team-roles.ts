import type { RoleName } from '@billing/gateway/access/operator-permission';

/** Roles, from most to least permissions. */
export const roles: readonly RoleName[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'];

/**
 * Reason why a role cannot manage the team; undefined if it may invite operators and change those
 * of the same or a lower role. The server checks again.
 */
export function managementRefusal(role: RoleName): string | undefined {
  if (role === 'OWNER' || role === 'ADMIN') return undefined;
  return 'Requires the owner or admin role.';
}

/** Roles that a role may assign: its own and lower ones. */
export function assignableRoles(role: RoleName): readonly RoleName[] {
  return managementRefusal(role) === undefined ? roles.slice(roles.indexOf(role)) : [];
}

/** True if a role may reset the password of another: owners for all, admins for lower roles. */
export function mayReset(role: RoleName, other: RoleName): boolean {
  return role === 'OWNER' || (role === 'ADMIN' && roles.indexOf(other) > roles.indexOf(role));
}
