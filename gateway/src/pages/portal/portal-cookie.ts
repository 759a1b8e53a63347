import { createHash } from 'node:crypto';

/** What a browser proves its visit by, and the name of the cookie that it came in. */
export interface VisitProof {
  readonly secret: string;
  readonly isGuarded: boolean;
}

// Browsers take a name with this prefix from the very host and over TLS alone, so no neighbouring host can plant one. Over plain HTTP, which
// is for a machine's own loopback, they would not take it at all.
const guardedName = '__Host-portal';
const plainName = 'portal';
const doorName = 'portal_door';
// As long as the button may be pressed.
const doorSeconds = 3_600;

/** Sets the cookie of a visit. `Lax`: who comes back from a bank's page comes from another site. */
export function visitCookie(
  secret: string,
  { siteUrl, lifeMs }: { readonly siteUrl: string; readonly lifeMs: number },
): string {
  const isGuarded = isOverTls(siteUrl);
  const maxAge = Math.max(0, Math.floor(lifeMs / 1_000));
  return cookie(isGuarded ? guardedName : plainName, secret, { path: '/', maxAge, isGuarded });
}

/** Takes the cookie of a visit back. */
export function noVisitCookie(siteUrl: string): string {
  return visitCookie('', { siteUrl, lifeMs: 0 });
}

/** Marks the browser that was shown a door, so that it may press the button twice. */
export function doorCookie(nonce: string, siteUrl: string): string {
  const isGuarded = isOverTls(siteUrl);
  return cookie(doorName, nonce, { path: '/portal', maxAge: doorSeconds, isGuarded });
}

/** The proof that a browser sent; undefined: none. */
export function readVisit(header: string | undefined): VisitProof | undefined {
  const cookies = readCookies(header);
  const guarded = cookies.get(guardedName);
  if (guarded !== undefined) return { secret: guarded, isGuarded: true };
  const plain = cookies.get(plainName);
  return plain === undefined ? undefined : { secret: plain, isGuarded: false };
}

/** The mark of a browser that was shown a door. */
export function readDoorNonce(header: string | undefined): string | undefined {
  const nonce = readCookies(header).get(doorName) ?? '';
  return /^[\w-]{22}$/.test(nonce) ? nonce : undefined;
}

/** Whether the portal is reached over TLS. */
export function isOverTls(siteUrl: string): boolean {
  return siteUrl.startsWith('https:');
}

/** What every form of a visit carries. Another site can have a browser send the cookie perhaps, but never read a page. */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form:${secret}`).digest('base64url');
}

function cookie(
  name: string,
  value: string,
  { path, maxAge, isGuarded }: { path: string; maxAge: number; isGuarded: boolean },
): string {
  const attributes = [`Path=${path}`, `Max-Age=${String(maxAge)}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${value}`, ...attributes, ...(isGuarded ? ['Secure'] : [])].join('; ');
}

function readCookies(header = ''): Map<string, string> {
  const pairs = header.split(';').flatMap((pair): [string, string][] => {
    const separator = pair.indexOf('=');
    if (separator < 0) return [];
    return [[pair.slice(0, separator).trim(), pair.slice(separator + 1).trim()]];
  });
  // Of a name that is sent twice the first one counts: it has the more exact path.
  return new Map(pairs.reverse());
}
