import type { Request } from 'express';
import { RequestError } from '../http-error';

/** What a browser says of where a request comes from. */
export interface RequestOrigin {
  /** The header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined;
  /** The header `Origin`; `null` from pages that tell nobody where they are, as ours. */
  readonly origin: string | undefined;
  /** The host that the request went to. */
  readonly host: string | undefined;
}

/**
 * Refuses what is not plainly of our own pages: a cookie alone proves nothing about who has a
 * browser send it. Reads may prove it by the page that they come from, since browsers name no
 * origin then.
 */
export function requireOwnOrigin(
  { fetchSite, origin, host }: RequestOrigin,
  { referrer }: { readonly referrer?: string | undefined } = {},
): void {
  const named = origin ?? referrer;
  const isOurs =
    fetchSite === undefined
      ? named !== undefined && URL.parse(named)?.host === host
      : fetchSite === 'same-origin';
  if (!isOurs) throw new RequestError(403, 'cross_site', 'The request was sent from another site');
}

/** What a request says of where it comes from. */
export function originOf(request: Request): RequestOrigin {
  return {
    fetchSite: request.header('sec-fetch-site'),
    origin: request.header('origin'),
    host: request.host,
  };
}

/**
 * Refuses a form that another site has a browser send. Who sends no such headers is no browser, and
 * needs the token all the same. `isNamed`: our own pages tell where they are, so `null` is
 * another's.
 */
export function refuseOtherSites(
  { fetchSite, origin, host }: RequestOrigin,
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): void {
  const isUntold = origin === undefined || (origin === 'null' && !isNamed);
  const isOurs =
    fetchSite === undefined
      ? isUntold || URL.parse(origin)?.host === host
      : fetchSite === 'same-origin' || fetchSite === 'none';
  if (!isOurs) throw new RequestError(403, 'cross_site', 'The form was sent from another site');
}
