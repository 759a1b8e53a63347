import type { operatorRoles } from '@billing/proto/values/identity';

/** What an operator is. */
export type RoleName = ReturnType<typeof operatorRoles.nameOf>;

// What developers build with, which moves no money.
const ofDevelopers = ['api-keys', 'sandboxes', 'webhook-endpoints'];

/**
 * What an operator may do in an environment, as the scopes of a key that could do the same; none is all. Who makes a key gives it scopes of
 * their own, so that no key does what its maker may not: a developer's keys of the live environment read, and viewers make none.
 */
export function scopesOfRole(
  role: RoleName,
  { isLive, segments }: { readonly isLive: boolean; readonly segments: readonly string[] },
): readonly string[] {
  const reads = segments.map((segment) => `${segment}:read`);
  switch (role) {
    case 'OWNER':
    case 'ADMIN':
      return [];
    case 'DEVELOPER':
      return isLive ? [...reads, ...ofDevelopers.map((segment) => `${segment}:write`)] : [];
    case 'VIEWER':
      return reads;
  }
}
