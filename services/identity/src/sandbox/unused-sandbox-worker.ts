import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { ApiKeyStore } from '../api-key/api-key-store';
import type { Environment } from '../environment/environment';
import { type EnvironmentStore, firstSandboxId } from '../environment/environment-store';
import { retire, type SandboxUse, unusedMs } from './unused-sandbox';

export interface UnusedSandboxDependencies {
  readonly environments: AggregateCollection<Environment>;
  readonly environmentList: EnvironmentStore;
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const batchMax = 200;

/**
 * Announces and carries out the deletion of sandboxes without use; the launcher's first sandbox is
 * left out. Any number of replicas may run it: each decision is one compare-and-set on the
 * environment's document.
 */
export class UnusedSandboxWorker {
  constructor(private readonly dependencies: UnusedSandboxDependencies) {}

  /** Checks every sandbox that is old enough once. Stops early when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { environmentList, clock } = this.dependencies;
    const madeBefore = new Date(clock.now().getTime() - unusedMs);
    let after = '';
    for (;;) {
      const batch = await environmentList.listSandboxesCreatedBefore(madeBefore, {
        after,
        limit: batchMax,
      });
      const uses = await this.dependencies.apiKeys.lastUses(batch.map(({ state }) => state.id));
      for (const { state, tenant, createdAt } of batch) {
        if (signal.aborted) return;
        after = state.id;
        if (state.id === firstSandboxId(tenant.organizationId)) continue;
        const use = { createdAt, keyUsedAt: uses.get(state.id) };
        const now = clock.now();
        // Most sandboxes need no write, and none of their documents is read again.
        if (retire(state, use, now).state === state) continue;
        await this.retireSandbox({ state, tenant }, use);
      }
      if (batch.length < batchMax) return;
    }
  }

  private async retireSandbox(
    { state, tenant }: Pick<Stored<Environment>, 'state' | 'tenant'>,
    { createdAt }: SandboxUse,
  ): Promise<void> {
    const { environments, apiKeys, clock, logger } = this.dependencies;
    const { id } = state;
    // A key may have been used since the batch was read.
    const keyUsedAt = (await apiKeys.lastUses([id])).get(id);
    const now = clock.now();
    const { state: retired } = await environments
      .within({ tenant, now })
      .mutate(id, (environment) => retire(environment, { createdAt, keyUsedAt }, now));
    const { deletesAt, deletedAt } = retired;
    logger.info({ environmentId: id, deletesAt, deletedAt }, 'unused sandbox checked');
  }
}
