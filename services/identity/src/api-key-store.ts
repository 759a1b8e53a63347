import { createHmac } from 'node:crypto';
import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { toStored } from '@billing/chassis/aggregate-document';
import type { Page } from '@billing/chassis/aggregate-store';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, randomSecret } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import { type ApiKey, type ApiKeyWish, issue, revoke } from './api-key';
import { formatKey, isWellFormed, keyPrefixes, keySecretBytes } from './api-key-format';
import type { EnvironmentKind } from './environment';

/** Which environment a key is made for, and what its secret derives from where the call may be repeated. */
export interface KeyPlace {
  readonly tenant: Tenant;
  readonly kind: EnvironmentKind;
  readonly resourceSeed?: string | undefined;
}

/** Makes keys and finds them by their text, of which it keeps an HMAC alone. Keys live in real time in every environment. */
export class ApiKeyStore {
  constructor(
    private readonly collection: AggregateCollection<ApiKey>,
    private readonly clock: Clock,
    /** The secret without which a stored hash says nothing about its key. */
    private readonly pepper: string,
  ) {}

  /**
   * Makes a key of the tenant's environment. Its text leaves with the answer and is kept nowhere. With a seed (see CallContext) the secret
   * derives from it: a call that crashed before its answer and is repeated makes the same key again, not a second one that nobody knows.
   */
  async issue(
    { tenant, kind, resourceSeed }: KeyPlace,
    wish: ApiKeyWish,
  ): Promise<{ key: string; stored: Stored<ApiKey> }> {
    const key = formatKey(
      kind,
      resourceSeed === undefined ? randomSecret(keySecretBytes) : this.secretOf(resourceSeed),
    );
    const hash = this.hashOf(key);
    const kept = { id: idOf(hash), hash, prefix: keyPrefixes[kind], last4: key.slice(-4) };
    const { stored } = await this.within({ tenant }).insert(issue(wish, kept));
    return { key, stored };
  }

  /**
   * The key with that text, in whichever environment. It is the one question asked without an environment, because its answer says which
   * environment the caller is in; that only the whole secret gives the hash makes it safe. No database is asked about a mistyped key.
   */
  async find(key: string): Promise<Stored<ApiKey> | undefined> {
    if (!isWellFormed(key)) return undefined;
    const { documents, definition } = this.collection;
    const hash = this.hashOf(key);
    const document = await retryTransient(() => documents.findOne({ _id: idOf(hash), hash }));
    return document === null ? undefined : toStored(definition, document);
  }

  /** Newest first, revoked keys too. */
  async list(
    { tenant }: Pick<CallContext, 'tenant'>,
    wanted: { page: number; perPage: number },
  ): Promise<Page<ApiKey>> {
    return this.within({ tenant }).list(wanted);
  }

  /** Whether a use of any key of the environment is noted. */
  async isAnyUsed({ tenant: { environmentId } }: Pick<CallContext, 'tenant'>): Promise<boolean> {
    const { documents } = this.collection;
    const used = { environmentId, lastUsedAt: { $gt: new Date(0) } };
    return (await retryTransient(() => documents.findOne(used))) !== null;
  }

  /** Throws not_found for a key of another environment. */
  async revoke(id: string, { tenant }: Pick<CallContext, 'tenant'>): Promise<Stored<ApiKey>> {
    return this.within({ tenant }).mutate(id, revoke);
  }

  private within({ tenant }: Pick<CallContext, 'tenant'>) {
    return this.collection.within({ tenant, now: this.clock.now() });
  }

  private hashOf(key: string): string {
    return createHmac('sha256', this.pepper).update(key).digest('hex');
  }

  // No key begins like this text, so no secret is ever the hash of a key.
  private secretOf(resourceSeed: string): Buffer {
    return createHmac('sha256', this.pepper).update(`secret of ${resourceSeed}`).digest();
  }
}

// Derived from the hash, an id makes the primary key the index by which keys are found.
function idOf(hash: string): string {
  return derivedId('api key', hash);
}
