import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Logger } from '@billing/chassis/logging';
import { type ApiKey, isUseNews, noteUse } from './api-key';
import type { Environment } from './environment';
import { withdrawNotice } from './unused-sandbox';

/**
 * Notes when keys were last used, in the background: nobody who authenticates waits for it, and a note that fails is made up for by the
 * next use. However many replicas see a key at a time, one of them writes.
 */
export class ApiKeyUseStore {
  // By key. A busy key is authenticated many times before its note is written.
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly collection: AggregateCollection<ApiKey>,
    private readonly environments: AggregateCollection<Environment>,
    private readonly logger: Logger,
  ) {}

  /** The key was used in its environment at real time `now`. Returns at once. Takes back the notice of the environment's deletion. */
  note(
    apiKey: Stored<ApiKey>,
    { environment, now }: { readonly environment: Environment; readonly now: Date },
  ): void {
    const { id } = apiKey.state;
    const isAnnounced = environment.deletesAt !== undefined;
    if ((!isUseNews(apiKey.state, now) && !isAnnounced) || this.running.has(id)) return;
    const noting = this.write(apiKey, { isAnnounced, now }).finally(() => this.running.delete(id));
    this.running.set(id, noting);
  }

  /** Waits for the notes that are being written. */
  async settle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async write(
    { state, tenant }: Stored<ApiKey>,
    { isAnnounced, now }: { readonly isAnnounced: boolean; readonly now: Date },
  ): Promise<void> {
    try {
      await this.collection.within({ tenant, now }).mutate(state.id, noteUse);
      if (!isAnnounced) return;
      await this.environments.within({ tenant, now }).mutate(tenant.environmentId, withdrawNotice);
    } catch (error) {
      this.logger.warn({ err: error, apiKeyId: state.id }, 'API key use not recorded');
    }
  }
}
