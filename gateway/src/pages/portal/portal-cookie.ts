import {
  cookieNameAt,
  guardedName,
  isOverTls,
  maxAgeOf,
  readCookies,
  setCookie,
} from '../../cookie';

/** What a browser proves its visit by, and the name of the cookie that it came in. */
export interface VisitProof {
  readonly secret: string;
  readonly isGuarded: boolean;
}

const visitName = 'portal';
const doorName = 'portal_door';
// As long as the button may be pressed.
const doorSeconds = 3_600;
// Who comes back from a bank's page comes from another site.
const terms = { sameSite: 'Lax' } as const;

/** Sets the cookie of a visit. */
export function visitCookie(
  secret: string,
  { siteUrl, lifeMs }: { readonly siteUrl: string; readonly lifeMs: number },
): string {
  const isGuarded = isOverTls(siteUrl);
  const name = cookieNameAt(siteUrl, visitName);
  return setCookie(name, secret, { ...terms, path: '/', maxAge: maxAgeOf(lifeMs), isGuarded });
}

/** Takes the cookie of a visit back. */
export function noVisitCookie(siteUrl: string): string {
  return visitCookie('', { siteUrl, lifeMs: 0 });
}

/** Marks the browser that was shown a door, so that it may press the button twice. */
export function doorCookie(nonce: string, siteUrl: string): string {
  const isGuarded = isOverTls(siteUrl);
  return setCookie(doorName, nonce, { ...terms, path: '/portal', maxAge: doorSeconds, isGuarded });
}

/** The proof that a browser sent; undefined: none. */
export function readVisit(header: string | undefined): VisitProof | undefined {
  const cookies = readCookies(header);
  const guarded = cookies.get(guardedName(visitName));
  if (guarded !== undefined) return { secret: guarded, isGuarded: true };
  const plain = cookies.get(visitName);
  return plain === undefined ? undefined : { secret: plain, isGuarded: false };
}

/** The mark of a browser that was shown a door. */
export function readDoorNonce(header: string | undefined): string | undefined {
  const nonce = readCookies(header).get(doorName) ?? '';
  return /^[\w-]{22}$/.test(nonce) ? nonce : undefined;
}
