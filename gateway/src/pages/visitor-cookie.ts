import { isOverTls, readCookies, setCookie } from '../cookie';

const name = 'visitor';
// As long as a visitor's session holds its redemption.
const maxAge = 30 * 60;

/**
 * Remembers in the visitor's browser what it ordered at a link. It is sent to the page of that link
 * alone, at `path`.
 */
export function visitorCookie(
  visit: string,
  { path, siteUrl }: { readonly path: string; readonly siteUrl: string },
): string {
  return setCookie(name, visit, { path, maxAge, isGuarded: isOverTls(siteUrl), sameSite: 'Lax' });
}

/** What the browser ordered before; undefined: nothing that it remembers. */
export function readVisitor(header: string | undefined): string | undefined {
  return readCookies(header).get(name);
}
