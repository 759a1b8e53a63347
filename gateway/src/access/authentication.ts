import { hash as digestOf } from 'node:crypto';
import { callScopes, type CallContext, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import type { ShownKey } from '@billing/proto/billing/identity/v1/request_log';
import { tenantOf } from './environment';
import type { Peers } from '../peer/peers';

/** An authenticated caller. */
export interface Caller {
  readonly tenant: Tenant;
  /** Id of the API key. */
  readonly apiKeyId: string;
  /** Displayable part of the key. */
  readonly shownKey: ShownKey;
  /** Scopes of the key; empty means all. */
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

interface Cached {
  /** Undefined for a key that the identity service refused. */
  readonly caller: Caller | undefined;
  readonly freshUntil: number;
}

// A revocation takes effect at every gateway within 5 s, including the time of the lookup.
const freshMs = 4_000;
// Each entry takes about 300 bytes.
const entriesMax = 10_000;

/**
 * Resolves API keys. Caches results of the identity service for a few seconds, by the hash of the
 * key, and never uses a stale result.
 */
export class Authentication {
  private readonly cache = new Map<string, Cached>();
  /**
   * Number of calls of forgetEnvironment. A lookup that started before such a call is not cached.
   */
  private forgotten = 0;

  constructor(
    private readonly identity: Pick<Peers['identity'], 'authenticate'>,
    private readonly clock: Clock,
  ) {}

  /** Throws unauthenticated unless the header is `Authorization: Bearer` with a valid key. */
  async authenticate(
    authorization: string | undefined,
    call: Omit<CallContext, 'tenant'>,
  ): Promise<Caller> {
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) throw invalidApiKey();
    const now = this.clock.now();
    const caller = await this.resolve(key, now, call);
    const isExpired = caller?.expiresAt !== undefined && caller.expiresAt <= now;
    if (caller === undefined || isExpired) throw invalidApiKey();
    return caller;
  }

  /** Evicts all keys of a deleted environment, so that their next use asks the identity service. */
  forgetEnvironment(environmentId: string): void {
    this.forgotten += 1;
    for (const [hash, { caller }] of this.cache) {
      if (caller?.tenant.environmentId === environmentId) this.cache.delete(hash);
    }
  }

  private async resolve(
    key: string,
    now: Date,
    call: Omit<CallContext, 'tenant'>,
  ): Promise<Caller | undefined> {
    const hash = digestOf('sha256', key, 'base64');
    const cached = this.cache.get(hash);
    if (cached !== undefined && now.getTime() < cached.freshUntil) return cached.caller;
    const { forgotten } = this;
    const caller = await this.lookUp(key, call);
    if (forgotten !== this.forgotten) return caller;
    this.cache.delete(hash);
    this.cache.set(hash, { caller, freshUntil: now.getTime() + freshMs });
    if (this.cache.size > entriesMax) this.forgetOldest();
    return caller;
  }

  private async lookUp(
    key: string,
    call: Omit<CallContext, 'tenant'>,
  ): Promise<Caller | undefined> {
    try {
      const { environment, apiKeyId, scopes, expiresAt } = await this.identity.authenticate(
        { key },
        call as CallContext,
      );
      if (environment === undefined)
        throw new Error('The identity service returned no environment');
      const shownKey = shownKeyOf(key);
      const tenant = tenantOf(environment);
      return { tenant, apiKeyId, shownKey, scopes: callScopes(scopes), expiresAt };
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') return undefined;
      throw error;
    }
  }

  private forgetOldest(): void {
    const [oldest] = this.cache.keys();
    if (oldest !== undefined) this.cache.delete(oldest);
  }
}

/** Displayable part of a valid key: the prefix of its kind and its last four characters. */
function shownKeyOf(key: string): ShownKey {
  return { prefix: /^billing_[a-z]+_/.exec(key)?.[0] ?? '', last4: key.slice(-4) };
}

/** The same error for every invalid key. */
export function invalidApiKey(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_API_KEY', 'Invalid or expired API key');
}
