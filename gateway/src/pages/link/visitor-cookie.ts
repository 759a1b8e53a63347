import { isOverTls, readCookies, setCookie } from '../../http/cookie';

const name = 'visitor';
// Equals the time for which a visitor's session reserves its redemption.
const maxAge = 30 * 60;

/**
 * Stores in the visitor's browser the session ordered at a link. The cookie is sent only to the
 * page of that link, at `path`.
 */
export function visitorCookie(
  visit: string,
  { path, siteUrl }: { readonly path: string; readonly siteUrl: string },
): string {
  return setCookie(name, visit, { path, maxAge, isGuarded: isOverTls(siteUrl), sameSite: 'Lax' });
}

/** Earlier order of the browser; undefined if there is none. */
export function readVisitor(header: string | undefined): string | undefined {
  return readCookies(header).get(name);
}
