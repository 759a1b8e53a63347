import { type RoleName, scopesOfRole } from '@billing/gateway/access/operator-permission';

/** Scopes that an operator may grant to a key: the scopes of their own role. */
export function grantableScopes(
  all: readonly string[],
  { role, isLive }: { readonly role: RoleName; readonly isLive: boolean },
): readonly string[] {
  const segments = [...new Set(all.map((scope) => scope.split(':')[0] ?? ''))];
  const own = scopesOfRole(role, { isLive, segments });
  return own.length === 0 ? all : all.filter((scope) => own.includes(scope));
}

/**
 * Scopes of a request for a new key. Without a choice: all that the operator may grant; undefined
 * if that is every scope.
 */
export function wantedScopes(
  chosen: readonly string[],
  { all, grantable }: { readonly all: readonly string[]; readonly grantable: readonly string[] },
): readonly string[] | undefined {
  if (chosen.length > 0) return chosen;
  return grantable.length === all.length ? undefined : grantable;
}

/** Scopes of a key that changes nothing. */
export function readOnlyScopes(grantable: readonly string[]): readonly string[] {
  return grantable.filter((scope) => scope.endsWith(':read'));
}

// Lists that need no id.
const lists = ['customers', 'products', 'subscriptions', 'invoices', 'discounts', 'meters'];

/** Command that works with the key unchanged: it reads a list that the key may read. */
export function curlText(
  key: string,
  { origin, scopes }: { readonly origin: string; readonly scopes: readonly string[] },
): string {
  const readable = lists.find((segment) => scopes.includes(`${segment}:read`));
  const path = `/v1/${readable ?? 'customers'}`;
  return `curl -s ${origin}${path} -H 'Authorization: Bearer ${key}'`;
}

/** First instant of a day in UTC, as the API takes it; undefined if no day is chosen. */
export function startOfDay(day: string | undefined): string | undefined {
  return day === undefined ? undefined : `${day}T00:00:00Z`;
}
