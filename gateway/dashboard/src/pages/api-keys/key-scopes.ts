import { type RoleName, scopesOfRole } from '@billing/gateway/dashboard/operator-permission';

/** The scopes that somebody may give a key: those that they have themselves. */
export function grantableScopes(
  all: readonly string[],
  { role, isLive }: { readonly role: RoleName; readonly isLive: boolean },
): readonly string[] {
  const segments = [...new Set(all.map((scope) => scope.split(':')[0] ?? ''))];
  const own = scopesOfRole(role, { isLive, segments });
  return own.length === 0 ? all : all.filter((scope) => own.includes(scope));
}

/** What a new key is asked with: without a choice all that its maker may give, which for most is every scope there is, told by none. */
export function wantedScopes(
  chosen: readonly string[],
  { all, grantable }: { readonly all: readonly string[]; readonly grantable: readonly string[] },
): readonly string[] | undefined {
  if (chosen.length > 0) return chosen;
  return grantable.length === all.length ? undefined : grantable;
}

// What lists something at once, without an id to know first.
const lists = ['customers', 'products', 'subscriptions', 'invoices', 'discounts', 'meters'];

/** A command that works with a key as it stands: it reads a list that the key may read. */
export function curlText(
  key: string,
  { origin, scopes }: { readonly origin: string; readonly scopes: readonly string[] },
): string {
  const readable = lists.find((segment) => scopes.includes(`${segment}:read`));
  const path = `/v1/${readable ?? 'customers'}`;
  return `curl -s ${origin}${path} -H 'Authorization: Bearer ${key}'`;
}

/** The first instant of a day in UTC, as the API takes it; undefined where no day is chosen. */
export function startOfDay(day: string | undefined): string | undefined {
  return day === undefined ? undefined : `${day}T00:00:00Z`;
}
