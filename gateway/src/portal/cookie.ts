import {
  cookieNameAt,
  guardedName,
  isOverTls,
  maxAgeOf,
  readCookies,
  setCookie,
} from '../http/cookie';

/** Session secret of a browser, with the kind of cookie that carried it. */
export interface VisitProof {
  readonly secret: string;
  readonly isGuarded: boolean;
}

const visitName = 'portal';
const signInLinkName = 'portal_door';
// Lifetime of the sign-in link.
const signInLinkSeconds = 3_600;
// Lax, since payers return from the bank's site.
const terms = { sameSite: 'Lax' } as const;

/** Sets the session cookie. */
export function visitCookie(
  secret: string,
  { siteUrl, lifeMs }: { readonly siteUrl: string; readonly lifeMs: number },
): string {
  const isGuarded = isOverTls(siteUrl);
  const name = cookieNameAt(siteUrl, visitName);
  return setCookie(name, secret, { ...terms, path: '/', maxAge: maxAgeOf(lifeMs), isGuarded });
}

/** Deletes the session cookie. */
export function noVisitCookie(siteUrl: string): string {
  return visitCookie('', { siteUrl, lifeMs: 0 });
}

/**
 * Marks the browser that opened a sign-in link, so that a second click of the button succeeds, too.
 */
export function signInLinkCookie(nonce: string, siteUrl: string): string {
  const isGuarded = isOverTls(siteUrl);
  return setCookie(signInLinkName, nonce, {
    ...terms,
    path: '/portal',
    maxAge: signInLinkSeconds,
    isGuarded,
  });
}

/** Session secret that a browser sent, if any. */
export function readVisit(header: string | undefined): VisitProof | undefined {
  const cookies = readCookies(header);
  const guarded = cookies.get(guardedName(visitName));
  if (guarded !== undefined) return { secret: guarded, isGuarded: true };
  const plain = cookies.get(visitName);
  return plain === undefined ? undefined : { secret: plain, isGuarded: false };
}

/** Nonce of a browser that opened a sign-in link, if any. */
export function readSignInLinkNonce(header: string | undefined): string | undefined {
  const nonce = readCookies(header).get(signInLinkName) ?? '';
  return /^[\w-]{22}$/.test(nonce) ? nonce : undefined;
}
