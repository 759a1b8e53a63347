import { DomainError } from '@billing/kernel/domain-error';
import { apiKeyProblems } from '@billing/kernel/input/api-key';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type Transition, unchanged } from '@billing/kernel/transition';
import { insufficientPermissions } from '../operator/operator';

/** The creator of a key: another key, an operator, or the system. */
export type KeyCreator =
  { readonly type: 'KEY' | 'OPERATOR'; readonly id: string } | { readonly type: 'SYSTEM' };

/** The stored facts about a key. Its text is shown once, in the answer to its creation. */
export interface ApiKey {
  readonly id: string;
  /** HMAC-SHA256 of the whole key in hexadecimal. */
  readonly hash: string;
  /** Fingerprint of the HMAC's secret; undefined in keys that earlier releases have written. */
  readonly pepper: string | undefined;
  readonly name: string;
  readonly prefix: string;
  readonly last4: string;
  /** Empty means all. */
  readonly scopes: readonly string[];
  /** Real time from which the key is refused. */
  readonly expiresAt: Date | undefined;
  /** Real time of revocation. */
  readonly revokedAt: Date | undefined;
  /** Real time of a recorded use, at most a minute before the last one. */
  readonly lastUsedAt: Date | undefined;
  readonly createdBy: KeyCreator;
}

/** The caller's choices for a new key. */
export interface ApiKeyInput {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** Names the environment of a revoked key; gateways evict the key when they receive it. */
export interface ApiKeyRevoked {
  readonly type: 'api_key.revoked';
  readonly data: { readonly apiKeyId: string };
}

// Every use concerns a busy key's one document: it takes one write a minute, not thousands.
const useRecordedEveryMs = 60_000;

/** Limits of the input; `now` is real time. */
export interface KeyInputLimits {
  /** All existing scopes. */
  readonly knownScopes: ReadonlySet<string>;
  /** 'ALL' for a caller with full access; an empty list for one without any. */
  readonly callerScopes: readonly string[] | 'ALL';
  /** Expiry of the key that creates the new one; undefined: never, or no key creates it. */
  readonly creatorExpiresAt?: Date | undefined;
  readonly now: Date;
}

/**
 * Validates the input. No caller can grant a scope that it does not have, and no key outlives the
 * key that creates it.
 */
export function validateKeyInput(
  input: ApiKeyInput,
  { knownScopes, callerScopes, creatorExpiresAt, now }: KeyInputLimits,
): ApiKeyInput {
  const name = input.name.trim();
  const { scopes, expiresAt = creatorExpiresAt } = input;
  const problems = apiKeyProblems({ name, scopes, expiresAt }, { knownScopes, now });
  refuseProblems(problems);
  if (expiresAt !== undefined && creatorExpiresAt !== undefined && expiresAt > creatorExpiresAt) {
    refuseProblems({ expiresAt: ['Must not be after the key that creates it'] });
  }
  if (!isWithin(scopes, callerScopes)) throw insufficientPermissions();
  return { name, scopes: [...new Set(scopes)], expiresAt };
}

/** Payload of the command that checks the creator of a new key. */
export interface CreatorCheck {
  /** Environment of the creating key. */
  readonly creatorEnvironmentId: string;
}

/** Creates a key; its command checks the creator once more. */
export function issue(
  input: ApiKeyInput,
  made: Pick<ApiKey, 'id' | 'hash' | 'pepper' | 'prefix' | 'last4' | 'createdBy'>,
  { creatorEnvironmentId }: CreatorCheck,
): Transition<ApiKey> {
  const isChecked = made.createdBy.type !== 'SYSTEM';
  return {
    state: { ...input, ...made, revokedAt: undefined, lastUsedAt: undefined },
    events: [],
    commands: isChecked ? [{ type: 'checkCreator', payload: { creatorEnvironmentId } }] : [],
  };
}

/** Hash of a key, and the fingerprint of its pepper. */
export interface KeyHash {
  readonly hash: string;
  readonly pepper: string;
}

/** Replaces the hash by one under another pepper. */
export function withHash(apiKey: ApiKey, { hash, pepper }: KeyHash): Transition<ApiKey> {
  if (apiKey.hash === hash && apiKey.pepper === pepper) return unchanged(apiKey);
  return { state: { ...apiKey, hash, pepper }, events: [], commands: [] };
}

/** True when a use at real time `now` is worth a write. */
export function isUseWorthRecording({ lastUsedAt }: ApiKey, now: Date): boolean {
  return lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= useRecordedEveryMs;
}

/** Records a use at real time `now`, unless one of the last minute is recorded. */
export function recordUse(apiKey: ApiKey, now: Date): Transition<ApiKey> {
  if (!isUseWorthRecording(apiKey, now)) return unchanged(apiKey);
  return { state: { ...apiKey, lastUsedAt: now }, events: [], commands: [] };
}

/** Revokes the key; a retry changes nothing. `now` is real time. */
export function revoke(apiKey: ApiKey, now: Date): Transition<ApiKey, ApiKeyRevoked> {
  if (apiKey.revokedAt !== undefined) return unchanged(apiKey);
  return {
    state: { ...apiKey, revokedAt: now },
    events: [{ type: 'api_key.revoked', data: { apiKeyId: apiKey.id } }],
    commands: [],
  };
}

/** True while the key opens its environment at real time `now`. */
export function isValid({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === undefined && (expiresAt === undefined || now < expiresAt);
}

/** The same answer for every invalid key, so that it reveals nothing about existing keys. */
export function invalidApiKey(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_API_KEY', 'Invalid or expired API key');
}

// A key without scopes has all of them; a caller without scopes has none.
function isWithin(
  scopes: readonly string[],
  callerScopes: KeyInputLimits['callerScopes'],
): boolean {
  if (callerScopes === 'ALL') return true;
  return scopes.length > 0 && scopes.every((scope) => callerScopes.includes(scope));
}
