import type { operatorRoles } from '@billing/proto/values/identity';

/** Role of an operator. */
export type RoleName = ReturnType<typeof operatorRoles.nameOf>;

// Resources for integration work, which move no money.
const ofDevelopers = ['api-keys', 'sandboxes', 'webhook-endpoints'];

/**
 * Permissions of an operator in an environment, as equivalent key scopes; an empty list means all.
 * New keys get at most the scopes of their creator, so a developer's live keys can only read, and
 * viewers create none.
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
