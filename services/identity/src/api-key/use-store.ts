import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type ApiKey, isUseWorthRecording, type KeyHash, recordUse, withHash } from './api-key';
import type { BackgroundWrites } from '../background-write/background-write-store';
import { type Environment, withdrawNotice } from '../environment/environment';

/** A use of a key. */
export interface KeyUse {
  readonly environment: Environment;
  /** Hash under the newest pepper, if the stored one is under another. */
  readonly hash: KeyHash | undefined;
  /** Real time of the use. */
  readonly now: Date;
}

/**
 * Records the last use of keys in the background: authentication neither waits for a write nor
 * fails with it. Among all replicas that see a key at the same time, one writes.
 */
export class ApiKeyUseStore {
  constructor(
    private readonly collection: AggregateCollection<ApiKey>,
    private readonly environments: AggregateCollection<Environment>,
    private readonly writes: BackgroundWrites,
  ) {}

  /**
   * Records the use of a key in its environment at real time `now`. Returns immediately. Replaces
   * the key's hash if another is given, and withdraws the notice of the environment's deletion.
   */
  record(apiKey: Stored<ApiKey>, { environment, hash, now }: KeyUse): void {
    const { id } = apiKey.state;
    const isAnnounced = environment.deletesAt !== undefined;
    const isWorthWriting = isUseWorthRecording(apiKey.state, now) || hash !== undefined;
    if (!isWorthWriting && !isAnnounced) return;
    this.writes.begin(id, 'API key use not recorded', () =>
      this.write(apiKey, { isAnnounced, hash, now }),
    );
  }

  private async write(
    { state, tenant }: Stored<ApiKey>,
    { isAnnounced, hash, now }: Omit<KeyUse, 'environment'> & { readonly isAnnounced: boolean },
  ): Promise<void> {
    await this.collection.within({ tenant, now }).mutate(state.id, (apiKey, at) => {
      const used = recordUse(apiKey, at);
      return hash === undefined ? used : withHash(used.state, hash);
    });
    if (!isAnnounced) return;
    await this.environments.within({ tenant, now }).mutate(tenant.environmentId, withdrawNotice);
  }
}
