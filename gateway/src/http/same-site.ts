import type { Request } from 'express';
import { RequestError } from './error';

/** Request headers that name the origin of a request. */
export interface RequestOrigin {
  /** Value of the header `Sec-Fetch-Site`. */
  readonly fetchSite: string | undefined;
  /** Value of the header `Origin`; `null` from pages without a referrer, such as ours. */
  readonly origin: string | undefined;
  /** Host of the request. */
  readonly host: string | undefined;
}

/**
 * Refuses requests that do not clearly come from our own pages, since a cookie alone does not
 * prevent CSRF. Reads may prove it by the referrer, since browsers send no origin with them.
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

/** Extracts the headers that name the origin of a request. */
export function originOf(request: Request): RequestOrigin {
  return {
    fetchSite: request.header('sec-fetch-site'),
    origin: request.header('origin'),
    host: request.host,
  };
}

/**
 * Refuses forms from other sites. Clients without these headers are not browsers and still need the
 * token. With `isNamed`, our own pages send their origin, so `null` is refused.
 */
export function refuseOtherSites(
  { fetchSite, origin, host }: RequestOrigin,
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): void {
  const isUnnamed = origin === undefined || (origin === 'null' && !isNamed);
  const isOurs =
    fetchSite === undefined
      ? isUnnamed || URL.parse(origin)?.host === host
      : fetchSite === 'same-origin' || fetchSite === 'none';
  if (!isOurs) throw new RequestError(403, 'cross_site', 'The form was sent from another site');
}
