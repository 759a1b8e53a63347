import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { cookieNameAt, isOverTls, maxAgeOf, readCookies, setCookie } from '../http/cookie';

/** State of a sign-in between the redirect to the identity provider and the callback. */
export interface StartedSignIn {
  /**
   * Returned in the callback URL. Prevents other sites from finishing a sign-in that the browser
   * did not start.
   */
  readonly state: string;
  /** Returned in the ID token. Prevents the replay of a token of another sign-in. */
  readonly nonce: string;
  /** PKCE verifier: proves to the provider that the code is redeemed by the client that started. */
  readonly codeVerifier: string;
  /** Requested page of the dashboard. */
  readonly returnTo: string;
}

/** Terms of the cookie that holds a started sign-in, so that any gateway can finish it. */
export interface SignInCookieTerms {
  readonly siteUrl: string;
  /** See signInKey. */
  readonly key: Buffer;
}

const cookieName = 'sign-in';
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const tagBytes = 16;
/**
 * The recommended length for GCM. Random nonces are safe, since a key seals far fewer than 2^32
 * times.
 */
export const sealNonceBytes = 12;
// Leaves time for a second factor at the provider.
const lifeMs = 10 * 60_000;

/** Key of the cookies, which all gateways with the same provider derive independently. */
export function signInKey(clientSecret: string, provider: string): Buffer {
  return Buffer.from(
    hkdfSync('sha256', clientSecret, '', `cookie of a begun sign-in: ${provider}`, keyBytes),
  );
}

/** Sets the cookie. It is `Lax` because the callback comes from the provider's site. */
export function signInCookie(
  started: StartedSignIn,
  { siteUrl, key }: SignInCookieTerms,
  { now, sealNonce }: { readonly now: Date; readonly sealNonce: Buffer },
): string {
  const expiresAt = now.getTime() + lifeMs;
  const cipher = createCipheriv(algorithm, key, sealNonce);
  const sealed = [cipher.update(JSON.stringify({ ...started, expiresAt })), cipher.final()];
  const value = Buffer.concat([sealNonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
  return cookie(value, { siteUrl, lifeMs });
}

/** Deletes the cookie, since a sign-in can be finished only once. */
export function noSignInCookie(siteUrl: string): string {
  return cookie('', { siteUrl, lifeMs: 0 });
}

/** The sign-in that the browser started; undefined if there is none or it has expired. */
export function readStartedSignIn(
  header: string | undefined,
  { siteUrl, key }: SignInCookieTerms,
  now: Date,
): StartedSignIn | undefined {
  const text = open(readCookies(header).get(cookieNameAt(siteUrl, cookieName)) ?? '', key);
  if (text === undefined) return undefined;
  const { expiresAt, ...started } = JSON.parse(text) as StartedSignIn & { expiresAt: number };
  return now.getTime() < expiresAt ? started : undefined;
}

/** Decrypts a sealed text; undefined if it was not sealed with the key. */
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
