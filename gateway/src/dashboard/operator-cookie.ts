import { isOverTls, maxAgeOf, readCookies, setCookie } from '../cookie';

// Browsers take a name with this prefix from the very host and over TLS alone, so no neighbouring host can plant one. Over plain HTTP, which
// is for a machine's own loopback, they would not take it at all.
const guardedName = '__Host-operator';
const plainName = 'operator';

/** Sets the cookie of an operator's session. `Strict`: nobody comes to the dashboard from elsewhere but to look at its front. */
export function operatorCookie(
  token: string,
  { siteUrl, lifeMs }: { readonly siteUrl: string; readonly lifeMs: number },
): string {
  const isGuarded = isOverTls(siteUrl);
  const maxAge = maxAgeOf(lifeMs);
  return setCookie(nameAt(siteUrl), token, { path: '/', maxAge, isGuarded, sameSite: 'Strict' });
}

/** Takes the cookie of a session back. */
export function noOperatorCookie(siteUrl: string): string {
  return operatorCookie('', { siteUrl, lifeMs: 0 });
}

/** The session that a browser proves; undefined: none. Over TLS one with a plain name was planted by a neighbouring host. */
export function readOperatorSession(
  header: string | undefined,
  siteUrl: string,
): string | undefined {
  const token = readCookies(header).get(nameAt(siteUrl)) ?? '';
  return token === '' ? undefined : token;
}

function nameAt(siteUrl: string): string {
  return isOverTls(siteUrl) ? guardedName : plainName;
}
