import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/inserts';
import type { EndpointKey } from './endpoint';

interface HealthDocument {
  /** The endpoint's id. */
  readonly _id: string;
  readonly environmentId: string;
  /**
   * Real time of the first failure after the last success; null: the last delivery succeeded. An
   * endpoint that was never tried has no document.
   */
  readonly failingSince: Date | null;
}

/**
 * Stores the delivery health of endpoints. Separate from the endpoints, whose version and time of
 * change belong to the callers.
 */
export class EndpointHealthStore {
  private readonly health: Collection<HealthDocument>;

  constructor(db: Db) {
    this.health = db.collection<HealthDocument>('endpointHealth');
  }

  /**
   * Records that endpoints work, which resets earlier failures. Every success is recorded, because
   * another process may have seen the failure; usually the stored value does not change and nothing
   * is written.
   */
  async recordSuccesses(keys: readonly EndpointKey[]): Promise<void> {
    if (keys.length === 0) return;
    const working = await this.findWorking(keys.map(({ endpointId }) => endpointId));
    const news = new Map(
      keys.flatMap(({ endpointId, environmentId }) =>
        working.has(endpointId) ? [] : [[endpointId, environmentId] as const],
      ),
    );
    if (news.size === 0) return;
    const operations = [...news].map(([_id, environmentId]) => ({
      updateOne: {
        filter: { _id, environmentId },
        update: { $set: { failingSince: null } },
        upsert: true,
      },
    }));
    await retryUpsert(() => this.health.bulkWrite(operations, { ordered: false }));
  }

  /**
   * Returns those of the given endpoints that accepted the last delivery, whichever process sent
   * it.
   */
  async findWorking(endpointIds: readonly string[]): Promise<Set<string>> {
    const filter = { _id: { $in: [...new Set(endpointIds)] }, failingSince: null };
    const found = await retryTransient(() =>
      this.health.find(filter).project<Pick<HealthDocument, '_id'>>({ _id: 1 }).toArray(),
    );
    return new Set(found.map(({ _id }) => _id));
  }

  /** Times since when the given endpoints have failed, without those that work. */
  async findFailing(
    environmentId: string,
    endpointIds: readonly string[],
  ): Promise<Map<string, Date>> {
    const filter = { _id: { $in: [...endpointIds] }, environmentId };
    const found = await retryTransient(() => this.health.find(filter).toArray());
    return new Map(
      found.flatMap(({ _id, failingSince }) =>
        failingSince === null ? [] : [[_id, failingSince] as const],
      ),
    );
  }

  /** Records a failure; returns the time of the first failure since the last success. */
  async recordFailure({ environmentId, endpointId: _id }: EndpointKey, at: Date): Promise<Date> {
    const stored = await retryTransient(() => this.health.findOne({ _id, environmentId }));
    const known = stored?.failingSince ?? undefined;
    if (known !== undefined) return known;
    // Two replicas that record a first failure concurrently differ by moments, which is negligible
    // in five days.
    await retryUpsert(() =>
      this.health.updateOne(
        { _id, environmentId },
        { $set: { failingSince: at } },
        { upsert: true },
      ),
    );
    return at;
  }
}
