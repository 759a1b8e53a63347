import { type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { type ApiKey, invalidApiKey, isValid, type KeyCreator, revoke } from './api-key';
import type { ApiKeyStore } from './api-key-store';
import { invalidSession } from '../operator/session';
import type { Operator } from '../operator/operator';
import { findAnywhere } from '../operator/operator-store';

export interface KeyLineageDependencies {
  readonly keys: AggregateCollection<ApiKey>;
  readonly apiKeys: ApiKeyStore;
  readonly operators: AggregateCollection<Operator>;
  readonly clock: Clock;
}

// Concurrent revocations of one call.
const concurrentRevocations = 20;

/** Tracks which key or operator created which keys, in all environments of an organization. */
export class KeyLineage {
  constructor(private readonly dependencies: KeyLineageDependencies) {}

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.dependencies.keys.documents, [
      { name: 'createdBy', key: { organizationId: 1, 'createdBy.id': 1 } },
    ]);
  }

  /**
   * Returns the creator's expiry, which bounds its new keys. Throws unauthenticated for an invalid
   * creator. Called before and after a key is created: a revocation in between either sees the new
   * key or is seen here.
   */
  async checkCreator(creator: KeyCreator, tenant: Tenant): Promise<Date | undefined> {
    const { apiKeys, operators, clock } = this.dependencies;
    switch (creator.type) {
      case 'SYSTEM':
        return undefined;
      case 'KEY': {
        const found = await apiKeys.findById(creator.id, { tenant });
        if (found === undefined || !isValid(found.state, clock.now())) throw invalidApiKey();
        return found.state.expiresAt;
      }
      case 'OPERATOR': {
        const found = await findAnywhere(operators, creator.id);
        const isOfOrganization = found?.tenant.organizationId === tenant.organizationId;
        if (!isOfOrganization || !found.state.active) throw invalidSession();
        return undefined;
      }
    }
  }

  /**
   * Creates a key by `issue` between two checks of its creator; revokes it when the creator was
   * revoked in between. After any other error of the second check it stays, unknown to all callers,
   * for a retry.
   */
  async issueFor<T extends { readonly stored: Stored<ApiKey> }>(
    creator: KeyCreator,
    tenant: Tenant,
    issue: (creatorExpiresAt: Date | undefined) => Promise<T>,
  ): Promise<T> {
    const issued = await issue(await this.checkCreator(creator, tenant));
    try {
      await this.checkCreator(creator, tenant);
    } catch (error) {
      const isInvalid = error instanceof DomainError && error.kind === 'unauthenticated';
      if (isInvalid) await this.revoke(issued.stored);
      throw error;
    }
    return issued;
  }

  /**
   * Revokes all keys created by this key or operator, directly or through other keys. A retry
   * continues where the first call ended.
   */
  async revokeDescendants(creatorId: string, organizationId: string): Promise<void> {
    let creatorIds = [creatorId];
    while (creatorIds.length > 0) {
      const children = await this.childrenOf(creatorIds, organizationId);
      for (let index = 0; index < children.length; index += concurrentRevocations) {
        const some = children.slice(index, index + concurrentRevocations);
        await Promise.all(some.map((child) => this.revoke(child)));
      }
      creatorIds = children.map(({ state }) => state.id);
    }
  }

  private async childrenOf(
    creatorIds: readonly string[],
    organizationId: string,
  ): Promise<Stored<ApiKey>[]> {
    const { documents, definition } = this.dependencies.keys;
    const query = { organizationId, 'createdBy.id': { $in: [...creatorIds] } };
    const found = await retryTransient(() => documents.find(query).toArray());
    return found.map((document) => toStored(definition, document));
  }

  private async revoke({ state, tenant }: Stored<ApiKey>): Promise<void> {
    if (state.revokedAt !== undefined) return;
    const { keys, clock } = this.dependencies;
    await keys.within({ tenant, now: clock.now() }).mutate(state.id, revoke);
  }
}
