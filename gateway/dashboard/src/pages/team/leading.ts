import type { RoleName } from '@billing/gateway/dashboard/operator-permission';

/** Roles from the one that may do most to the one that may only look. */
export const roles: readonly RoleName[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'];

/** Why somebody leads nobody; undefined: they may invite, and change whoever is not above them. The server decides all the same. */
export function leadingRefusal(role: RoleName): string | undefined {
  if (role === 'OWNER' || role === 'ADMIN') return undefined;
  return 'Only owners and admins may do that.';
}

/** The roles that somebody may give: none above their own. */
export function rolesToGive(role: RoleName): readonly RoleName[] {
  return leadingRefusal(role) === undefined ? roles.slice(roles.indexOf(role)) : [];
}

/** Whether a role may let another set a new password: owners for all, admins for those below them. */
export function mayReset(role: RoleName, other: RoleName): boolean {
  return role === 'OWNER' || (role === 'ADMIN' && roles.indexOf(other) > roles.indexOf(role));
}
