import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { type DeliveryGroup, outcomesOf, type StandingOutcomes } from './delivery-outcomes';
import type { DeliveryStatus } from './delivery';
import type { Delivery } from './delivery-store';
import type { EndpointKey } from './endpoint-store';

/** A span of time, [start, end). */
interface Span {
  readonly start: Date;
  readonly end: Date;
}

interface GroupDocument {
  readonly _id: Omit<DeliveryGroup, 'count'>;
  readonly count: number | bigint;
}

/** What came of deliveries, counted from themselves. */
export class DeliveryReportStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(db: Db) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /** What has become by now of the deliveries to an endpoint that were made in a span. */
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
   * How many of the deliveries to some endpoints since a time stand in a way and have not arrived, counted up to a limit an endpoint. One
   * that is PENDING counts when it has been tried in vain.
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
