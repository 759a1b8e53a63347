import type { Stored } from '@billing/chassis/aggregate';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Delivery, DeliveryStore } from './delivery-store';
import type { EndpointKey, EndpointStore } from './endpoint-store';
import type { Message, MessageStore } from './message-store';
import type { WebhookEndpoint } from './webhook-endpoint';

/** A claimed delivery with all that sending it takes. */
export interface Assignment {
  readonly endpoint: Stored<WebhookEndpoint>;
  readonly delivery: Delivery;
  readonly message: Message;
  readonly claim: string;
}

/** What assignments are made of. */
export interface AssignmentStoreOptions {
  readonly endpoints: EndpointStore;
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Longer than an attempt can take with storing its outcome. */
  readonly leaseMs: number;
}

/** How much is wanted of an endpoint's due deliveries. */
export interface Wanted {
  /** At most this many. */
  readonly slots: number;
  /** Nothing of these subscriptions: something of theirs is being sent. */
  readonly except: readonly string[];
}

type Ready = Pick<Assignment, 'delivery' | 'message'>;

// Some of what is due must wait for what goes before it.
const lookAhead = 4;
// Each round looks at other subscriptions; so many can only be waiting for other processes.
const roundsMax = 20;

/** Hands out what is to be sent next, to one process at a time. */
export class AssignmentStore {
  constructor(private readonly options: AssignmentStoreOptions) {}

  /** Claims deliveries that are due and the first of their subscription. */
  async claim(key: EndpointKey, wanted: Wanted): Promise<Assignment[]> {
    const { endpoints, deliveries, clock, leaseMs } = this.options;
    const ready = await this.findReady(key, wanted);
    if (ready.length === 0) return [];
    const now = clock.now();
    const endpoint = await endpoints.find(key);
    if (endpoint?.state.active !== true) {
      await this.clearAway(key, { endpoint, readAt: now });
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

  private async findReady(key: EndpointKey, { slots, except }: Wanted): Promise<Ready[]> {
    const { deliveries, clock } = this.options;
    const now = clock.now();
    const limit = slots * lookAhead;
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
   * Those whose predecessor is finished. The others wait as long as it does, and are looked at no more until then. So do those behind one
   * whose sender has died, which is due since its lease has ended: due since before that, they would always be found in its place.
   */
  private async findFirst(
    { environmentId }: EndpointKey,
    { due, now }: { due: readonly Delivery[]; now: Date },
  ): Promise<Delivery[]> {
    const { deliveries } = this.options;
    const previousIds = due.flatMap(({ previousId }) => previousId ?? []);
    const unfinished = await deliveries.findUnfinished(environmentId, previousIds);
    const waitedFor = [...unfinished.values()].filter(
      ({ claim, dueAt }) => claim === null || (dueAt !== null && dueAt <= now),
    );
    if (waitedFor.length > 0) await deliveries.hold(waitedFor);
    return due.filter(({ previousId }) => previousId === null || !unfinished.has(previousId));
  }

  /**
   * A delivery without its message belongs to an event that is still being accepted. One whose message does not name its endpoint was
   * inserted by an acceptance that broke off, or that lost against another one, while the endpoint was registered or disabled: nothing
   * after it waits for it, so it must not go.
   */
  private async withMessages(
    { environmentId, endpointId }: EndpointKey,
    due: readonly Delivery[],
  ): Promise<Ready[]> {
    const { messages, deliveries } = this.options;
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
   * Ends what is left for an endpoint that was deleted, and pauses it for one that was disabled, be it by its owner or by a process that
   * died right after doing so.
   */
  private async clearAway(
    key: EndpointKey,
    { endpoint, readAt }: { endpoint: Stored<WebhookEndpoint> | undefined; readAt: Date },
  ): Promise<void> {
    const { deliveries } = this.options;
    const isKnown = endpoint !== undefined && endpoint.state.deletedAt === undefined;
    await (isKnown ? deliveries.pause(key, { createdUntil: readAt }) : deliveries.discard(key));
  }
}
