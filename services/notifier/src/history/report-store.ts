import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { type DeliveryGroup, outcomesOf, type StandingOutcomes } from '../delivery/outcomes';
import type { DeliveryStatus, Delivery } from '../delivery/delivery';
import type { EndpointKey } from '../endpoint/endpoint';

/** A span of time, [start, end). */
interface Span {
  readonly start: Date;
  readonly end: Date;
}

interface GroupDocument {
  readonly _id: Omit<DeliveryGroup, 'count'>;
  readonly count: number | bigint;
}

/** Counts outcomes from the deliveries themselves. */
export class DeliveryReportStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(db: Db) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /** Counts the current outcomes of an endpoint's deliveries created in a span. */
  async count(
    { environmentId, endpointId }: EndpointKey,
    { start, end }: Span,
  ): Promise<StandingOutcomes> {
    const stand = {
      status: '$status',
      hasArrived: { $eq: ['$hasArrived', true] },
      hasFailed: { $gt: ['$failures', 0] },
    };
    const groups = await retryTransient(() =>
      this.deliveries
        .aggregate<GroupDocument>([
          { $match: { environmentId, endpointId, createdAt: { $gte: start, $lt: end } } },
          { $group: { _id: stand, count: { $sum: 1 } } },
        ])
        .toArray(),
    );
    return outcomesOf(groups.map(({ _id, count }) => ({ ..._id, count: Number(count) })));
  }

  /**
   * Counts deliveries of some endpoints since a time that have a given status and have not arrived,
   * up to a limit per endpoint. A PENDING one counts only after a failed attempt.
   */
  async countStanding(
    keys: readonly EndpointKey[],
    { status, since, limit }: { status: DeliveryStatus; since: Date; limit: number },
  ): Promise<{ count: number; isMore: boolean }> {
    const standing = {
      status,
      createdAt: { $gte: since },
      hasArrived: { $ne: true },
      ...(status === 'PENDING' && { failures: { $gt: 0 } }),
    };
    const counts = await Promise.all(
      keys.map(({ environmentId, endpointId }) =>
        retryTransient(() =>
          this.deliveries.countDocuments(
            { environmentId, endpointId, ...standing },
            { limit: limit + 1 },
          ),
        ),
      ),
    );
    return {
      count: counts.reduce((sum, count) => sum + Math.min(count, limit), 0),
      isMore: counts.some((count) => count > limit),
    };
  }
}
