import { DomainError } from '@billing/kernel/domain-error';
import { apiKeyProblems } from '@billing/kernel/input/api-key';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';

/** What made a key: another key, an operator, or the system. */
export type KeyCreator =
  { readonly type: 'KEY' | 'OPERATOR'; readonly id: string } | { readonly type: 'SYSTEM' };

/** What is kept of a key. Its text is shown once, to whoever asked for it. */
export interface ApiKey {
  readonly id: string;
  /** HMAC-SHA256 of the whole key in hexadecimal. */
  readonly hash: string;
  readonly name: string;
  readonly prefix: string;
  readonly last4: string;
  /** Empty means all. */
  readonly scopes: readonly string[];
  /** Real time from which the key is refused. */
  readonly expiresAt: Date | undefined;
  /** Real time of revocation. */
  readonly revokedAt: Date | undefined;
  /** Real time of a use, at most a minute before the last one. */
  readonly lastUsedAt: Date | undefined;
  readonly createdBy: KeyCreator;
}

/** What its maker chooses about a key. */
export interface ApiKeyWish {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** Whose key it was; gateways forget it when they hear of it. */
export interface ApiKeyRevoked {
  readonly type: 'api_key.revoked';
  readonly data: { readonly apiKeyId: string };
}

// Every use falls to a busy key's one document: it takes one write a minute, not thousands.
const useNotedEveryMs = 60_000;

/** What limits a wish; `now` is real time. */
export interface WishLimits {
  /** Every scope that there is. */
  readonly knownScopes: ReadonlySet<string>;
  /** 'ALL' for a caller with full access; an empty list for one without any. */
  readonly callerScopes: readonly string[] | 'ALL';
  /** Of the key that creates the new one; undefined: never, or no key creates it. */
  readonly creatorExpiresAt?: Date | undefined;
  readonly now: Date;
}

/** A wish as it can be granted. No caller can give a scope that it does not have, and no key outlives the key that creates it. */
export function checkWish(
  wish: ApiKeyWish,
  { knownScopes, callerScopes, creatorExpiresAt, now }: WishLimits,
): ApiKeyWish {
  const name = wish.name.trim();
  const { scopes, expiresAt = creatorExpiresAt } = wish;
  const problems = apiKeyProblems({ name, scopes, expiresAt }, { knownScopes, now });
  refuseProblems(problems);
  if (expiresAt !== undefined && creatorExpiresAt !== undefined && expiresAt > creatorExpiresAt) {
    refuseProblems({ expiresAt: ['Must not be after the key that creates it'] });
  }
  if (!isWithin(scopes, callerScopes)) throw insufficientPermissions();
  return { name, scopes: [...new Set(scopes)], expiresAt };
}

/** A new key. */
export function issue(
  wish: ApiKeyWish,
  made: Pick<ApiKey, 'id' | 'hash' | 'prefix' | 'last4' | 'createdBy'>,
): Transition<ApiKey> {
  return {
    state: { ...wish, ...made, revokedAt: undefined, lastUsedAt: undefined },
    events: [],
    commands: [],
  };
}

/** The same key with its hash under another pepper. */
export function withHash(apiKey: ApiKey, hash: string): Transition<ApiKey> {
  if (apiKey.hash === hash) return unchanged(apiKey);
  return { state: { ...apiKey, hash }, events: [], commands: [] };
}

/** Whether a use at real time `now` is worth a write. */
export function isUseNews({ lastUsedAt }: ApiKey, now: Date): boolean {
  return lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= useNotedEveryMs;
}

/** Remembers that the key was used at real time `now`, unless a use of the last minute is known. */
export function noteUse(apiKey: ApiKey, now: Date): Transition<ApiKey> {
  if (!isUseNews(apiKey, now)) return unchanged(apiKey);
  return { state: { ...apiKey, lastUsedAt: now }, events: [], commands: [] };
}

/** Refuses the key from now on; a repeat changes nothing. `now` is real time. */
export function revoke(apiKey: ApiKey, now: Date): Transition<ApiKey, ApiKeyRevoked> {
  if (apiKey.revokedAt !== undefined) return unchanged(apiKey);
  return {
    state: { ...apiKey, revokedAt: now },
    events: [{ type: 'api_key.revoked', data: { apiKeyId: apiKey.id } }],
    commands: [],
  };
}

/** Whether the key opens its environment at real time `now`. */
export function isGood({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt);
}

/** One answer for every bad key, so that it tells nothing about keys that exist. */
export function invalidApiKey(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_API_KEY', 'Invalid or expired API key');
}

export function insufficientPermissions(): DomainError {
  return new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
}

// A key without scopes has all of them; a caller without scopes has none.
function isWithin(scopes: readonly string[], callerScopes: WishLimits['callerScopes']): boolean {
  if (callerScopes === 'ALL') return true;
  return scopes.length > 0 && scopes.every((scope) => callerScopes.includes(scope));
}
