import type { Stored } from '@billing/chassis/aggregate';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Delivery } from '../delivery/delivery';
import type { DeliveryStore } from '../delivery/delivery-store';
import type { EndpointStore } from '../endpoint/endpoint-store';
import type { Message, MessageStore } from '../message/message-store';
import type { WebhookEndpoint, EndpointKey } from '../endpoint/endpoint';

/** A claimed delivery with its message and endpoint. */
export interface Assignment {
  readonly endpoint: Stored<WebhookEndpoint>;
  readonly delivery: Delivery;
  readonly message: Message;
  readonly claim: string;
}

export interface AssignmentStoreDependencies {
  readonly endpoints: EndpointStore;
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Must exceed the longest attempt including the write of its outcome. */
  readonly leaseMs: number;
}

/** The number and kind of deliveries to claim. */
export interface ClaimLimits {
  /** Upper limit of deliveries to claim. */
  readonly slots: number;
  /** Subscriptions to skip, because one of their deliveries is in flight. */
  readonly except: readonly string[];
}

type Ready = Pick<Assignment, 'delivery' | 'message'>;

// Some due deliveries are blocked by a predecessor.
const prefetchFactor = 4;
// Each round examines other subscriptions. After this many rounds the rest can only be claimed by
// other processes.
const roundsMax = 20;

/** Assigns due deliveries, each to one process at a time. */
export class AssignmentStore {
  constructor(private readonly dependencies: AssignmentStoreDependencies) {}

  /** Claims due deliveries that are the first unfinished one of their subscription. */
  async claim(key: EndpointKey, limits: ClaimLimits): Promise<Assignment[]> {
    const { endpoints, deliveries, clock, leaseMs } = this.dependencies;
    const ready = await this.findReady(key, limits);
    if (ready.length === 0) return [];
    const now = clock.now();
    const endpoint = await endpoints.find(key);
    if (endpoint?.state.active !== true) {
      await this.clearInactive(key, { endpoint, readAt: now });
      return [];
    }
    const claim = newId();
    const claimed = await deliveries.claim(
      key.environmentId,
      ready.map(({ delivery }) => delivery),
      { claim, now, until: new Date(now.getTime() + leaseMs) },
    );
    const won = new Set(claimed.map(({ _id }) => _id));
    return ready
      .filter(({ delivery }) => won.has(delivery._id))
      .map(({ delivery, message }) => ({ endpoint, delivery, message, claim }));
  }

  private async findReady(key: EndpointKey, { slots, except }: ClaimLimits): Promise<Ready[]> {
    const { deliveries, clock } = this.dependencies;
    const now = clock.now();
    const limit = slots * prefetchFactor;
    const seen = [...except];
    const ready: Ready[] = [];
    for (let round = 1; round <= roundsMax; round += 1) {
      const due = await deliveries.findDue(key, { now, except: seen, limit });
      const first = await this.findFirst(key, { due, now });
      ready.push(...(await this.withMessages(key, first.slice(0, slots - ready.length))));
      if (due.length < limit || ready.length >= slots) break;
      seen.push(...due.map(({ subscriptionId }) => subscriptionId));
    }
    return ready;
  }

  /**
   * Returns the deliveries whose predecessor is finished. Blocked deliveries get the due time of
   * their predecessor, so that they are not examined again before. The same holds for deliveries
   * blocked by a sender that died: its delivery has been due since the end of its lease, and
   * earlier due times would always be found first.
   */
  private async findFirst(
    { environmentId }: EndpointKey,
    { due, now }: { due: readonly Delivery[]; now: Date },
  ): Promise<Delivery[]> {
    const { deliveries } = this.dependencies;
    const previousIds = due.flatMap(({ previousId }) => previousId ?? []);
    const unfinished = await deliveries.findUnfinished(environmentId, previousIds);
    const waitedFor = [...unfinished.values()].filter(
      ({ claim, dueAt }) => claim === null || (dueAt !== null && dueAt <= now),
    );
    if (waitedFor.length > 0) await deliveries.postpone(waitedFor);
    return due.filter(({ previousId }) => previousId === null || !unfinished.has(previousId));
  }

  /**
   * Adds the messages. A delivery without a message belongs to an event that is still being
   * accepted. A delivery whose message does not name its endpoint is a stray: an acceptance that
   * crashed, or lost a race, inserted it while the endpoint was registered or disabled. No delivery
   * waits for a stray, so it must not be sent.
   */
  private async withMessages(
    { environmentId, endpointId }: EndpointKey,
    due: readonly Delivery[],
  ): Promise<Ready[]> {
    const { messages, deliveries } = this.dependencies;
    const found = await messages.findAll(
      environmentId,
      due.map(({ messageId }) => messageId),
    );
    const known = due.flatMap((delivery) => {
      const message = found.get(delivery.messageId);
      return message === undefined ? [] : [{ delivery, message }];
    });
    const isNamed = ({ message }: Ready) => message.endpointIds.includes(endpointId);
    const strays = known.filter((one) => !isNamed(one)).map(({ delivery }) => delivery);
    await deliveries.discardStray(environmentId, strays);
    return known.filter(isNamed);
  }

  /**
   * Discards the remaining deliveries of a deleted endpoint and pauses those of a disabled one,
   * whether its owner disabled it or a process that died right afterwards.
   */
  private async clearInactive(
    key: EndpointKey,
    { endpoint, readAt }: { endpoint: Stored<WebhookEndpoint> | undefined; readAt: Date },
  ): Promise<void> {
    const { deliveries } = this.dependencies;
    const isKnown = endpoint !== undefined && endpoint.state.deletedAt === undefined;
    await (isKnown ? deliveries.pause(key, { createdUntil: readAt }) : deliveries.discard(key));
  }
}
