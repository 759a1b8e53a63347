import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import type { Delivery, DeliveryStatus } from '../delivery/delivery';
import { deliveryId } from '../delivery/delivery-store';
import { type Message, messageIdsAt, type MessageStore } from '../message/message-store';

/** An event of a subscription and its deliveries. */
export interface SubscriptionWebhook {
  readonly message: Message;
  readonly deliveries: readonly Pick<Delivery, 'endpointId' | 'status'>[];
}

const messagesPerRead = 100;
// A subscription has a few events in each period; no interval is shorter than a day.
const readsMax = 10;

/** Lists the webhooks of subscriptions, whichever endpoints receive them. */
export class SubscriptionHistoryStore {
  private readonly deliveries: Collection<Delivery>;

  constructor(
    db: Db,
    private readonly messages: MessageStore,
    /** Codes of all restores. */
    private readonly restoreCodes: () => readonly string[],
  ) {
    this.deliveries = db.collection<Delivery>('deliveries');
  }

  /**
   * The latest 100 webhooks of each subscription, newest first. The ids of messages and deliveries
   * are derived, so every read is by id.
   */
  async list(
    environmentId: string,
    subscriptionIds: readonly string[],
  ): Promise<SubscriptionWebhook[]> {
    const keys = subscriptionIds.map((subscriptionId) => ({ environmentId, subscriptionId }));
    const floors = await this.messages.findFloors(keys);
    const found = await Promise.all(
      keys.map((key) => this.latest(key, floors.get(key.subscriptionId) ?? 1)),
    );
    return this.withDeliveries(environmentId, found.flat());
  }

  /** Webhooks by the ids of their messages, newest first. */
  async listByIds(environmentId: string, ids: readonly string[]): Promise<SubscriptionWebhook[]> {
    const found = await this.messages.findAll(environmentId, [...ids]);
    return this.withDeliveries(environmentId, [...found.values()]);
  }

  private async withDeliveries(
    environmentId: string,
    found: readonly Message[],
  ): Promise<SubscriptionWebhook[]> {
    const messages = found.filter(({ endpointIds }) => endpointIds.length > 0);
    const statuses = await this.findStatuses(environmentId, messages);
    return messages
      .sort((a, b) => b.acceptedAt.getTime() - a.acceptedAt.getTime() || b.sequence - a.sequence)
      .map((message) => ({ message, deliveries: deliveriesOf(message, statuses) }));
  }

  private async latest(
    key: Pick<Message, 'environmentId' | 'subscriptionId'>,
    from: number,
  ): Promise<Message[]> {
    const found: Message[] = [];
    for (let read = 0; read < readsMax; read += 1) {
      const first = from + read * messagesPerRead;
      const codes = this.restoreCodes();
      const ids = Array.from({ length: messagesPerRead }, (_, index) =>
        messageIdsAt({ ...key, sequence: first + index }, codes),
      );
      const known = await this.messages.findAll(key.environmentId, ids.flat());
      found.push(...known.values());
      if (new Set([...known.values()].map(({ sequence }) => sequence)).size < messagesPerRead)
        break;
    }
    return found.sort((a, b) => a.sequence - b.sequence).slice(-messagesPerRead);
  }

  private async findStatuses(
    environmentId: string,
    messages: readonly Message[],
  ): Promise<Map<string, DeliveryStatus>> {
    const ids = messages.flatMap(({ _id, endpointIds }) =>
      endpointIds.map((endpointId) => deliveryId(environmentId, _id, endpointId)),
    );
    if (ids.length === 0) return new Map();
    const found = await retryTransient(() =>
      this.deliveries
        .find({ _id: { $in: ids }, environmentId })
        .project<Pick<Delivery, '_id' | 'status'>>({ status: 1 })
        .toArray(),
    );
    return new Map(found.map(({ _id, status }) => [_id, status]));
  }
}

/** The deliveries of a message that are stored; those of a deleted endpoint may be gone. */
function deliveriesOf(
  { _id, environmentId, endpointIds }: Message,
  statuses: ReadonlyMap<string, DeliveryStatus>,
): SubscriptionWebhook['deliveries'] {
  return endpointIds.flatMap((endpointId) => {
    const status = statuses.get(deliveryId(environmentId, _id, endpointId));
    return status === undefined ? [] : [{ endpointId, status }];
  });
}
