import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems, textProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';

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

const nameLengthMax = 120;
// The last instant that ISO 8601 writes with four digits of the year; many say "never" by it.
const expiresAtMax = new Date('9999-12-31T23:59:59.999Z');
// Every use falls to a busy key's one document: it takes one write a minute, not thousands.
const useNotedEveryMs = 60_000;
// Far more than there are path segments.
const scopesMax = 50;
const scopePattern = /^[a-z-]+:(?:read|write)$/;

/** A wish as it can be granted; `now` is real time. Nobody can give a scope that they do not have. */
export function checkWish(
  wish: ApiKeyWish,
  { callerScopes, now }: { callerScopes: readonly string[]; now: Date },
): ApiKeyWish {
  const name = wish.name.trim();
  const { scopes, expiresAt } = wish;
  refuseProblems({
    name: textProblems(name, { min: 1, max: nameLengthMax }),
    scopes: scopesProblems(scopes),
    expiresAt: expiresAt === undefined ? [] : expiryProblems(expiresAt, now),
  });
  if (!isWithin(scopes, callerScopes)) throw insufficientPermissions();
  return { name, scopes: [...new Set(scopes)], expiresAt };
}

/** A new key. */
export function issue(
  wish: ApiKeyWish,
  made: Pick<ApiKey, 'id' | 'hash' | 'prefix' | 'last4'>,
): Transition<ApiKey> {
  return {
    state: { ...wish, ...made, revokedAt: undefined, lastUsedAt: undefined },
    events: [],
    commands: [],
  };
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

function expiryProblems(expiresAt: Date, now: Date): string[] {
  if (Number.isNaN(expiresAt.getTime()) || expiresAt > expiresAtMax) return ['Invalid datetime'];
  return expiresAt <= now ? ['Must lie in the future'] : [];
}

function scopesProblems(scopes: readonly string[]): string[] {
  if (scopes.length > scopesMax) return [`Must have at most ${String(scopesMax)} elements`];
  return scopes.flatMap((scope, index) =>
    scopePattern.test(scope) ? [] : [`${String(index)}: Invalid scope`],
  );
}

// For both sides an empty list means all scopes.
function isWithin(scopes: readonly string[], callerScopes: readonly string[]): boolean {
  if (callerScopes.length === 0) return true;
  return scopes.length > 0 && scopes.every((scope) => callerScopes.includes(scope));
}
