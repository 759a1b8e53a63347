import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { cookieNameAt, isOverTls, maxAgeOf, readCookies, setCookie } from '../cookie';

/** What a browser that was sent to the identity provider is known by when it comes back. */
export interface BegunSignIn {
  /** Comes back in the address: another site cannot have a browser finish what it did not begin. */
  readonly state: string;
  /** Comes back in the provider's word: one that was given for another sign-in does not count. */
  readonly nonce: string;
  /** Proves to the provider that whoever has its code also began (PKCE). */
  readonly codeVerifier: string;
  /** Where on the dashboard they wanted to go. */
  readonly returnTo: string;
}

/** How a begun sign-in is kept by the browser itself, so that any gateway can finish it. */
export interface SignInCookieTerms {
  readonly siteUrl: string;
  /** See signInKey. */
  readonly key: Buffer;
}

const cookieName = 'sign-in';
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const tagBytes = 16;
/** As recommended for GCM; random, for a key seals far less than 2^32 times. */
export const sealNonceBytes = 12;
// Time for a second factor at the provider, and to look for the phone.
const lifeMs = 10 * 60_000;

/** The key of the cookies, which all gateways with the same provider have without being told. */
export function signInKey(clientSecret: string, provider: string): Buffer {
  return Buffer.from(
    hkdfSync('sha256', clientSecret, '', `cookie of a begun sign-in: ${provider}`, keyBytes),
  );
}

/** Sets the cookie. It is `Lax`: who comes back from the provider comes from another site. */
export function signInCookie(
  begun: BegunSignIn,
  { siteUrl, key }: SignInCookieTerms,
  { now, sealNonce }: { readonly now: Date; readonly sealNonce: Buffer },
): string {
  const expiresAt = now.getTime() + lifeMs;
  const cipher = createCipheriv(algorithm, key, sealNonce);
  const sealed = [cipher.update(JSON.stringify({ ...begun, expiresAt })), cipher.final()];
  const value = Buffer.concat([sealNonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
  return cookie(value, { siteUrl, lifeMs });
}

/** Takes the cookie back: a sign-in is finished once. */
export function noSignInCookie(siteUrl: string): string {
  return cookie('', { siteUrl, lifeMs: 0 });
}

/** What the browser began; undefined where it began nothing, or too long ago. */
export function readBegunSignIn(
  header: string | undefined,
  { siteUrl, key }: SignInCookieTerms,
  now: Date,
): BegunSignIn | undefined {
  const text = open(readCookies(header).get(cookieNameAt(siteUrl, cookieName)) ?? '', key);
  if (text === undefined) return undefined;
  const { expiresAt, ...begun } = JSON.parse(text) as BegunSignIn & { expiresAt: number };
  return now.getTime() < expiresAt ? begun : undefined;
}

/** Undefined for whatever was not sealed with the key, to the last bit. */
function open(value: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(value, 'base64url');
  if (bytes.length <= sealNonceBytes + tagBytes) return undefined;
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sealNonceBytes), options);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const sealed = decipher.update(bytes.subarray(sealNonceBytes, -tagBytes));
    return Buffer.concat([sealed, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

function cookie(value: string, { siteUrl, lifeMs }: { siteUrl: string; lifeMs: number }): string {
  const isGuarded = isOverTls(siteUrl);
  const maxAge = maxAgeOf(lifeMs);
  return setCookie(cookieNameAt(siteUrl, cookieName), value, {
    path: '/',
    maxAge,
    isGuarded,
    sameSite: 'Lax',
  });
}
