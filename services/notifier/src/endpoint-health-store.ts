import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { type EndpointHealth, failingSince } from './endpoint-health';
import type { EndpointKey } from './endpoint-store';

interface HealthDocument {
  /** The endpoint's id. */
  readonly _id: string;
  readonly environmentId: string;
  readonly succeededAt?: Date;
  readonly failingSince?: Date;
}

/** How endpoints have answered. Kept apart from the endpoints, whose version and time of change are the callers'. */
export class EndpointHealthStore {
  private readonly health: Collection<HealthDocument>;

  constructor(db: Db) {
    this.health = db.collection<HealthDocument>('endpointHealth');
  }

  async recordSuccess({ environmentId, endpointId }: EndpointKey, at: Date): Promise<void> {
    await this.set({ environmentId, endpointId }, { succeededAt: at });
  }

  /** Returns since when the endpoint has done nothing but fail. */
  async recordFailure({ environmentId, endpointId }: EndpointKey, at: Date): Promise<Date> {
    const stored = await retryTransient(() =>
      this.health.findOne({ _id: endpointId, environmentId }),
    );
    const known: EndpointHealth = {
      succeededAt: stored?.succeededAt,
      failingSince: stored?.failingSince,
    };
    const since = failingSince(known, at);
    if (since !== known.failingSince) {
      await this.set({ environmentId, endpointId }, { failingSince: since });
    }
    return since;
  }

  // Two replicas that record a first failure at once differ by moments, which five days do not notice.
  private async set(
    { environmentId, endpointId }: EndpointKey,
    fields: Partial<EndpointHealth>,
  ): Promise<void> {
    await retryTransient(() =>
      this.health.updateOne({ _id: endpointId, environmentId }, { $set: fields }, { upsert: true }),
    );
  }
}
