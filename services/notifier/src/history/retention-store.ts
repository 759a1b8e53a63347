import type { Collection, Db } from 'mongodb';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/inserts';
import type { Attempt } from '../delivery/attempt-store';
import type { Delivery } from '../delivery/delivery';
import type { Message, MessageFloor } from '../message/message-store';
import { inBatches } from '../message/batches';

/** The fields of a message that its removal needs. */
export type OldMessage = Pick<
  Message,
  '_id' | 'environmentId' | 'subscriptionId' | 'sequence' | 'type' | 'endpointIds'
>;

/** Removes old messages, and records that they existed. */
export class RetentionStore {
  private readonly messages: Collection<Message>;
  private readonly deliveries: Collection<Delivery>;
  private readonly attempts: Collection<Attempt>;
  private readonly floors: Collection<MessageFloor>;

  constructor(db: Db) {
    this.messages = db.collection<Message>('messages');
    this.deliveries = db.collection<Delivery>('deliveries');
    this.attempts = db.collection<Attempt>('attempts');
    this.floors = db.collection<MessageFloor>('messageFloors');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.messages, [
      { name: 'acceptedAt', key: { acceptedAt: 1 } },
      { name: 'environment', key: { environmentId: 1, acceptedAt: 1 } },
    ]);
  }

  /**
   * Yields the messages of all environments that were accepted before a time, oldest first, in
   * batches.
   */
  async *findBefore(time: Date, batchSize: number): AsyncGenerator<OldMessage[]> {
    const cursor = this.messages
      .find({ acceptedAt: { $lt: time } })
      .project<OldMessage>({
        environmentId: 1,
        subscriptionId: 1,
        sequence: 1,
        type: 1,
        endpointIds: 1,
      })
      .sort({ acceptedAt: 1 })
      .batchSize(batchSize);
    yield* inBatches(cursor, batchSize);
  }

  /** Returns those of the deliveries that are PENDING. */
  async findPending(
    environmentIds: readonly string[],
    deliveryIds: readonly string[],
  ): Promise<Set<string>> {
    const pending = await retryTransient(() =>
      this.deliveries
        .find({
          _id: { $in: deliveryIds },
          environmentId: { $in: environmentIds },
          status: 'PENDING',
        })
        .project<Pick<Delivery, '_id'>>({ _id: 1 })
        .toArray(),
    );
    return new Set(pending.map(({ _id }) => _id));
  }

  /** Removes deliveries with their attempts, except one that has just become PENDING again. */
  async removeDeliveries(
    environmentIds: readonly string[],
    deliveryIds: readonly string[],
  ): Promise<void> {
    const environmentId = { $in: environmentIds };
    await retryTransient(() =>
      this.attempts.deleteMany({ environmentId, deliveryId: { $in: deliveryIds } }),
    );
    await retryTransient(() =>
      this.deliveries.deleteMany({
        _id: { $in: deliveryIds },
        environmentId,
        status: { $ne: 'PENDING' },
      }),
    );
  }

  /**
   * Removes messages. Their floor is written first: without it, a reader that finds the gap would
   * take them for new.
   */
  async removeMessages(messages: readonly OldMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const highest = new Map(
      messages
        .filter(({ sequence }) => sequence >= 1)
        .toSorted((a, b) => a.sequence - b.sequence)
        .map((message) => [message.subscriptionId, message]),
    );
    const floors = [...highest].map(([_id, { environmentId, sequence }]) => ({
      updateOne: {
        filter: { _id, environmentId },
        update: { $max: { sequence: sequence + 1 } },
        upsert: true,
      },
    }));
    if (floors.length > 0) {
      await retryUpsert(() => this.floors.bulkWrite(floors, { ordered: false }));
    }
    const environmentIds = [...new Set(messages.map(({ environmentId }) => environmentId))];
    const ids = messages.map(({ _id }) => _id);
    await retryTransient(() =>
      this.messages.deleteMany({ _id: { $in: ids }, environmentId: { $in: environmentIds } }),
    );
  }
}
