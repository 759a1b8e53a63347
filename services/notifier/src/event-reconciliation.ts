import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { inSpan } from '@billing/chassis/tracing';
import type { Cursor, CursorStore } from './cursor-store';
import { EarlierEventMissingError, type EventConsumer } from './event-consumer';
import { type AnnouncedEvent, readEvent } from './events';
import { messageId, type MessageStore } from './message-store';
import type { EventLogOwner, LoggedEvent, LogStart } from './peers';

/** What reconciliation works with. */
export interface EventReconciliationOptions {
  readonly owners: readonly EventLogOwner[];
  readonly cursors: CursorStore;
  readonly messages: MessageStore;
  readonly consumer: EventConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
}

// Entries become visible in another order than they are numbered: clocks of replicas differ, and writes take time.
const overlapMs = 2 * 60 * 1_000;
// Reading the overlap again costs as much as the traffic of two minutes, so it is not done in every round.
const overlapEveryMs = 60 * 1_000;
// Passes through gRPC at any usual size of events; a page that does not is asked for in smaller pieces.
const pageMax = 100;

/** How far this process has read a log. */
interface Progress {
  /** Where the next round goes on; undefined before the first. */
  tail: string | undefined;
  /** Real time of the last round that began with the overlap. */
  overlapReadAt: Date | undefined;
  pageSize: number;
}

interface LackingEvent {
  readonly event: AnnouncedEvent;
  readonly traceparent: string | undefined;
}

/**
 * Compares what the owners have announced with what was accepted, and accepts what is lacking: the stream is fast, the logs are
 * certain. The cursor moves past an entry only when everything up to there is accepted, so that however long the notifier was away, or
 * whatever the stream has lost, no event is.
 */
export class EventReconciliation {
  private readonly progress = new Map<string, Progress>();
  private running: Promise<void> | undefined;
  private isHurrying = false;
  private signal: AbortSignal | undefined;

  constructor(private readonly options: EventReconciliationOptions) {}

  /** One round over all owners; ends early when the signal aborts. A call during a round waits for that one. */
  run(signal?: AbortSignal): Promise<void> {
    this.signal = signal ?? this.signal;
    this.running ??= this.readLogs().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Something is known to be lacking: makes a round at once, or right after the one under way, that reads the overlap too. */
  hurry(): void {
    if (this.isHurrying) return;
    this.isHurrying = true;
    void this.runAfterCurrent().catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'event logs cannot be read, will repeat');
    });
  }

  /** Waits for the round that is under way. */
  async stop(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  private async runAfterCurrent(): Promise<void> {
    await this.running?.catch(() => undefined);
    this.isHurrying = false;
    for (const progress of this.progress.values()) progress.overlapReadAt = undefined;
    await this.run();
  }

  private async readLogs(): Promise<void> {
    for (const owner of this.options.owners) await this.readLog(owner);
  }

  private async readLog(owner: EventLogOwner): Promise<void> {
    const { cursors, logger } = this.options;
    const progress = this.progressOf(owner);
    const cursor = await cursors.find(owner.name);
    let start = this.startOf(progress, cursor);
    let lacking: LackingEvent[] = [];
    let isReadable = true;
    while (this.signal?.aborted !== true) {
      const page = await this.readPage(owner, start, progress);
      const found = await this.findLacking(page.entries);
      isReadable &&= found.isReadable;
      lacking = await this.acceptAll([...lacking, ...found.lacking]);
      const last = page.entries.at(-1);
      if (last !== undefined) {
        const { position, insertedAt } = last;
        start = { after: position };
        progress.tail = position;
        const isAhead = cursor === undefined || position > cursor.position;
        if (isAhead && isReadable && lacking.length === 0) {
          await cursors.store({ _id: owner.name, position, insertedAt });
        }
      }
      if (page.isLast) break;
    }
    if (lacking.length > 0) {
      // They come round again with the overlap: the cursor stays before them.
      logger.warn({ owner: owner.name, events: lacking.length }, 'events wait for earlier ones');
    }
  }

  private startOf(progress: Progress, cursor: Cursor | undefined): LogStart {
    const now = this.options.clock.now();
    const { tail, overlapReadAt } = progress;
    const isOverlapDue =
      overlapReadAt === undefined || now.getTime() - overlapReadAt.getTime() >= overlapEveryMs;
    if (tail !== undefined && !isOverlapDue) return { after: tail };
    progress.overlapReadAt = now;
    if (cursor === undefined) return { beginning: true };
    return { insertedAfter: new Date(cursor.insertedAt.getTime() - overlapMs) };
  }

  private async readPage(
    owner: EventLogOwner,
    start: LogStart,
    progress: Progress,
  ): Promise<{ entries: LoggedEvent[]; isLast: boolean }> {
    const limit = progress.pageSize;
    try {
      const entries = await owner.read(start, limit);
      progress.pageSize = Math.min(limit * 2, pageMax);
      return { entries, isLast: entries.length < limit };
    } catch (error) {
      // It may have been too large to travel; if it failed for another reason, a smaller page does no harm.
      progress.pageSize = Math.max(1, Math.floor(limit / 4));
      progress.overlapReadAt = undefined;
      throw error;
    }
  }

  private async findLacking(
    entries: readonly LoggedEvent[],
  ): Promise<{ lacking: LackingEvent[]; isReadable: boolean }> {
    const { messages, logger } = this.options;
    let isReadable = true;
    const announced = entries.flatMap(({ position, envelope, traceparent }) => {
      try {
        const event = readEvent(envelope);
        return event === undefined ? [] : [{ event, traceparent }];
      } catch (error) {
        isReadable = false;
        logger.error({ err: error, position }, 'an entry of the event log is unreadable');
        return [];
      }
    });
    const known = await messages.findKnown(announced.map(({ event }) => messageId(event)));
    const lacking = announced.filter(({ event }) => !known.has(messageId(event)));
    return { lacking, isReadable };
  }

  /** Accepts what it can; returns what must wait. Subscriptions do not wait for each other. */
  private async acceptAll(lacking: readonly LackingEvent[]): Promise<LackingEvent[]> {
    const subscriptions = Map.groupBy(lacking, ({ event }) => event.subscriptionId);
    const waiting = await Promise.all(
      [...subscriptions.values()].map((events) => this.acceptInOrder(events)),
    );
    return waiting.flat();
  }

  /** Accepts a subscription's events up to the first that cannot be; returns the rest. */
  private async acceptInOrder(events: readonly LackingEvent[]): Promise<LackingEvent[]> {
    const inOrder = events.toSorted((a, b) => a.event.sequence - b.event.sequence);
    for (const [index, { event, traceparent }] of inOrder.entries()) {
      const span = { name: 'reconcile event', kind: 'internal', service: 'notifier' } as const;
      try {
        await inSpan({ ...span, traceparent }, () => this.options.consumer.accept(event));
      } catch (error) {
        if (!(error instanceof EarlierEventMissingError)) {
          this.options.logger.warn({ err: error }, 'an event cannot be accepted, will repeat');
        }
        return inOrder.slice(index);
      }
    }
    return [];
  }

  private progressOf({ name }: EventLogOwner): Progress {
    const known = this.progress.get(name);
    if (known !== undefined) return known;
    const fresh: Progress = { tail: undefined, overlapReadAt: undefined, pageSize: pageMax };
    this.progress.set(name, fresh);
    return fresh;
  }
}
