import type { Environment } from '../api/resources';

// The address names the environment, so that a link shows what its sender saw, and two windows may show two environments.

/** Where the pages of an environment are, below /dashboard. */
export function environmentPath({ kind, id }: Pick<Environment, 'kind' | 'id'>): string {
  return kind === 'LIVE' ? '/live' : `/${id}`;
}

/** The environment that an address names; without one, the live one. Undefined for a name that is nobody's. */
export function chosenEnvironment<E extends Pick<Environment, 'kind' | 'id'>>(
  environments: readonly E[],
  place: string | undefined,
): E | undefined {
  return environments.find((one) => environmentPath(one) === `/${place ?? 'live'}`);
}

/** Where the same page is in another environment: a list stays a list, one of its resources becomes its list. */
export function samePlace(location: string): string {
  const [, first = '', second] = location.split('/');
  const isResource = second !== undefined && /^[0-9a-f]{8}-/.test(second);
  return isResource || second === undefined ? `/${first}` : `/${first}/${second}`;
}
