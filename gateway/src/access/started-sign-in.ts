import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { dataKeyIdOf, type DataKeys } from '@billing/chassis/data-keys';
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
  /** Issuer and client id: a sign-in started with another provider cannot be finished. */
  readonly provider: string;
  /** Seals under DATA_KEYS; undefined: `key` seals. */
  readonly dataKeys: DataKeys | undefined;
  /** See signInKey. Also opens sign-ins that a gateway without DATA_KEYS has sealed. */
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
  { siteUrl, provider, dataKeys, key }: SignInCookieTerms,
  { now, sealNonce }: { readonly now: Date; readonly sealNonce: Buffer },
): string {
  const expiresAt = now.getTime() + lifeMs;
  const text = JSON.stringify({ ...started, expiresAt, provider });
  const value = dataKeys === undefined ? seal(text, { key, sealNonce }) : dataKeys.seal(text);
  return cookie(value, { siteUrl, lifeMs });
}

/** Deletes the cookie, since a sign-in can be finished only once. */
export function noSignInCookie(siteUrl: string): string {
  return cookie('', { siteUrl, lifeMs: 0 });
}

/** The sign-in that the browser started; undefined if there is none or it has expired. */
export function readStartedSignIn(
  header: string | undefined,
  { siteUrl, provider, dataKeys, key }: SignInCookieTerms,
  now: Date,
): StartedSignIn | undefined {
  const value = readCookies(header).get(cookieNameAt(siteUrl, cookieName)) ?? '';
  const isUnderDataKeys = dataKeyIdOf(value) !== undefined;
  const text = isUnderDataKeys ? openUnder(dataKeys, value) : open(value, key);
  if (text === undefined) return undefined;
  const { expiresAt, provider: sealedFor, ...started } = JSON.parse(text) as SealedSignIn;
  // A gateway of an earlier release sealed no provider: its key derives from it.
  if (sealedFor !== provider && (isUnderDataKeys || sealedFor !== undefined)) return undefined;
  return now.getTime() < expiresAt ? started : undefined;
}

interface SealedSignIn extends StartedSignIn {
  readonly expiresAt: number;
  readonly provider?: string;
}

function openUnder(dataKeys: DataKeys | undefined, value: string): string | undefined {
  try {
    return dataKeys?.open(value);
  } catch {
    return undefined;
  }
}

function seal(text: string, { key, sealNonce }: { key: Buffer; sealNonce: Buffer }): string {
  const cipher = createCipheriv(algorithm, key, sealNonce);
  const sealed = [cipher.update(text), cipher.final()];
  return Buffer.concat([sealNonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
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
