import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import type { EndpointKey } from './endpoint-store';

interface HealthDocument {
  /** The endpoint's id. */
  readonly _id: string;
  readonly environmentId: string;
  /** Real time of the first failure after the last success; null: it works. An endpoint that has never failed has no document. */
  readonly failingSince: Date | null;
}

const beginning = new Date(0);

/** How endpoints have answered. Kept apart from the endpoints, whose version and time of change are the callers'. */
export class EndpointHealthStore {
  private readonly health: Collection<HealthDocument>;

  constructor(db: Db) {
    this.health = db.collection<HealthDocument>('endpointHealth');
  }

  /**
   * Endpoints work: their earlier failures count no more. Every success says so, because another process may have seen the failure;
   * mostly there is none, and then nothing is written.
   */
  async recordSuccesses(keys: readonly EndpointKey[]): Promise<void> {
    if (keys.length === 0) return;
    const failing = {
      _id: { $in: [...new Set(keys.map(({ endpointId }) => endpointId))] },
      environmentId: { $in: [...new Set(keys.map(({ environmentId }) => environmentId))] },
      failingSince: { $gt: beginning },
    };
    const found = await retryTransient(() => this.health.findOne(failing));
    if (found === null) return;
    await retryTransient(() => this.health.updateMany(failing, { $set: { failingSince: null } }));
  }

  /** Returns since when the endpoint has done nothing but fail. */
  async recordFailure({ environmentId, endpointId: _id }: EndpointKey, at: Date): Promise<Date> {
    const stored = await retryTransient(() => this.health.findOne({ _id, environmentId }));
    const known = stored?.failingSince ?? undefined;
    if (known !== undefined) return known;
    // Two replicas that record a first failure at once differ by moments, which five days do not notice.
    await retryTransient(() =>
      this.health.updateOne(
        { _id, environmentId },
        { $set: { failingSince: at } },
        { upsert: true },
      ),
    );
    return at;
  }
}
