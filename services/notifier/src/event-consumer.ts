import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { currentTraceparent } from '@billing/chassis/tracing';
import { DomainError } from '@billing/kernel/domain-error';
import type { Delivery, DeliveryStore } from './delivery-store';
import type { EndpointKey, EndpointStore } from './endpoint-store';
import { type AnnouncedEvent, readEvent, toBody } from './events';
import { messageId, type MessageStore } from './message-store';

/** What the consumer works with. */
export interface EventConsumerOptions {
  readonly endpoints: EndpointStore;
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Told of endpoints that have just been given something to send. */
  readonly onDeliveries: (endpoints: readonly EndpointKey[]) => void;
}

/** An earlier event of the subscription has not arrived yet: the same event may be offered again after it. */
export class EarlierEventMissingError extends DomainError {
  constructor() {
    super('unavailable', 'EARLIER_EVENT_MISSING', 'Service unavailable');
  }
}

/**
 * Makes a message and its deliveries of an event, once, however often it arrives and from wherever.
 *
 * Deliveries come first and the message last: a message in the store proves that nothing of its event is lacking, and a crash in
 * between leaves deliveries that nobody sends until the event arrives again.
 */
export class EventConsumer {
  constructor(private readonly options: EventConsumerOptions) {}

  /** Accepts an event as the stream brings it. */
  async consume(envelope: string): Promise<void> {
    const event = readEvent(envelope);
    if (event !== undefined) await this.accept(event);
  }

  /** Throws EarlierEventMissingError while the subscription's event before this one is unknown. */
  async accept(event: AnnouncedEvent): Promise<void> {
    const { endpoints, messages, deliveries, clock, onDeliveries } = this.options;
    const { environmentId, subscriptionId, sequence, type } = event;
    const id = messageId(event);
    const earlierId = messageId({ ...event, sequence: sequence - 1 });
    const known = await messages.findKnown([id, earlierId]);
    if (known.has(id)) return;
    if (sequence > 1 && !known.has(earlierId)) throw new EarlierEventMissingError();

    const body = toBody(event, id);
    const subscribers = await endpoints.findSubscribers(environmentId, type);
    const acceptedAt = clock.now();
    await deliveries.insert(
      subscribers.map(({ endpointId }) =>
        newDelivery(event, { endpointId, messageId: id, acceptedAt }),
      ),
    );
    await messages.insert({
      _id: id,
      environmentId,
      subscriptionId,
      sequence,
      type,
      body,
      endpointIds: subscribers.map(({ endpointId }) => endpointId),
      traceparent: currentTraceparent() ?? null,
      acceptedAt,
    });
    onDeliveries(subscribers);
  }
}

function newDelivery(
  { environmentId, subscriptionId, sequence }: AnnouncedEvent,
  {
    endpointId,
    messageId,
    acceptedAt,
  }: { endpointId: string; messageId: string; acceptedAt: Date },
): Delivery {
  return {
    _id: derivedId(environmentId, 'delivery', messageId, endpointId),
    environmentId,
    endpointId,
    messageId,
    subscriptionId,
    sequence,
    status: 'PENDING',
    dueAt: acceptedAt,
    claim: null,
    failures: 0,
    createdAt: acceptedAt,
  };
}
