import { createHash, createHmac } from 'node:crypto';
import { DomainError } from '@billing/kernel/domain-error';

// Lifetime of the token and of the visit that it starts.
const lifeMs = 60 * 60 * 1_000;
// Covers a retry after a lost response, and a double click.
const replayMs = 60 * 1_000;
const nonceLengthMax = 64;

/** A sign-in link of a customer to the portal. Immutable: its use is recorded by the visit. */
export interface PortalSession {
  readonly customerId: string;
  /** Null: the portal shows no link back. */
  readonly returnUrl: string | null;
  /** Real time in every environment; applies to the token and to the visit. */
  readonly expiresAt: Date;
}

/** A visit, started by the use of a token. */
export interface PortalVisit extends PortalSession {
  readonly begunAt: Date;
  /** Null: the visit ends when it expires. */
  readonly endedAt: Date | null;
}

/** Status of a sign-in link. */
export type SignInLinkStatus = 'OPEN' | 'USED' | 'EXPIRED';

/** Address of the portal and the secrets that its tokens are derived from. */
export interface PortalSite {
  /** Public base URL of the gateway, without a trailing slash. */
  readonly url: string;
  /** Every token can be derived from this secret. */
  readonly secret: string;
  /** Previous secrets; tokens derived from them stay valid. */
  readonly oldSecrets: readonly string[];
}

/** Expiry of a session created now. */
export function sessionEnd(now: Date): Date {
  return new Date(now.getTime() + lifeMs);
}

/**
 * Sign-in token: 43 unguessable characters, derived from the session id, so that a retried creation
 * gets the same one.
 */
export function signInToken(sessionId: string, { secret }: Pick<PortalSite, 'secret'>): string {
  return hmac(secret, `portal-session:${sessionId}`);
}

/** URL of the sign-in link. */
export function signInUrl(sessionId: string, site: Pick<PortalSite, 'url' | 'secret'>): string {
  return `${site.url}/portal/${signInToken(sessionId, site)}`;
}

/**
 * Secret that a browser presents for its visit. Different for each token and nonce, and never
 * chosen by the browser.
 */
export function visitSecret(
  { token, nonce }: { readonly token: string; readonly nonce: string },
  { secret }: Pick<PortalSite, 'secret'>,
): string {
  return hmac(secret, `portal-visit:${token}:${nonce}`);
}

/** Lookup key of a token or secret. A copy of the database gives no access. */
export function proofHash(proof: string): string {
  return createHash('sha256').update(proof).digest('hex');
}

/** True if a text has the form of a token or secret. */
export function isWellFormedProof(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** True if a browser's nonce is valid. */
export function isNonce(nonce: string): boolean {
  return nonce.length > 0 && nonce.length <= nonceLengthMax;
}

/** Status of the sign-in link of a session. */
export function linkStatusOf(
  { expiresAt }: Pick<PortalSession, 'expiresAt'>,
  { isUsed, now }: { readonly isUsed: boolean; readonly now: Date },
): SignInLinkStatus {
  if (now >= expiresAt) return 'EXPIRED';
  return isUsed ? 'USED' : 'OPEN';
}

/** Throws if a visit is over. */
export function checkVisit({ expiresAt, endedAt }: PortalVisit, now: Date): void {
  if (endedAt !== null || now >= expiresAt) throw sessionExpired();
}

/** True if a retried sign-in by the same browser returns the visit. */
export function isReplayable({ begunAt, endedAt }: PortalVisit, now: Date): boolean {
  return endedAt === null && now.getTime() < begunAt.getTime() + replayMs;
}

export function sessionExpired(): DomainError {
  const message = 'The portal session has expired';
  return new DomainError('failed_precondition', 'PORTAL_SESSION_EXPIRED', message);
}

export function sessionUsed(): DomainError {
  const message = 'The sign-in link was already used';
  return new DomainError('failed_precondition', 'PORTAL_SESSION_USED', message);
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
