import { type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection, CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type ApiKey,
  type CreatorCheck,
  invalidApiKey,
  isValid,
  type KeyCreator,
  revoke,
} from './api-key';
import type { ApiKeyStore } from './api-key-store';
import { invalidSession } from '../operator/session';
import type { Operator } from '../operator/operator';
import { findAnywhere } from '../operator/operator-store';

export interface KeyLineageDependencies {
  readonly keys: AggregateCollection<ApiKey>;
  readonly apiKeys: ApiKeyStore;
  readonly operators: AggregateCollection<Operator>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
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
   * revoked in between. A second check that fails or lasts too long is left to the key's command.
   */
  async issueFor<T extends { readonly stored: Stored<ApiKey> }>(
    creator: KeyCreator,
    { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>,
    issue: (creatorExpiresAt: Date | undefined) => Promise<T>,
  ): Promise<T> {
    const issued = await issue(await this.checkCreator(creator, tenant));
    const check = this.checkAgain(issued.stored, tenant);
    return elseAsWritten(
      issued,
      check.then(() => issued),
      {
        ...{ logger: this.dependencies.logger, storing, throwsRefusals: true },
        apiKeyId: issued.stored.state.id,
      },
    );
  }

  /** Lets the commands of new keys run. */
  handleCommands(): void {
    this.dependencies.keys.handle({
      commands: {
        checkCreator: (check: CreatorCheck, delivery) => this.checkStored(check, delivery),
      },
    });
  }

  private async checkStored(
    { creatorEnvironmentId: environmentId }: CreatorCheck,
    { aggregateId, context }: CommandDelivery,
  ): Promise<void> {
    const stored = await this.dependencies.keys.within(context).get(aggregateId);
    if (stored.state.revokedAt !== undefined) return;
    try {
      await this.checkAgain(stored, { ...context.tenant, environmentId });
    } catch (error) {
      if (!isInvalid(error)) throw error;
    }
  }

  private async checkAgain(stored: Stored<ApiKey>, tenant: Tenant): Promise<void> {
    try {
      await this.checkCreator(stored.state.createdBy, tenant);
    } catch (error) {
      if (isInvalid(error)) await this.revoke(stored);
      throw error;
    }
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

function isInvalid(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'unauthenticated';
}
