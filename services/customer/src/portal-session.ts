import { createHash, createHmac } from 'node:crypto';
import { DomainError } from '@billing/kernel/domain-error';

// Both the token's life and that of the visit which it begins.
const lifeMs = 60 * 60 * 1_000;
// A lost answer is asked for again, and a button is pressed twice, within moments.
const repeatMs = 60 * 1_000;
const nonceLengthMax = 64;

/** A customer's way into the portal. It never changes: that it was used is told by the visit that began there. */
export interface PortalSession {
  readonly customerId: string;
  /** Null: the portal leads back nowhere. */
  readonly returnUrl: string | null;
  /** Real time in every environment, of the token and of the visit. */
  readonly expiresAt: Date;
}

/** What began when a token was used. */
export interface PortalVisit extends PortalSession {
  readonly begunAt: Date;
  /** Null: its time alone ends it. */
  readonly endedAt: Date | null;
}

/** Whether a token still opens the door. */
export type PortalDoor = 'OPEN' | 'USED' | 'EXPIRED';

/** Where the portal is, and what its tokens are made with. */
export interface PortalSite {
  /** Of the gateway as customers reach it, without a slash at the end. */
  readonly url: string;
  /** Whoever knows it can make every token. */
  readonly secret: string;
  /** Those before: what was made with them stays valid. */
  readonly oldSecrets: readonly string[];
}

/** When a session ends that begins now. */
export function sessionEnd(now: Date): Date {
  return new Date(now.getTime() + lifeMs);
}

/** The token that opens the door: 43 characters that nobody can guess, and that a repeated creation finds again. */
export function doorToken(sessionId: string, { secret }: Pick<PortalSite, 'secret'>): string {
  return hmac(secret, `portal-session:${sessionId}`);
}

/** The address of the door. */
export function doorUrl(sessionId: string, site: Pick<PortalSite, 'url' | 'secret'>): string {
  return `${site.url}/portal/${doorToken(sessionId, site)}`;
}

/** What a browser proves its visit by: another one for each token and each nonce, and never one that the browser chose. */
export function visitSecret(
  { token, nonce }: { readonly token: string; readonly nonce: string },
  { secret }: Pick<PortalSite, 'secret'>,
): string {
  return hmac(secret, `portal-visit:${token}:${nonce}`);
}

/** What a token or a secret is found by: a copy of the database opens nothing. */
export function proofHash(proof: string): string {
  return createHash('sha256').update(proof).digest('hex');
}

/** Whether a text could be a token or a secret at all. */
export function isWellFormedProof(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether a browser's nonce is one. */
export function isNonce(nonce: string): boolean {
  return nonce.length > 0 && nonce.length <= nonceLengthMax;
}

/** How the door of a session stands. */
export function doorOf(
  { expiresAt }: Pick<PortalSession, 'expiresAt'>,
  { isUsed, now }: { readonly isUsed: boolean; readonly now: Date },
): PortalDoor {
  if (now >= expiresAt) return 'EXPIRED';
  return isUsed ? 'USED' : 'OPEN';
}

/** Refuses a visit whose time is over. */
export function checkVisit({ expiresAt, endedAt }: PortalVisit, now: Date): void {
  if (endedAt !== null || now >= expiresAt) throw sessionExpired();
}

/** Whether a visit that was begun is given again to whoever began it. */
export function isRepeatable({ begunAt, endedAt }: PortalVisit, now: Date): boolean {
  return endedAt === null && now.getTime() < begunAt.getTime() + repeatMs;
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
