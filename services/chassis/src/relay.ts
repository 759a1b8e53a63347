import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateCollection, CommandHandler } from './aggregate-collection';
import { type AggregateDocument, type OutboxEntry, tenantOf } from './aggregate-document';
import { type Clock, sleep } from './clock';
import { type EventLog, type EventLogDocument, eventId, logEvent, toEnvelope } from './event-log';
import { atBoundary } from './failpoint';
import { jitter } from './ids';
import { InsertBatches } from './insert-batches';
import type { EventMessage, EventStream } from './jet-stream';
import { KeyedWork } from './keyed-work';
import type { Logger } from './logging';
import { inSpan } from './tracing';
import { workContext } from './work-context';

type Lane = OutboxEntry['kind'];

/** What the relay works with. */
export interface RelayOptions {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly eventLog: EventLog;
  readonly stream: EventStream;
  /** How long entries that are being relayed may take at a stop. */
  readonly graceMs: number;
}

// The write's own process gets this long to relay it before a sweep may take it up; it also keeps the activity count ahead of effects.
const sweepAfterMs = 1_000;
const sweepEveryMs = 1_500;
const sweepBatch = 100;
// Documents that are relayed at once, in each lane: more would only queue for the database and storm a peer that has just come back.
const lanesMax = 100;
// What does not fit is found by a later sweep.
const documentsWaitingMax = 5_000;
const retryDelayMsMin = 100;
const retryDelayMsMax = 10_000;

/**
 * Empties outboxes: events go to the event log and the stream, commands to their handlers. The two lanes run apart, each in order of its
 * numbers and one document at a time; entry k+1 waits for k. A crash anywhere leaves the entry in the document, and a sweep repeats it.
 */
export class Relay {
  private readonly stopping = new AbortController();
  // Aborts when what still runs at a stop has had its time.
  private readonly cutting = new AbortController();
  // Apart, so that commands to a peer that hangs never keep events waiting.
  private readonly lanes: Readonly<Record<Lane, KeyedWork>>;
  private readonly eventLog: InsertBatches<EventLogDocument>;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: readonly AggregateCollection<never>[],
    private readonly options: RelayOptions,
  ) {
    this.eventLog = new InsertBatches(options.eventLog);
    this.lanes = { event: this.openLane(), command: this.openLane() };
  }

  start(): void {
    for (const collection of this.collections) {
      collection.onPending = (id) => {
        this.kick(collection, id);
      };
    }
    this.sweeping = this.sweepUntilStopped();
  }

  /** Finishes the entries that are being relayed, cuts those that take longer than the grace, and leaves the others where they are. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.cutting.abort();
    }, this.options.graceMs);
    await this.sweeping;
    await Promise.all([this.lanes.event.stop(), this.lanes.command.stop()]);
    clearTimeout(timer);
  }

  private openLane(): KeyedWork {
    return new KeyedWork({
      runningMax: lanesMax,
      waitingMax: documentsWaitingMax,
      retryDelayMs: (failures) =>
        Math.min(retryDelayMsMin * 2 ** Math.min(failures - 1, 10), retryDelayMsMax) * jitter(0.2),
      onFailure: ({ key, error, failures }) => {
        const message = 'outbox entry failed, will repeat';
        this.options.logger.warn({ err: error, outbox: key, failures }, message);
      },
    });
  }

  private kick(collection: AggregateCollection<never>, id: string): void {
    const key = `${collection.definition.collection}/${id}`;
    for (const lane of ['event', 'command'] as const) {
      this.lanes[lane].submit(key, () => this.drain(collection, id, lane));
    }
  }

  private async drain(
    collection: AggregateCollection<never>,
    id: string,
    lane: Lane,
  ): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Both lanes ask at once, and the document is read once.
      const document = await collection.batches.find(id);
      const entries = (document?.outbox ?? [])
        .filter(({ kind }) => kind === lane)
        .sort((a, b) => a.sequence - b.sequence);
      if (document === undefined) return;
      if (entries.length === 0) {
        if (document.outbox.length === 0) await this.markEmpty(collection, document);
        return;
      }
      if (lane === 'event') await this.announce(collection, document, entries);
      else await this.carryOut(collection, document, entries);
    }
  }

  private async announce(
    collection: AggregateCollection<never>,
    document: AggregateDocument,
    entries: readonly OutboxEntry[],
  ): Promise<void> {
    const { service, clock, stream } = this.options;
    const announcements = entries.map((entry) =>
      announcementOf(service, collection, { document, entry }),
    );
    // All of them before any is published: while the stream is away, readers of the log still get everything in order.
    for (const { id, envelope, traceparent } of announcements) {
      await logEvent(this.eventLog, { _id: id, envelope, traceparent: traceparent ?? null }, clock);
    }
    for (const { id, envelope, traceparent, subject } of announcements) {
      const event = { subject, id, traceparent, data: envelope };
      await atBoundary(collection.definition.aggregate, 'publish', () =>
        stream.publish(event).catch((error: unknown) => this.failToPublish(error, event)),
      );
    }
    await this.remove(collection, document, entries);
  }

  // Nothing that waits behind such an event is published before somebody raises the limit.
  private failToPublish(error: unknown, { id, subject, data }: EventMessage): never {
    if (error instanceof DomainError && error.reason === 'EVENT_TOO_LARGE') {
      const facts = { event: id, subject, bytes: Buffer.byteLength(data) };
      this.options.logger.error(facts, 'event is larger than the stream takes, will repeat');
    }
    throw error;
  }

  private async carryOut(
    collection: AggregateCollection<never>,
    document: AggregateDocument,
    entries: readonly OutboxEntry[],
  ): Promise<void> {
    const done: OutboxEntry[] = [];
    try {
      for (const entry of entries) {
        if (this.stopping.signal.aborted) break;
        await this.carryOutOne(collection, document, entry);
        done.push(entry);
      }
    } finally {
      if (done.length > 0) await this.remove(collection, document, done);
    }
  }

  private async carryOutOne(
    collection: AggregateCollection<never>,
    document: AggregateDocument,
    entry: OutboxEntry,
  ): Promise<void> {
    const handler: CommandHandler | undefined = collection.behaviour.commands?.[entry.type];
    if (handler === undefined) throw new Error(`No handler for command ${entry.type}`);
    const { service, clock } = this.options;
    const span = {
      name: `command ${entry.type}`,
      kind: 'internal' as const,
      service,
      traceparent: entry.traceparent ?? undefined,
    };
    const delivery = {
      context: workContext(document, {
        at: entry.at,
        clock,
        requestId: `${document._id}/${entry.type}`,
        stopping: this.cutting.signal,
      }),
      aggregateId: document._id,
      sequence: entry.sequence,
    };
    await inSpan(span, () =>
      atBoundary(collection.definition.aggregate, entry.type, () =>
        handler(entry.payload as never, delivery),
      ),
    );
  }

  private async remove(
    collection: AggregateCollection<never>,
    { _id }: AggregateDocument,
    done: readonly OutboxEntry[],
  ): Promise<void> {
    const kind = done[0]?.kind ?? 'event';
    const sequences = done.map(({ sequence }) => sequence);
    const pull = { outbox: { kind, sequence: { $in: sequences } } };
    await collection.batches.update({ filter: { _id }, update: { $pull: pull } });
  }

  /** Ends the wait of a document whose outbox was read as empty, unless something was added since. */
  private async markEmpty(
    collection: AggregateCollection<never>,
    { _id, eventSequence, commandSequence, pendingSince }: AggregateDocument,
  ): Promise<void> {
    if (pendingSince === null) return;
    const filter = { _id, eventSequence, commandSequence };
    await collection.batches.update({ filter, update: { $set: { pendingSince: null } } });
  }

  private async sweepUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      for (const collection of this.collections) {
        try {
          await this.sweep(collection);
        } catch (error) {
          this.options.logger.warn({ err: error }, 'outbox sweep failed, will repeat');
        }
      }
      await sleep(sweepEveryMs * jitter(0.2), signal);
    }
  }

  private async sweep(collection: AggregateCollection<never>): Promise<void> {
    const { clock } = this.options;
    const until = new Date(clock.now().getTime() - sweepAfterMs);
    let from = new Date(0);
    let skip: string[] = [];
    for (;;) {
      const batch = await collection.documents
        .find({ pendingSince: { $gte: from, $lte: until }, _id: { $nin: skip } })
        .project<Pick<AggregateDocument, '_id' | 'pendingSince'>>({ pendingSince: 1 })
        .sort({ pendingSince: 1 })
        .limit(sweepBatch)
        .toArray();
      for (const { _id } of batch) this.kick(collection, _id);
      if (this.lanes.event.isFull || this.lanes.command.isFull) return;
      const last = batch.at(-1)?.pendingSince;
      if (batch.length < sweepBatch || !last || this.stopping.signal.aborted) return;
      // The next page starts at the last one's instant, without those of that instant that were seen.
      const ties = batch.filter(({ pendingSince }) => pendingSince?.getTime() === last.getTime());
      skip = [...(last.getTime() === from.getTime() ? skip : []), ...ties.map(({ _id }) => _id)];
      from = last;
    }
  }
}

/** An outbox entry as it is logged and published. */
function announcementOf(
  service: string,
  { definition }: AggregateCollection<never>,
  { document, entry }: { document: AggregateDocument; entry: OutboxEntry },
) {
  const { _id: aggregateId } = document;
  const { sequence, type, at, payload } = entry;
  const envelope = toEnvelope({
    service,
    aggregate: definition.aggregate,
    aggregateId,
    sequence,
    type,
    at,
    tenant: tenantOf(document),
    data: payload as string,
  });
  return {
    id: eventId({ aggregateId, sequence }),
    subject: `${service}.${type}`,
    envelope,
    traceparent: entry.traceparent ?? undefined,
  };
}
