import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Logger } from '@billing/chassis/logging';
import { type ApiKey, isUseWorthRecording, recordUse } from './api-key';
import { type Environment, withdrawNotice } from '../environment/environment';

/**
 * Records the last use of keys in the background: authentication never waits for a write, and the
 * next use replaces a failed one. Among all replicas that see a key at the same time, one writes.
 */
export class ApiKeyUseStore {
  // By key. A busy key is authenticated many times before its write is done.
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly collection: AggregateCollection<ApiKey>,
    private readonly environments: AggregateCollection<Environment>,
    private readonly logger: Logger,
  ) {}

  /**
   * Records the use of a key in its environment at real time `now`. Returns immediately. Withdraws
   * the notice of the environment's deletion.
   */
  record(
    apiKey: Stored<ApiKey>,
    { environment, now }: { readonly environment: Environment; readonly now: Date },
  ): void {
    const { id } = apiKey.state;
    const isAnnounced = environment.deletesAt !== undefined;
    if ((!isUseWorthRecording(apiKey.state, now) && !isAnnounced) || this.running.has(id)) return;
    const noting = this.write(apiKey, { isAnnounced, now }).finally(() => this.running.delete(id));
    this.running.set(id, noting);
  }

  /** Waits for the writes in flight. */
  async settle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async write(
    { state, tenant }: Stored<ApiKey>,
    { isAnnounced, now }: { readonly isAnnounced: boolean; readonly now: Date },
  ): Promise<void> {
    try {
      await this.collection.within({ tenant, now }).mutate(state.id, recordUse);
      if (!isAnnounced) return;
      await this.environments.within({ tenant, now }).mutate(tenant.environmentId, withdrawNotice);
    } catch (error) {
      this.logger.warn({ err: error, apiKeyId: state.id }, 'API key use not recorded');
    }
  }
}
