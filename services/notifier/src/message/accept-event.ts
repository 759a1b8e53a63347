import { Batcher, succeeded } from '@billing/chassis/batcher';
import type { Clock } from '@billing/chassis/clock';
import { currentTraceparent } from '@billing/chassis/tracing';
import { DomainError } from '@billing/kernel/domain-error';
import { asksFor } from '@billing/kernel/input/webhook-endpoint';
import type { Delivery } from '../delivery/delivery';
import { deliveryId, type DeliveryStore } from '../delivery/delivery-store';
import type { EndpointKey } from '../endpoint/endpoint';
import type { EndpointStore, Subscriber } from '../endpoint/endpoint-store';
import { type AnnouncedEvent, toBody } from './events';
import {
  type KnownMessage,
  type Message,
  messageId,
  type MarkType,
  type MessageKey,
  type MessageStore,
  restoreCodesField,
  type SubjectKey,
} from './message-store';

export interface EventConsumerDependencies {
  readonly endpoints: EndpointStore;
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** True for a deleted environment, whose events are ignored. */
  readonly isDeleted?: (environmentId: string) => boolean;
  /** Called with endpoints that have new due deliveries. */
  readonly onDeliveries: (endpoints: readonly EndpointKey[]) => void;
  /** Waits until an event may be accepted that does not announce a restore. */
  readonly afterRestore?: (() => Promise<void>) | undefined;
  /** Called with each message that was stored. */
  readonly onAccepted?: (message: Message) => void;
}

// While one batch is in flight, the next one fills.
const batchBounds = { batchMax: 100, flushesMax: 1 };
// The later steps of events that begin together share their batches, too.
const spacingMs = 25;

/**
 * An earlier event of the subscription has not arrived yet; the same event may be offered again
 * after it.
 */
export class EarlierEventMissingError extends DomainError {
  /** `sequence`: the first event that was not accepted. */
  constructor(readonly sequence: number) {
    super('unavailable', 'EARLIER_EVENT_MISSING', 'Service unavailable');
  }
}

/**
 * An event of a type that only a later release knows. It stays in its owner's log, and later events
 * of its subject wait for it.
 */
export class UnknownEventTypeError extends EarlierEventMissingError {}

/**
 * Creates the message and deliveries of an event, once, however often and from whichever source it
 * arrives.
 *
 * Deliveries come first and the message last: a stored message proves that its event is complete. A
 * crash in between leaves deliveries that are not sent until the event arrives again.
 */
export class EventConsumer {
  // Events of many subscriptions arrive concurrently; each step is one database call for all of
  // them.
  private readonly known: Batcher<readonly string[], Map<string, KnownMessage>>;
  private readonly subscribers: Batcher<string, readonly Subscriber[]>;
  private readonly deliveries: Batcher<readonly Delivery[], undefined>;
  private readonly messages: Batcher<Message, undefined>;

  constructor(private readonly dependencies: EventConsumerDependencies) {
    const { endpoints, messages, deliveries } = dependencies;
    this.known = new Batcher({
      ...batchBounds,
      spacingMs,
      flush: async (ids) => {
        const found = await messages.findKnown(ids.flat());
        return succeeded(ids.map(() => found));
      },
    });
    this.subscribers = new Batcher({
      ...batchBounds,
      flush: async (environmentIds) => {
        const found = await endpoints.findSubscribers(environmentIds);
        return succeeded(environmentIds.map((environmentId) => found.get(environmentId) ?? []));
      },
    });
    this.deliveries = new Batcher({
      ...batchBounds,
      flush: async (some) => {
        await deliveries.insert(some.flat());
        return succeeded(some.map(() => undefined));
      },
    });
    this.messages = new Batcher({
      ...batchBounds,
      flush: async (some) => {
        await messages.insert(some);
        for (const message of some) dependencies.onAccepted?.(message);
        return succeeded(some.map(() => undefined));
      },
    });
  }

  /**
   * True if events of the environment are ignored because it was deleted: its logs have no earlier
   * events.
   */
  ignores({ environmentId }: Pick<MessageKey, 'environmentId'>): boolean {
    return this.dependencies.isDeleted?.(environmentId) === true;
  }

  /**
   * Throws EarlierEventMissingError while the subscription's event before this one is unknown, and
   * UnknownEventTypeError for an event of a later release.
   */
  async accept(event: AnnouncedEvent): Promise<void> {
    const { clock, onDeliveries } = this.dependencies;
    const { environmentId, subscriptionId, subjectType, sequence, type } = event;
    if (this.ignores(event)) return;
    if (event.data?.kind !== 'environment') await this.dependencies.afterRestore?.();
    const place = await this.placeOf(event);
    if (place === undefined) return;
    const { id, earlier } = place;

    if (event.data === undefined) throw new UnknownEventTypeError(sequence);
    const body = toBody({ ...event, data: event.data }, id);
    const endpoints = await this.subscribers.run(environmentId);
    const acceptedAt = clock.now();
    const deliveries = endpoints
      .filter(({ events }) => asksFor(events, type))
      .map((endpoint) =>
        newDelivery(event, {
          endpoint,
          messageId: id,
          previousId: earlier?.lastDeliveryIds[endpoint.endpointId],
          acceptedAt,
          dueAt: dueAtOf(event, acceptedAt),
        }),
      );
    await this.deliveries.run(deliveries);
    await this.messages.run({
      _id: id,
      environmentId,
      ...(event.tenant !== undefined && { tenant: event.tenant }),
      subscriptionId,
      subjectType,
      sequence,
      ...restoreCodesField(event),
      type,
      body,
      endpointIds: deliveries.map(({ endpointId }) => endpointId),
      lastDeliveryIds: lastDeliveryIds(endpoints, deliveries, earlier),
      traceparent: currentTraceparent() ?? null,
      acceptedAt,
    });
    const toSend = deliveries.filter(({ status }) => status === 'PENDING');
    onDeliveries(toSend.map(({ endpointId }) => ({ environmentId, endpointId })));
  }

  /**
   * Stores a mark in place of an event that is unreadable or missing, so that later events are
   * accepted. Returns true the first time. Throws EarlierEventMissingError as `accept` does.
   */
  async acceptMark(key: SubjectKey, type: MarkType): Promise<boolean> {
    const { environmentId, subscriptionId, subjectType, sequence } = key;
    if (this.ignores({ environmentId })) return false;
    const place = await this.placeOf(key);
    if (place === undefined) return false;
    await this.messages.run({
      _id: place.id,
      environmentId,
      subscriptionId,
      subjectType,
      sequence,
      ...restoreCodesField(key),
      type,
      body: '',
      endpointIds: [],
      lastDeliveryIds: place.earlier?.lastDeliveryIds ?? {},
      traceparent: currentTraceparent() ?? null,
      acceptedAt: this.dependencies.clock.now(),
    });
    return true;
  }

  /**
   * Returns the place of an event's message in the order; undefined if the message is stored
   * already.
   */
  private async placeOf(
    key: MessageKey,
  ): Promise<{ id: string; earlier: KnownMessage | undefined } | undefined> {
    const id = messageId(key);
    const earlierId = messageId({ ...key, sequence: key.sequence - 1 });
    const known = await this.known.run([id, earlierId]);
    if (known.has(id)) return undefined;
    const earlier = known.get(earlierId);
    if (key.sequence > 1 && earlier === undefined)
      throw new EarlierEventMissingError(key.sequence - 1);
    return { id, earlier };
  }
}

/**
 * Drops endpoints that no longer exist, so that the record stays as short as the list of endpoints.
 */
function lastDeliveryIds(
  endpoints: readonly Subscriber[],
  deliveries: readonly Delivery[],
  earlier: KnownMessage | undefined,
): Record<string, string> {
  const now = new Map(deliveries.map(({ endpointId, _id }) => [endpointId, _id]));
  const entries = endpoints.flatMap(({ endpointId }) => {
    const last = now.get(endpointId) ?? earlier?.lastDeliveryIds[endpointId];
    return last === undefined ? [] : [[endpointId, last] as const];
  });
  return Object.fromEntries(entries);
}

/** After a restore, its announcement is sent before the events that were accepted until then. */
function dueAtOf({ data }: AnnouncedEvent, acceptedAt: Date): Date {
  const instant = data?.kind === 'environment' ? data.event.restore?.instant : undefined;
  return instant ?? acceptedAt;
}

/** For an inactive endpoint the delivery is PAUSED until it is requested. */
function newDelivery(
  { environmentId, subscriptionId, sequence }: AnnouncedEvent,
  {
    endpoint: { endpointId, active },
    messageId,
    previousId,
    acceptedAt,
    dueAt,
  }: {
    endpoint: Subscriber;
    messageId: string;
    previousId: string | undefined;
    acceptedAt: Date;
    dueAt: Date;
  },
): Delivery {
  return {
    _id: deliveryId(environmentId, messageId, endpointId),
    environmentId,
    endpointId,
    messageId,
    subscriptionId,
    sequence,
    previousId: previousId ?? null,
    status: active ? 'PENDING' : 'PAUSED',
    dueAt: active ? dueAt : null,
    claim: null,
    failures: 0,
    createdAt: acceptedAt,
  };
}
