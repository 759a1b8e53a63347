import { cookieNameAt, isOverTls, maxAgeOf, readCookies, setCookie } from '../http/cookie';

const cookieName = 'operator';

/**
 * Sets the cookie of an operator's session. `Strict`, since links from other sites only lead to the
 * front page.
 */
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

/** Deletes the cookie of a session. */
export function noOperatorCookie(siteUrl: string): string {
  return operatorCookie('', { siteUrl, lifeMs: 0 });
}

/**
 * Session token of a browser, if any. Over TLS, a cookie without the prefix is ignored: a sibling
 * host may have set it.
 */
export function readOperatorSession(
  header: string | undefined,
  siteUrl: string,
): string | undefined {
  const token = readCookies(header).get(cookieNameAt(siteUrl, cookieName)) ?? '';
  return token === '' ? undefined : token;
}
