import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateCollection, CommandHandler } from './aggregate-collection';
import type { AggregateDocument, OutboxEntry } from './aggregate-document';
import { type Clock, sleep } from './clock';
import { type EventLog, type EventLogDocument, logEvent } from './event-log';
import { atBoundary } from './failpoint';
import { jitter } from './ids';
import { InsertBatches } from './insert-batches';
import type { EventMessage, EventStream } from './jet-stream';
import { KeyedRetryQueue } from './keyed-retry-queue';
import type { Logger } from './logging';
import { announcementOf, asStored } from './outbox-entry';
import { OutboxProgress } from './outbox-progress';
import { aggregateAttributes } from './span-attributes';
import type { StuckCommands } from './stuck-commands';
import { inSpan } from './tracing';
import { workContext } from './work-context';

type Lane = OutboxEntry['kind'];
const laneNames: readonly Lane[] = ['event', 'command'];

/** One lane of one document. */
interface DocumentLane {
  readonly collection: AggregateCollection<never>;
  readonly key: string;
  readonly id: string;
  readonly lane: Lane;
}

/** A lane at work on a document as it was known then. */
interface LaneRun extends DocumentLane {
  readonly document: AggregateDocument;
  readonly progress: OutboxProgress;
}

/** What the relay works with. */
export interface RelayOptions {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly eventLog: EventLog;
  readonly stream: EventStream;
  /** How long entries that are being relayed may take at a stop. */
  readonly graceMs: number;
  /** While true outboxes are not swept. */
  readonly isPaused?: () => boolean;
  /** Where commands that keep failing are recorded; absent: nowhere. */
  readonly stuckCommands?: Pick<StuckCommands, 'recordFailure' | 'recordDone'>;
  /** Whether a document's environment was deleted: nothing of it is relayed any more. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

// The write's own process gets this long to relay it before a sweep may take it up; it also keeps the activity count ahead of effects.
const sweepAfterMs = 1_000;
const sweepEveryMs = 1_500;
// So long may what is done stand in a document while the other lane is at work on it.
const sweepBusyAfterMs = 30_000;
const sweepBatch = 100;
/**
 * Documents that are relayed at once, in each lane: three batches, of which one is answered, one on its way and one being filled. More would
 * only queue for the database and storm a peer that has just come back.
 */
export const documentsInFlightMax = 300;
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
  private readonly forcedStop = new AbortController();
  // Apart, so that commands to a peer that hangs never keep events waiting.
  private readonly queues: Readonly<Record<Lane, KeyedRetryQueue>>;
  private readonly eventLog: InsertBatches<EventLogDocument>;
  // Of the documents that a lane is at work on.
  private readonly progress = new Map<string, OutboxProgress>();
  // Of these, what is done and was left in the document to the lane that ends last.
  private readonly deferredRemovals = new Map<string, LaneRun>();
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: readonly AggregateCollection<never>[],
    private readonly options: RelayOptions,
  ) {
    this.eventLog = new InsertBatches(options.eventLog);
    this.queues = { event: this.openQueue(), command: this.openQueue() };
  }

  start(): void {
    for (const collection of this.collections) {
      collection.onPending = (id, written) => {
        this.enqueue(collection, id, written);
      };
    }
    this.sweeping = this.sweepUntilStopped();
  }

  /** Finishes the entries that are being relayed, cuts those that take longer than the grace, and leaves the others where they are. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.forcedStop.abort();
    }, this.options.graceMs);
    await this.sweeping;
    await Promise.all([this.queues.event.stop(), this.queues.command.stop()]);
    // The lane that it was left to may not have begun.
    const left = [...this.deferredRemovals.values()].map((run) =>
      this.removeDone(run, { hadEntries: false }),
    );
    await Promise.allSettled(left);
    clearTimeout(timer);
  }

  /** Runs what waits in a document now, without the pause after a failure. */
  runNow(collection: AggregateCollection<never>, id: string): void {
    this.queues.command.endPause(keyOf(collection, id));
    this.enqueue(collection, id);
  }

  private openQueue(): KeyedRetryQueue {
    return new KeyedRetryQueue({
      runningMax: documentsInFlightMax,
      waitingMax: documentsWaitingMax,
      retryDelayMs: (failures) =>
        Math.min(retryDelayMsMin * 2 ** Math.min(failures - 1, 10), retryDelayMsMax) * jitter(0.2),
      onFailure: ({ key, error, failures }) => {
        const message = 'outbox entry failed, retrying';
        this.options.logger.warn({ err: error, outbox: key, failures }, message);
      },
      onIdle: (key) => {
        if (!laneNames.every((lane) => this.queues[lane].isIdle(key))) return;
        this.progress.delete(key);
        this.deferredRemovals.delete(key);
      },
    });
  }

  /** `written` is the document as a write of this process has just left it: then nobody has to read it. */
  private enqueue(
    collection: AggregateCollection<never>,
    id: string,
    written?: AggregateDocument,
  ): void {
    this.submit(collection, id, { written, includeBusy: true });
  }

  private submit(
    collection: AggregateCollection<never>,
    id: string,
    { written, includeBusy }: { written?: AggregateDocument | undefined; includeBusy: boolean },
  ): void {
    const key = keyOf(collection, id);
    for (const lane of laneNames) {
      if (written?.outbox.some(({ kind }) => kind === lane) === false) continue;
      // What was left to the other lane is not looked at again before that had its time: it would cost a write of its own.
      if (!includeBusy && (this.queues[lane].isBusy(key) || this.deferredRemovals.has(key)))
        continue;
      let known = written;
      this.queues[lane].submit(key, () => {
        const run = { collection, key, id, lane, known };
        // A repeat reads what has become of it.
        known = undefined;
        return this.drain(run);
      });
    }
  }

  private async drain({ known, ...lane }: DocumentLane & { known: AggregateDocument | undefined }) {
    // Both lanes ask at once, and the document is read once.
    const document = this.fresh(known) ?? (await lane.collection.batches.find(lane.id));
    if (document === undefined || this.stopping.signal.aborted) return;
    if (this.options.isDeleted?.(document.environmentId) === true) return;
    const progress = this.progressOf(lane.key);
    const entries = progress.pending(document, lane.lane);
    const run = { ...lane, document, progress };
    try {
      if (lane.lane === 'event') await this.publishEvents(run, entries);
      else await this.runCommands(run, entries);
    } finally {
      await this.removeDone(run, { hadEntries: entries.length > 0 });
    }
  }

  // Another replica's sweep may have done by now what a write left behind long ago.
  private fresh(written: AggregateDocument | undefined): AggregateDocument | undefined {
    const writtenMs = written?.pendingSince?.getTime();
    if (written === undefined || writtenMs === undefined) return undefined;
    const ageMs = this.options.clock.now().getTime() - writtenMs;
    return ageMs < sweepAfterMs ? asStored(written) : undefined;
  }

  private progressOf(key: string): OutboxProgress {
    const progress = this.progress.get(key) ?? new OutboxProgress();
    this.progress.set(key, progress);
    return progress;
  }

  private async publishEvents(
    { collection, document, progress }: LaneRun,
    entries: readonly OutboxEntry[],
  ): Promise<void> {
    const { service, clock, stream } = this.options;
    const announcements = entries.map((entry) => ({
      entry,
      ...announcementOf(service, collection, { document, entry }),
    }));
    // All of them before any is published: while the stream is away, readers of the log still get everything in order.
    for (const { id, envelope, traceparent } of announcements) {
      const { environmentId } = document;
      const logged = { _id: id, environmentId, envelope, traceparent: traceparent ?? null };
      await logEvent(this.eventLog, logged, clock);
    }
    for (const { id, envelope, traceparent, subject, entry } of announcements) {
      // Consumers find it in the log. Events that wait would fill the outbox, and calls would be refused for the stream's sake.
      if (!stream.isConnected()) {
        progress.recordDone(entry);
        continue;
      }
      const event = {
        subject,
        id,
        traceparent,
        data: envelope,
        attributes: () =>
          aggregateAttributes(collection.definition.aggregate, document, entry.sequence),
      };
      await atBoundary(collection.definition.aggregate, 'publish', () =>
        stream.publish(event).catch((error: unknown) => this.failToPublish(error, event)),
      );
      progress.recordDone(entry);
    }
  }

  // Nothing that waits behind such an event is published before somebody raises the limit.
  private failToPublish(error: unknown, { id, subject, data }: EventMessage): never {
    if (error instanceof DomainError && error.reason === 'EVENT_TOO_LARGE') {
      const facts = { event: id, subject, bytes: Buffer.byteLength(data) };
      this.options.logger.error(
        facts,
        'event exceeds the message size limit of the stream, retrying',
      );
    }
    throw error;
  }

  private async runCommands(run: LaneRun, entries: readonly OutboxEntry[]): Promise<void> {
    for (const entry of entries) {
      if (this.stopping.signal.aborted) return;
      const { stuckCommands } = this.options;
      try {
        await this.runCommand(run, entry);
      } catch (error) {
        await stuckCommands?.recordFailure({ ...run, entry }, error);
        throw error;
      }
      run.progress.recordDone(entry);
      // No turn of the event loop in between where nothing was recorded: writes that end together are batched.
      const forgotten = stuckCommands?.recordDone({ ...run, entry });
      if (forgotten !== undefined) await forgotten;
    }
  }

  private async runCommand(run: LaneRun, entry: OutboxEntry): Promise<void> {
    const { collection, key, document, progress } = run;
    const handler: CommandHandler | undefined = collection.behaviour.commands?.[entry.type];
    if (handler === undefined) throw new Error(`No handler for command ${entry.type}`);
    const { service, clock } = this.options;
    const span = {
      name: `command ${entry.type}`,
      kind: 'internal' as const,
      service,
      traceparent: entry.traceparent ?? undefined,
      attributes: () =>
        aggregateAttributes(collection.definition.aggregate, document, entry.sequence),
    };
    const delivery = {
      context: workContext(document, {
        at: entry.at,
        clock,
        requestId: `${document._id}/${entry.type}`,
        stopping: this.forcedStop.signal,
      }),
      aggregateId: document._id,
      sequence: entry.sequence,
      completion: progress.completionOf(entry, {
        document,
        isOtherInFlight: () => this.queues.event.isBusy(key),
      }),
    };
    await inSpan(span, () =>
      atBoundary(collection.definition.aggregate, entry.type, () =>
        handler(entry.payload as never, delivery),
      ),
    );
  }

  /**
   * Takes out of the document what is done. Where the other lane is at work on it too, that is left to whoever ends last, so that it
   * costs one write; but not what is done later while that is at work, because it may hang.
   */
  private async removeDone(run: LaneRun, { hadEntries }: { hadEntries: boolean }): Promise<void> {
    const { collection, document, key, id, lane, progress } = run;
    const isFinished = progress.isFinished(document);
    const isShared = this.queues[lane === 'event' ? 'command' : 'event'].isBusy(key);
    if (!isFinished && isShared && hadEntries && !this.deferredRemovals.has(key)) {
      this.deferredRemovals.set(key, run);
      return;
    }
    const done = progress.removable(document);
    if (isFinished ? progress.isEmptied(document) : done.length === 0) return;
    const { eventSequence, commandSequence } = document;
    const all = isFinished ? { eventSequence, commandSequence } : undefined;
    await collection.batches.removeDone({ id, done, all });
    if (isFinished) progress.recordEmptied(document);
    else progress.recordRemoved(done);
    this.deferredRemovals.delete(key);
  }

  private async sweepUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      for (const collection of this.collections) {
        try {
          if (this.options.isPaused?.() !== true) await this.sweep(collection);
        } catch (error) {
          this.options.logger.warn({ err: error }, 'outbox sweep failed, retrying');
        }
      }
      await sleep(sweepEveryMs * jitter(0.2), signal);
    }
  }

  private async sweep(collection: AggregateCollection<never>): Promise<void> {
    const { clock } = this.options;
    const nowMs = clock.now().getTime();
    const until = new Date(nowMs - sweepAfterMs);
    // What this process is at work on needs no second look so soon.
    const longAgo = new Date(nowMs - sweepBusyAfterMs);
    let from = new Date(0);
    let skip: string[] = [];
    for (;;) {
      const batch = await collection.documents
        .find({ pendingSince: { $gte: from, $lte: until }, _id: { $nin: skip } })
        .project<Pick<AggregateDocument, '_id' | 'pendingSince'>>({ pendingSince: 1 })
        .sort({ pendingSince: 1 })
        .limit(sweepBatch)
        .toArray();
      for (const { _id, pendingSince } of batch) {
        const includeBusy = pendingSince !== null && pendingSince < longAgo;
        this.submit(collection, _id, { includeBusy });
      }
      if (this.queues.event.isFull || this.queues.command.isFull) return;
      const last = batch.at(-1)?.pendingSince;
      if (batch.length < sweepBatch || !last || this.stopping.signal.aborted) return;
      // The next page starts at the last one's instant, without those of that instant that were seen.
      const ties = batch.filter(({ pendingSince }) => pendingSince?.getTime() === last.getTime());
      skip = [...(last.getTime() === from.getTime() ? skip : []), ...ties.map(({ _id }) => _id)];
      from = last;
    }
  }
}

function keyOf({ definition }: AggregateCollection<never>, id: string): string {
  return `${definition.collection}/${id}`;
}
