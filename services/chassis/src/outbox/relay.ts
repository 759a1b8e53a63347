import { tenantOf, type AggregateDocument, type OutboxEntry } from '../aggregates/aggregate';
import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateCollection, CommandHandler } from '../aggregates/aggregate-collection';
import { type Clock, sleep } from '../clock';
import { type EventLog, type EventLogDocument, logEvent } from './event-log';
import { atBoundary } from '../failpoint';
import { jitter } from '../ids';
import { InsertBatches } from '../mongo/inserts';
import type { EventMessage, EventStream } from '../stream/jet-stream';
import type { Filter } from 'mongodb';
import { everySlice, type SliceFilter, type Slices } from '../replicas/slices';
import { KeyedRetryQueue } from '../concurrency/keyed-retry-queue';
import type { Logger } from '../telemetry/logging';
import { announcementOf, asStored } from './outbox-entry';
import { OutboxProgress } from '../aggregates/outbox-progress';
import { aggregateAttributes, inSpan } from '../telemetry/tracing';
import type { StuckCommands } from './stuck-commands';
import { workContext } from '../grpc/call-context';

type Lane = OutboxEntry['kind'];
const laneNames: readonly Lane[] = ['event', 'command'];

/** One lane of one document. A lane is the queue of one kind of outbox entries. */
interface DocumentLane {
  readonly collection: AggregateCollection<never>;
  readonly key: string;
  readonly id: string;
  readonly lane: Lane;
}

/** Position of a sweep: documents that have waited since then, except some of that instant. */
interface Position {
  readonly from: Date;
  readonly skip: readonly string[];
}

const firstPosition: Position = { from: new Date(0), skip: [] };

/** Waiting document as a sweep reads it. */
type Waiting = Pick<AggregateDocument, '_id' | 'pendingSince'> & {
  readonly outbox?: readonly Pick<OutboxEntry, 'kind'>[];
};

/** A run of a lane for a document, as the document was known at its start. */
interface LaneRun extends DocumentLane {
  readonly document: AggregateDocument;
  readonly progress: OutboxProgress;
}

/** Dependencies of the relay, and its limits at a stop. */
export interface RelayOptions {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly eventLog: EventLog;
  readonly stream: EventStream;
  /** Time that running entries may take after a stop. */
  readonly graceMs: number;
  /** Slices that are swept; absent: all. */
  readonly slices?: Slices;
  /** While true, outboxes are not swept. */
  readonly isPaused?: () => boolean;
  /** Records commands that keep failing; absent: they are not recorded. */
  readonly stuckCommands?: Pick<StuckCommands, 'recordFailure' | 'recordDone'>;
  /** True if a document's environment was deleted; its entries are not relayed. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

// Gives the writing process time to relay its entries before a sweep may find them. Also keeps the
// activity count ahead of effects.
const sweepAfterMs = 1_000;
const sweepEveryMs = 1_500;
// Maximum time that done entries stay in a document while its other lane runs.
const sweepBusyAfterMs = 30_000;
const sweepBatch = 100;
// Pages of one sweep; the next one continues after them.
const sweepPagesMax = 50;
/**
 * Documents in flight per lane: three batches, one being answered, one in flight and one being
 * filled. More would only queue for the database, and overload a peer that has just recovered.
 */
export const documentsInFlightMax = 300;
// Documents over this limit are found by a later sweep.
const documentsWaitingMax = 5_000;
const retryDelayMsMin = 100;
const retryDelayMsMax = 10_000;

/**
 * Empties outboxes: logs and publishes events, and runs commands by their handlers. Both lanes of a
 * document run independently, each in order of its sequence: entry k+1 waits for k. A crash at any
 * point leaves the entry in the document, and a sweep retries it.
 */
export class Relay {
  private readonly stopping = new AbortController();
  // Aborts the work that still runs after the grace.
  private readonly forcedStop = new AbortController();
  // Separate, so that commands to a hanging peer never delay events.
  private readonly queues: Readonly<Record<Lane, KeyedRetryQueue>>;
  private readonly eventLog: InsertBatches<EventLogDocument>;
  // Progress of documents with a running lane.
  private readonly progress = new Map<string, OutboxProgress>();
  // Done entries of these documents whose removal is left to the lane that ends last.
  private readonly deferredRemovals = new Map<string, LaneRun>();
  private sweeping: Promise<void> = Promise.resolve();
  // Where the last sweep of each lane ended, by collection and lane; absent: at the end.
  private readonly positions = new Map<string, Position>();
  private sweptSlices: SliceFilter | undefined;

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

  /**
   * Finishes running entries, aborts them after the grace, and leaves the others in their
   * documents.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.forcedStop.abort();
    }, this.options.graceMs);
    await this.sweeping;
    await Promise.all([this.queues.event.stop(), this.queues.command.stop()]);
    // The lane that should have removed them may never have started.
    const left = [...this.deferredRemovals.values()].map((run) =>
      this.removeDone(run, { hadEntries: false }),
    );
    await Promise.allSettled(left);
    clearTimeout(timer);
  }

  /** Relays a document's entries now, without the pause after a failure. */
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

  /** `written` is the document as this process has just written it, which saves reading it. */
  private enqueue(
    collection: AggregateCollection<never>,
    id: string,
    written?: AggregateDocument,
  ): void {
    for (const lane of laneNames) {
      if (written?.outbox.some(({ kind }) => kind === lane) === false) continue;
      this.submit(collection, { id, lane, written });
    }
  }

  private submit(
    collection: AggregateCollection<never>,
    { id, lane, written }: { id: string; lane: Lane; written?: AggregateDocument | undefined },
  ): void {
    const key = keyOf(collection, id);
    let known = written;
    this.queues[lane].submit(key, () => {
      const run = { collection, key, id, lane, known };
      // A retry reads the document's current state.
      known = undefined;
      return this.drain(run);
    });
  }

  private async drain({ known, ...lane }: DocumentLane & { known: AggregateDocument | undefined }) {
    // Both lanes read concurrently, and the batch reads the document once.
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

  // If the write is older, another replica's sweep may have processed its entries already.
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
    // All are logged before any is published: while the stream is unavailable, readers of the log
    // still get everything in order.
    for (const { id, envelope, traceparent } of announcements) {
      const { environmentId } = document;
      const logged = { _id: id, environmentId, envelope, traceparent: traceparent ?? null };
      await logEvent(this.eventLog, logged, clock);
    }
    for (const { id, envelope, traceparent, subject, entry } of announcements) {
      // Consumers find it in the log. Otherwise waiting events would fill the outbox, and calls
      // would be refused because of the stream.
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

  // Later events wait behind such an event until an operator raises the limit.
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
      // Without a recorded failure there is no await, so that writes that end together share a
      // batch.
      const deleted = stuckCommands?.recordDone({ ...run, entry });
      if (deleted !== undefined) await deleted;
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
      context: workContext(tenantOf(document), {
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
   * Removes done entries from the document. If the other lane is running, the removal is left to
   * the lane that ends last, so that it costs one write. Entries that are done later during that
   * run are removed right away, because the other lane may hang.
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
    await collection.removeDone({ id, done, all });
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

  /**
   * Submits what waits in the replica's slices. Each lane has its own position and continues where
   * its last sweep ended, so that documents whose commands fail never hold up the events of others.
   */
  private async sweep(collection: AggregateCollection<never>): Promise<void> {
    const slices = (this.options.slices ?? everySlice).filter();
    if (slices === undefined) return;
    if (slices !== this.sweptSlices) this.positions.clear();
    this.sweptSlices = slices;
    const positions = laneNames.map((lane) => this.positionOf(collection, lane));
    if (positions.every((position) => position === firstPosition)) {
      await this.sweepLanes(collection, { lanes: laneNames, start: firstPosition, slices });
      return;
    }
    for (const lane of laneNames) {
      const start = this.positionOf(collection, lane);
      await this.sweepLanes(collection, { lanes: [lane], start, slices });
    }
  }

  private positionOf(collection: AggregateCollection<never>, lane: Lane): Position {
    return this.positions.get(keyOf(collection, lane)) ?? firstPosition;
  }

  private async sweepLanes(
    collection: AggregateCollection<never>,
    { lanes, start, slices }: { lanes: readonly Lane[]; start: Position; slices: SliceFilter },
  ): Promise<void> {
    const nowMs = this.options.clock.now().getTime();
    const until = new Date(nowMs - sweepAfterMs);
    // Documents with a running lane are submitted again only after this time.
    const longAgo = new Date(nowMs - sweepBusyAfterMs);
    let open = lanes;
    let position: Position | undefined = start;
    for (let page = 1; position !== undefined && open.length > 0; page += 1) {
      if (this.stopping.signal.aborted) return;
      for (const lane of open) this.positions.set(keyOf(collection, lane), position);
      if (page > sweepPagesMax) return;
      const batch: readonly Waiting[] = await this.readWaiting(collection, {
        position,
        until,
        slices,
      });
      for (const document of batch) {
        const isLongAgo = document.pendingSince !== null && document.pendingSince < longAgo;
        const inLanes = lanesOf(document);
        for (const lane of open.filter((one) => inLanes.includes(one))) {
          this.submitWaiting(collection, { id: document._id, lane, includeBusy: isLongAgo });
        }
      }
      // A full lane continues at this page.
      open = open.filter((lane) => !this.queues[lane].isFull);
      position = nextPosition(position, batch);
    }
    for (const lane of open) this.positions.delete(keyOf(collection, lane));
  }

  private async readWaiting(
    { documents }: AggregateCollection<never>,
    { position, until, slices }: { position: Position; until: Date; slices: SliceFilter },
  ): Promise<Waiting[]> {
    const { from, skip } = position;
    const query = { ...slices, pendingSince: { $gte: from, $lte: until }, _id: { $nin: skip } };
    return documents
      .find(query as Filter<AggregateDocument>)
      .project<Waiting>({ pendingSince: 1, 'outbox.kind': 1 })
      .sort({ pendingSince: 1 })
      .limit(sweepBatch)
      .toArray();
  }

  private submitWaiting(
    collection: AggregateCollection<never>,
    { id, lane, includeBusy }: { id: string; lane: Lane; includeBusy: boolean },
  ): void {
    const key = keyOf(collection, id);
    // If the removal is left to the other lane, that lane first gets time to finish: a separate
    // removal would cost another write.
    if (!includeBusy && (this.queues[lane].isBusy(key) || this.deferredRemovals.has(key))) return;
    this.submit(collection, { id, lane });
  }
}

// A document without entries still has to be marked as emptied, which any lane does.
function lanesOf({ outbox = [] }: Waiting): readonly Lane[] {
  if (outbox.length === 0) return ['event'];
  return laneNames.filter((lane) => outbox.some(({ kind }) => kind === lane));
}

// The next page starts at the last one's instant and excludes the documents of that instant that
// were seen.
function nextPosition({ from, skip }: Position, batch: readonly Waiting[]): Position | undefined {
  const last = batch.at(-1)?.pendingSince;
  if (batch.length < sweepBatch || !last) return undefined;
  const ties = batch.filter(({ pendingSince }) => pendingSince?.getTime() === last.getTime());
  const earlier = last.getTime() === from.getTime() ? skip : [];
  return { from: last, skip: [...earlier, ...ties.map(({ _id }) => _id)] };
}

function keyOf({ definition }: AggregateCollection<never>, id: string): string {
  return `${definition.collection}/${id}`;
}
