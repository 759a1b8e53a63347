import { cookieNameAt, isOverTls, maxAgeOf, readCookies, setCookie } from '../cookie';

const cookieName = 'operator';

/** Sets the cookie of an operator's session. `Strict`: nobody comes to the dashboard from elsewhere but to look at its front. */
export function operatorCookie(
  token: string,
  { siteUrl, lifeMs }: { readonly siteUrl: string; readonly lifeMs: number },
): string {
  const isGuarded = isOverTls(siteUrl);
  const maxAge = maxAgeOf(lifeMs);
  return setCookie(cookieNameAt(siteUrl, cookieName), token, {
    path: '/',
    maxAge,
    isGuarded,
    sameSite: 'Strict',
  });
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
  const token = readCookies(header).get(cookieNameAt(siteUrl, cookieName)) ?? '';
  return token === '' ? undefined : token;
}
