import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import type { Attempt } from '../delivery/attempt-store';
import type { Delivery } from '../delivery/delivery';
import type { EndpointKey } from '../endpoint/endpoint';
import type { Message } from '../message/message-store';

/** A delivery as shown to the owner of its endpoint. */
export interface DescribedDelivery {
  readonly delivery: Delivery;
  readonly type: string;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly Attempt[];
}

// Covers the whole schedule of one delivery, and keeps a page of a hundred within the size limit of
// a response.
const attemptsListed = 10;
const attemptsReadMax = 1_000;
const endOfTime = new Date(8.64e15);

/** Lists the deliveries of endpoints for the API and the dashboard. */
export class DeliveryHistoryStore {
  private readonly deliveries: Collection<Delivery>;
  private readonly messages: Collection<Message>;
  private readonly attempts: Collection<Attempt>;

  constructor(db: Db) {
    this.deliveries = db.collection<Delivery>('deliveries');
    this.messages = db.collection<Message>('messages');
    this.attempts = db.collection<Attempt>('attempts');
  }

  /** Newest or oldest first, with the exact total over all pages. */
  async list(
    { environmentId, endpointId }: EndpointKey,
    {
      page,
      perPage,
      oldestFirst = false,
    }: { page: number; perPage: number; oldestFirst?: boolean },
  ): Promise<{ deliveries: DescribedDelivery[]; total: number }> {
    const direction = oldestFirst ? 1 : -1;
    // The range matches everything, but without a range some servers sort all matches instead of
    // walking the index.
    const filter = { environmentId, endpointId, createdAt: { $lte: endOfTime } };
    const [deliveries, total] = await retryTransient(() =>
      Promise.all([
        this.deliveries
          .find(filter)
          .sort({ createdAt: direction, _id: direction })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
        this.deliveries.countDocuments(filter),
      ]),
    );
    return { deliveries: await this.describe(environmentId, deliveries), total };
  }

  /**
   * Returns the bytes that every attempt sends; undefined for a delivery that does not belong to
   * the endpoint.
   */
  async findBody(
    { environmentId, endpointId }: EndpointKey,
    deliveryId: string,
  ): Promise<string | undefined> {
    const found = await retryTransient(() =>
      this.deliveries.findOne({ _id: deliveryId, environmentId, endpointId }),
    );
    if (found === null) return undefined;
    const message = await retryTransient(() =>
      this.messages.findOne({ _id: found.messageId, environmentId }),
    );
    return message?.body;
  }

  /** Omits a delivery whose message is still being accepted. */
  async describe(
    environmentId: string,
    deliveries: readonly Delivery[],
  ): Promise<DescribedDelivery[]> {
    const [types, attempts] = await Promise.all([
      this.findTypes(
        environmentId,
        deliveries.map(({ messageId }) => messageId),
      ),
      this.findAttempts(
        environmentId,
        deliveries.map(({ _id }) => _id),
      ),
    ]);
    return deliveries.flatMap((delivery) => {
      const type = types.get(delivery.messageId);
      return type === undefined
        ? []
        : [{ delivery, type, attempts: attempts.get(delivery._id) ?? [] }];
    });
  }

  /** Returns the types of messages by their ids. */
  async findTypes(
    environmentId: string,
    messageIds: readonly string[],
  ): Promise<Map<string, string>> {
    if (messageIds.length === 0) return new Map();
    const found = await retryTransient(() =>
      this.messages
        .find({ _id: { $in: messageIds }, environmentId })
        .project<Pick<Message, '_id' | 'type'>>({ type: 1 })
        .toArray(),
    );
    return new Map(found.map(({ _id, type }) => [_id, type]));
  }

  private async findAttempts(
    environmentId: string,
    deliveryIds: readonly string[],
  ): Promise<Map<string, Attempt[]>> {
    if (deliveryIds.length === 0) return new Map();
    const newest = await this.findNewestAttempts(environmentId, deliveryIds, attemptsReadMax);
    // Some deliveries have so many attempts that they fill the whole query result.
    const found =
      newest.length < attemptsReadMax
        ? newest
        : await Promise.all(
            deliveryIds.map((id) => this.findNewestAttempts(environmentId, [id], attemptsListed)),
          );
    const byDelivery = Map.groupBy(found.flat(), ({ deliveryId }) => deliveryId);
    return new Map(
      [...byDelivery].map(([id, all]) => [id, all.slice(0, attemptsListed).toReversed()]),
    );
  }

  private findNewestAttempts(
    environmentId: string,
    deliveryIds: readonly string[],
    limit: number,
  ): Promise<Attempt[]> {
    return retryTransient(() =>
      this.attempts
        .find({ environmentId, deliveryId: { $in: deliveryIds } })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    );
  }
}
