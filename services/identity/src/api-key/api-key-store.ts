import { createHmac } from 'node:crypto';
import {
  type AggregateDefinition,
  type Page,
  type Stored,
  toStored,
} from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, randomSecret } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { fingerprintOf } from '@billing/chassis/secret-fingerprints';
import {
  type ApiKey,
  type ApiKeyInput,
  issue,
  type KeyCreator,
  type KeyHash,
  revoke,
} from './api-key';
import { formatKey, isWellFormed, keyPrefixes, keySecretBytes } from './format';
import type { EnvironmentKind } from '../environment/environment';
import { encodeApiKeyEvent } from './events';

/** Keys, each in the environment that it opens. */
export const apiKeys: AggregateDefinition<ApiKey> = {
  collection: 'apiKeys',
  aggregate: 'api_key',
  resource: 'API key',
  toDocument: ({
    hash,
    pepper,
    name,
    prefix,
    last4,
    scopes,
    expiresAt,
    revokedAt,
    lastUsedAt,
    createdBy,
  }) => ({
    hash,
    pepper: pepper ?? null,
    name,
    prefix,
    last4,
    scopes,
    expiresAt: expiresAt ?? null,
    revokedAt: revokedAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
    createdBy,
  }),
  fromDocument: ({ _id, ...fields }) => ({
    id: _id,
    hash: fields.hash as string,
    // Absent in documents of earlier releases.
    pepper: (fields.pepper as string | null | undefined) ?? undefined,
    name: fields.name as string,
    prefix: fields.prefix as string,
    last4: fields.last4 as string,
    scopes: fields.scopes as string[],
    expiresAt: (fields.expiresAt as Date | null) ?? undefined,
    revokedAt: (fields.revokedAt as Date | null) ?? undefined,
    // Absent in documents of releases that did not record uses.
    lastUsedAt: (fields.lastUsedAt as Date | null | undefined) ?? undefined,
    // Absent in documents of releases that did not store creators.
    createdBy: (fields.createdBy as KeyCreator | undefined) ?? { type: 'SYSTEM' },
  }),
  encodeEvent: encodeApiKeyEvent,
};

/** The environment of a new key, and the seed of its secret if the call may be retried. */
export interface KeyPlace {
  readonly tenant: Tenant;
  readonly kind: EnvironmentKind;
  readonly createdBy: KeyCreator;
  /** Environment of the call that creates the key. */
  readonly creatorEnvironmentId: string;
  readonly resourceSeed?: string | undefined;
  /** See CallContext. */
  readonly storing?: CallContext['storing'];
}

/**
 * Creates keys and finds them by their text; only an HMAC of the text is stored. Keys live in real
 * time in every environment.
 */
export class ApiKeyStore {
  constructor(
    private readonly collection: AggregateCollection<ApiKey>,
    private readonly clock: Clock,
    /** The secrets of the HMAC, the newest first; all but the newest only find keys. */
    private readonly peppers: readonly string[],
  ) {}

  async ensureIndexes(): Promise<void> {
    // For keys whose id derives from a hash under an older pepper: see findRotated.
    await ensureIndexes(this.collection.documents, [{ name: 'hash', key: { hash: 1 } }]);
  }

  /**
   * Creates a key of the tenant's environment. Its text is in the answer alone and never stored.
   * With a seed (see CallContext) the secret derives from it: a retry of a call that crashed before
   * its answer creates the same key again, not a second one with an unknown text.
   */
  async issue(
    { tenant, kind, createdBy, creatorEnvironmentId, resourceSeed, storing }: KeyPlace,
    input: ApiKeyInput,
  ): Promise<{ key: string; stored: Stored<ApiKey> }> {
    const key = formatKey(
      kind,
      resourceSeed === undefined ? randomSecret(keySecretBytes) : this.secretOf(resourceSeed),
    );
    const hash = this.hashOf(key);
    const shown = { prefix: keyPrefixes[kind], last4: key.slice(-4) };
    const { pepper } = this;
    const kept = { id: idOf(hash), hash, pepper, ...shown, createdBy };
    const transition = issue(input, kept, { creatorEnvironmentId });
    const { stored } = await this.within({ tenant, storing }).insert(transition);
    return { key, stored };
  }

  /**
   * Finds the key with that text, in any environment. This is the only query without an
   * environment, because its answer determines the caller's environment; it is safe because only
   * the whole secret yields the hash. A mistyped key causes no query.
   */
  async find(key: string): Promise<Stored<ApiKey> | undefined> {
    if (!isWellFormed(key)) return undefined;
    const { documents, definition } = this.collection;
    const hash = this.hashOf(key);
    const document =
      (await retryTransient(() => documents.findOne({ _id: idOf(hash), hash }))) ??
      (await this.findRotated(key));
    return document === null ? undefined : toStored(definition, document);
  }

  /** Hash of the key with that text under the newest pepper, if its stored one is another. */
  replacedHash(key: string, { state }: Stored<ApiKey>): KeyHash | undefined {
    const hash = this.hashOf(key);
    return this.isCurrent(state, hash) ? undefined : { hash, pepper: this.pepper };
  }

  // The id of a key created under an older pepper derives from that pepper.
  private findRotated(key: string) {
    const hashes = this.peppers.map((pepper) => hashOf(key, pepper));
    return retryTransient(() => this.collection.documents.findOne({ hash: { $in: hashes } }));
  }

  // Only while a pepper is replaced, it is of interest which keys still need the older one.
  private isCurrent(apiKey: ApiKey, hash: string): boolean {
    const isNamed = this.peppers.length === 1 || apiKey.pepper === this.pepper;
    return apiKey.hash === hash && isNamed;
  }

  /** Newest first, including revoked keys; with an id, only that key. */
  async list(
    { tenant }: Pick<CallContext, 'tenant'>,
    {
      id,
      ...wanted
    }: { page: number; perPage: number; oldestFirst?: boolean; id?: string | undefined },
  ): Promise<Page<ApiKey>> {
    const apiKeys = this.within({ tenant });
    if (id === undefined) return apiKeys.list(wanted);
    const found = await apiKeys.find(id);
    return found === undefined ? { data: [], total: 0 } : { data: [found], total: 1 };
  }

  /** True when a use of any key of the environment is recorded. */
  async isAnyUsed({ tenant: { environmentId } }: Pick<CallContext, 'tenant'>): Promise<boolean> {
    const { documents } = this.collection;
    const used = { environmentId, lastUsedAt: { $gt: new Date(0) } };
    return (await retryTransient(() => documents.findOne(used))) !== null;
  }

  /** Times of the last use of any key, by environment; environments without a use are left out. */
  async lastUses(environmentIds: readonly string[]): Promise<Map<string, Date>> {
    const used = { environmentId: { $in: [...environmentIds] }, lastUsedAt: { $gt: new Date(0) } };
    const found = await retryTransient(() =>
      this.collection.documents
        .aggregate<{
          _id: string;
          lastUsedAt: Date;
        }>([
          { $match: used },
          { $group: { _id: '$environmentId', lastUsedAt: { $max: '$lastUsedAt' } } },
        ])
        .toArray(),
    );
    return new Map(found.map(({ _id, lastUsedAt }) => [_id, lastUsedAt]));
  }

  /** Throws not_found for a key of another environment. */
  async revoke(
    id: string,
    { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>,
  ): Promise<Stored<ApiKey>> {
    return this.within({ tenant, storing }).mutate(id, revoke);
  }

  /** Finds the key with that id; undefined for a key of another environment. */
  async findById(
    id: string,
    { tenant }: Pick<CallContext, 'tenant'>,
  ): Promise<Stored<ApiKey> | undefined> {
    return this.within({ tenant }).find(id);
  }

  private within({ tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>) {
    return this.collection.within({ tenant, now: this.clock.now(), storing });
  }

  private hashOf(key: string): string {
    return hashOf(key, this.newestPepper);
  }

  private get newestPepper(): string {
    return this.peppers[0] ?? '';
  }

  private get pepper(): string {
    return fingerprintOf(this.newestPepper);
  }

  // No key begins with this text, so no secret is ever the hash of a key.
  private secretOf(resourceSeed: string): Buffer {
    return createHmac('sha256', this.newestPepper).update(`secret of ${resourceSeed}`).digest();
  }
}

function hashOf(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

// An id derived from the hash makes the primary key the index by which keys are found.
function idOf(hash: string): string {
  return derivedId('api key', hash);
}
