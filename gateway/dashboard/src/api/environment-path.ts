import type { Environment } from './session';

// The URL names the environment, so that links include it and two windows can show two
// environments.

/** Path of an environment below /dashboard. */
export function environmentPath({ kind, id }: Pick<Environment, 'kind' | 'id'>): string {
  return kind === 'LIVE' ? '/live' : `/${id}`;
}

/** First page of an owner who has just joined: a sandbox, where nothing is charged, if any. */
export function firstPath(environments: readonly Pick<Environment, 'kind' | 'id'>[]): string {
  const sandbox = environments.find(({ kind }) => kind === 'SANDBOX');
  return sandbox === undefined ? '/' : environmentPath(sandbox);
}

/** Environment of a URL, live by default; undefined for an unknown environment. */
export function chosenEnvironment<E extends Pick<Environment, 'kind' | 'id'>>(
  environments: readonly E[],
  place: string | undefined,
): E | undefined {
  return environments.find((one) => environmentPath(one) === `/${place ?? 'live'}`);
}

/** Path of the same page in another environment; the page of a resource becomes its list. */
export function samePlace(location: string): string {
  const [, first = '', second] = location.split('/');
  const isResource = second !== undefined && /^[0-9a-f]{8}-/.test(second);
  return isResource || second === undefined ? `/${first}` : `/${first}/${second}`;
}
