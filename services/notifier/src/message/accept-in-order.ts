import { UnreadableMessageError } from '@billing/chassis/jet-stream';
import type { Logger } from '@billing/chassis/logging';
import { inSpan } from '@billing/chassis/tracing';
import { EarlierEventMissingError, type EventConsumer } from './accept-event';
import { type AnnouncedEvent, logIdOf, readEvent, readKey } from './events';
import { messageId, type MessageKey, type MessageStore, type SubjectKey } from './message-store';
import type { EventLogOwner, LoggedEvent } from '../peer/peers';

export interface OrderedEventConsumerDependencies {
  readonly owners: readonly EventLogOwner[];
  readonly messages: MessageStore;
  readonly consumer: EventConsumer;
  readonly logger: Logger;
}

/** A log entry that stands for a message. */
export interface Announcement {
  readonly key: SubjectKey;
  /** Undefined if unreadable. */
  readonly event: AnnouncedEvent | undefined;
  readonly traceparent: string | undefined;
  /** Real time. */
  readonly loggedAt: Date;
}

/** Called before a mark takes the place of an event that no log has. */
export type OnMissing = (event: { _id: string; sequence: number }) => Promise<void>;

const fetchedMax = 100;

/**
 * Accepts events in the order of their subscriptions. A missing predecessor is known by its id in
 * the owner's log and fetched from there, however long ago it was logged.
 */
export class OrderedEventConsumer {
  constructor(private readonly dependencies: OrderedEventConsumerDependencies) {}

  /** Throws EarlierEventMissingError if the logs do not return the predecessors. */
  async accept(event: AnnouncedEvent): Promise<void> {
    await this.afterEarlier(event, () => this.dependencies.consumer.accept(event));
  }

  /** As `accept`; an unreadable event leaves a mark and raises an alert. */
  async acceptLogged({ key, event, traceparent }: Announcement): Promise<void> {
    const span = { name: 'reconcile event', kind: 'internal', service: 'notifier' } as const;
    await inSpan({ ...span, traceparent }, () =>
      this.afterEarlier(key, () => this.acceptOrMark(key, event)),
    );
  }

  /**
   * Accepts all events of a subscription up to and including a number, from the logs alone. With
   * `onMissing` a mark takes the place of an event that every log reports as missing; without it
   * EarlierEventMissingError is thrown.
   */
  async acceptUpTo(key: SubjectKey, onMissing?: OnMissing): Promise<void> {
    if (this.dependencies.consumer.ignores(key)) return;
    await this.acceptBefore({ ...key, sequence: key.sequence + 1 }, onMissing);
  }

  private async afterEarlier(key: SubjectKey, accept: () => Promise<void>): Promise<void> {
    try {
      await accept();
    } catch (error) {
      if (!(error instanceof EarlierEventMissingError)) throw error;
      await this.acceptBefore(key);
      await accept();
    }
  }

  private async acceptBefore(key: SubjectKey, onMissing?: OnMissing): Promise<void> {
    let sequence = await this.firstUnknown(key);
    while (sequence < key.sequence) {
      const length = Math.min(key.sequence - sequence, fetchedMax);
      const keys = Array.from({ length }, (_, index) => ({ ...key, sequence: sequence + index }));
      const found = await this.findFrom(keys.map(logIdOf));
      for (const earlier of keys) {
        const entry = found.get(logIdOf(earlier));
        if (entry === undefined) break;
        await this.acceptOrMark(earlier, readOrUndefined(entry.envelope));
        sequence += 1;
      }
      if (keys[0]?.sequence !== sequence) continue;
      if (onMissing === undefined) throw new EarlierEventMissingError(sequence);
      await this.markMissing({ ...key, sequence }, onMissing);
      sequence += 1;
    }
  }

  private async markMissing(key: SubjectKey, onMissing: OnMissing): Promise<void> {
    const { owners, consumer, logger } = this.dependencies;
    const { environmentId, subscriptionId, sequence } = key;
    // An owner that is unavailable may have it.
    const pages = await Promise.all(owners.map((owner) => owner.find([logIdOf(key)])));
    if (pages.some(({ entries }) => entries.length > 0))
      throw new EarlierEventMissingError(sequence);
    await onMissing({ _id: messageId(key), sequence });
    if (await consumer.acceptMark(key, 'missing')) {
      const facts = { alarm: 'missing_event', environmentId, subscriptionId, sequence };
      logger.error(facts, 'event missing from every log, not delivered');
    }
  }

  /**
   * Messages are accepted in order: all before the first unknown one are known, except those old
   * enough to have been removed.
   */
  private async firstUnknown(key: MessageKey): Promise<number> {
    const floors = await this.dependencies.messages.findFloors([key]);
    let first = floors.get(key.subscriptionId) ?? 1;
    let end = key.sequence;
    while (first < end) {
      const middle = Math.floor((first + end) / 2);
      const known = await this.dependencies.messages.findKnown([
        messageId({ ...key, sequence: middle }),
      ]);
      if (known.size > 0) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  /** Returns the first entry, if any log has it, and as many of the others as fit on a page. */
  private async findFrom(ids: readonly string[]) {
    const found = await this.find(ids);
    const [first] = ids;
    // Pages follow the order of insertion, so the first id may be on a later page.
    return first === undefined || found.has(first) ? found : this.find([first]);
  }

  private async find(ids: readonly string[]): Promise<Map<string, LoggedEvent>> {
    const { owners, logger } = this.dependencies;
    // An unavailable owner does not block the events of another.
    const pages = await Promise.allSettled(owners.map((owner) => owner.find(ids)));
    const entries = pages.flatMap((page) => {
      if (page.status === 'fulfilled') return page.value.entries;
      logger.warn(
        { err: page.reason as unknown },
        'reading missing events from an event log failed',
      );
      return [];
    });
    return new Map(entries.map((entry) => [entry.id, entry]));
  }

  private async acceptOrMark(key: SubjectKey, event: AnnouncedEvent | undefined): Promise<void> {
    const { consumer, logger } = this.dependencies;
    try {
      if (event !== undefined) {
        await consumer.accept(event);
        return;
      }
    } catch (error) {
      if (!(error instanceof UnreadableMessageError)) throw error;
    }
    if (await consumer.acceptMark(key, 'unreadable')) {
      logger.error({ alarm: 'unreadable_event', ...key }, 'event unreadable, not delivered');
    }
  }
}

/**
 * Interprets a log entry; returns undefined for an event that becomes no webhook, or whose
 * aggregate is unknown.
 */
export function readAnnouncement(
  { id, position, insertedAt: loggedAt, envelope, traceparent }: LoggedEvent,
  logger: Logger,
): Announcement | undefined {
  try {
    const event = readEvent(envelope);
    return event && { key: event, event, traceparent, loggedAt };
  } catch (error) {
    const key = readKey(id, envelope);
    // A later event, if any, will reveal the aggregate.
    if (key === undefined) logger.error({ err: error, position }, 'event unreadable');
    return key && { key, event: undefined, traceparent, loggedAt };
  }
}

function readOrUndefined(envelope: string): AnnouncedEvent | undefined {
  try {
    return readEvent(envelope);
  } catch {
    return undefined;
  }
}
