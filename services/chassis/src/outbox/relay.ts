import { tenantOf, type AggregateDocument, type OutboxEntry } from '../aggregates/aggregate';
import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateCollection, CommandHandler } from '../aggregates/aggregate-collection';
import type { Clock } from '../clock';
import { type EventLog, type EventLogDocument, logEvent } from './event-log';
import { atBoundary } from '../failpoint';
import { jitter } from '../ids';
import { InsertBatches } from '../mongo/inserts';
import type { EventMessage, EventStream } from '../stream/jet-stream';
import type { Slices } from '../replicas/slices';
import type { SystemWatch } from '../replicas/system-watch';
import { KeyedRetryQueue } from '../concurrency/keyed-retry-queue';
import type { Logger } from '../telemetry/logging';
import { announcementOf, asStored } from './outbox-entry';
import { OutboxProgress } from '../aggregates/outbox-progress';
import { aggregateAttributes, inSpan } from '../telemetry/tracing';
import type { StuckCommands } from './stuck-commands';
import { type FoundLane, type Lane, laneNames, OutboxSweep, sweepAfterMs } from './sweep';
import { workContext } from '../grpc/call-context';

/** One lane of one document. */
interface DocumentLane {
  readonly collection: AggregateCollection<never>;
  readonly key: string;
  readonly id: string;
  readonly lane: Lane;
}

/** A run of a lane for a document, as the document was known at its start. */
interface LaneRun extends DocumentLane {
  readonly document: AggregateDocument;
  readonly progress: OutboxProgress;
}

/** Dependencies of the relay, and its limits at a stop. */
export interface RelayDependencies {
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
  /** While the system holds messages, entries stay in their documents. */
  readonly system?: Pick<SystemWatch, 'holdsMessages' | 'write'>;
  /** Records commands that keep failing; absent: they are not recorded. */
  readonly stuckCommands?: Pick<StuckCommands, 'recordFailure' | 'recordDone'>;
  /** True if a document's environment was deleted; its entries are not relayed. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

/**
 * Documents in flight per lane: three batches, one being answered, one in flight and one being
 * filled. More would only queue for the database, and overload a peer that has just recovered.
 */
export const documentsInFlightMax = 300;
// Documents over this limit are found by a later sweep.
const documentsWaitingMax = 5_000;
const retryDelayMsMin = 100;
const retryDelayMsMax = 10_000;
/** Share by which a delay varies. */
export const retryJitter = 0.2;

/** Delay before a document's outbox is relayed again, by the number of failures in a row. */
export function relayRetryMs(failures: number): number {
  return Math.min(retryDelayMsMin * 2 ** Math.min(failures - 1, 10), retryDelayMsMax);
}

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
  private readonly sweep: OutboxSweep;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: readonly AggregateCollection<never>[],
    private readonly dependencies: RelayDependencies,
  ) {
    this.eventLog = new InsertBatches(dependencies.eventLog);
    this.queues = { event: this.openQueue(), command: this.openQueue() };
    this.sweep = new OutboxSweep(collections, {
      ...dependencies,
      isFull: (lane) => this.queues[lane].isFull,
      submit: (collection, found) => {
        this.submitWaiting(collection, found);
      },
    });
  }

  start(): void {
    for (const collection of this.collections) {
      collection.onPending = (id, written, added) => {
        this.enqueue(collection, id, written, added);
      };
    }
    this.sweeping = this.sweep.runUntil(this.stopping.signal);
  }

  /**
   * Finishes running entries, aborts them after the grace, and leaves the others in their
   * documents.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.forcedStop.abort();
    }, this.dependencies.graceMs);
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
      retryDelayMs: (failures) => relayRetryMs(failures) * jitter(retryJitter),
      onFailure: ({ key, error, failures }) => {
        const message = 'outbox entry failed, retrying';
        this.dependencies.logger.warn({ err: error, outbox: key, failures }, message);
      },
      onIdle: (key) => {
        if (!laneNames.every((lane) => this.queues[lane].isIdle(key))) return;
        this.progress.delete(key);
        this.deferredRemovals.delete(key);
      },
    });
  }

  /**
   * `written` is the document as this process has just written it, which saves reading it. `added`
   * are the entries of that write; absent: any entries may wait.
   */
  private enqueue(
    collection: AggregateCollection<never>,
    id: string,
    written?: AggregateDocument,
    added = written?.outbox,
  ): void {
    for (const lane of laneNames) {
      if (added?.some(({ kind }) => kind === lane) === false) continue;
      this.submit(collection, { id, lane, written });
    }
  }

  private submit(
    collection: AggregateCollection<never>,
    { id, lane, written }: { id: string; lane: Lane; written?: AggregateDocument | undefined },
  ): void {
    const key = keyOf(collection, id);
    let known = written;
    const { system } = this.dependencies;
    this.queues[lane].submit(key, async () => {
      if (system?.holdsMessages === true) return;
      const run = { collection, key, id, lane, known };
      // A retry reads the document's current state.
      known = undefined;
      const drain = () => this.drain(run);
      await (system === undefined ? drain() : system.write(drain));
    });
  }

  private async drain({ known, ...lane }: DocumentLane & { known: AggregateDocument | undefined }) {
    // Both lanes read concurrently, and the batch reads the document once.
    const fresh = this.fresh(known);
    const document = fresh ?? (await lane.collection.batches.find(lane.id));
    if (document === undefined || this.stopping.signal.aborted) return;
    if (this.dependencies.isDeleted?.(document.environmentId) === true) return;
    const progress = this.progressOf(lane.key);
    const entries = progress.pending(document, lane.lane);
    progress.recordStarted(entries);
    const run = { ...lane, document, progress };
    try {
      if (lane.lane === 'event') await this.publishEvents(run, entries);
      else await this.runCommands(run, entries);
    } finally {
      await this.removeDone(run, { hadEntries: entries.length > 0 });
    }
    // Entries of the other lane may have been removed before the document was written.
    const isLeftOver = fresh !== undefined && !progress.isFinished(document);
    if (isLeftOver && !this.isOtherBusy(run))
      this.submit(run.collection, { id: run.id, lane: run.lane });
  }

  private submitWaiting(
    collection: AggregateCollection<never>,
    { id, lane, includeBusy }: FoundLane,
  ): void {
    const key = keyOf(collection, id);
    // If the removal is left to the other lane, that lane first gets time to finish: a separate
    // removal would cost another write.
    if (!includeBusy && (this.queues[lane].isBusy(key) || this.deferredRemovals.has(key))) return;
    this.submit(collection, { id, lane });
  }

  // If the write is older, another replica's sweep may have processed its entries already.
  private fresh(written: AggregateDocument | undefined): AggregateDocument | undefined {
    const writtenMs = written?.pendingSince?.getTime();
    if (written === undefined || writtenMs === undefined) return undefined;
    const ageMs = this.dependencies.clock.now().getTime() - writtenMs;
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
    const { service, clock, stream } = this.dependencies;
    const announcements = entries.map((entry) => ({
      entry,
      ...announcementOf(service, collection, { document, entry }),
    }));
    // All are logged before any is published: while the stream is unavailable, readers of the log
    // still get everything in order.
    for (const { logId, envelope, traceparent } of announcements) {
      const { environmentId } = document;
      const logged = { _id: logId, environmentId, envelope, traceparent: traceparent ?? null };
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
      this.dependencies.logger.error(
        facts,
        'event exceeds the message size limit of the stream, retrying',
      );
    }
    throw error;
  }

  private async runCommands(run: LaneRun, entries: readonly OutboxEntry[]): Promise<void> {
    for (const entry of entries) {
      if (this.stopping.signal.aborted) return;
      const { stuckCommands } = this.dependencies;
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
    const { service, clock } = this.dependencies;
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
        onEmptied: () => this.deferredRemovals.delete(key),
      }),
    };
    await inSpan(span, () =>
      atBoundary(collection.definition.aggregate, entry.type, () =>
        handler(entry.payload as never, delivery),
      ),
    );
  }

  private isOtherBusy({ key, lane }: Pick<DocumentLane, 'key' | 'lane'>): boolean {
    return this.queues[lane === 'event' ? 'command' : 'event'].isBusy(key);
  }

  /**
   * Removes done entries from the document. If the other lane is running, the removal is left to
   * the lane that ends last, so that it costs one write. Entries that are done later during that
   * run are removed right away, because the other lane may hang.
   */
  private async removeDone(run: LaneRun, { hadEntries }: { hadEntries: boolean }): Promise<void> {
    const { collection, document, key, id, progress } = run;
    const isFinished = progress.isFinished(document);
    const isShared = this.isOtherBusy(run);
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
}

function keyOf({ definition }: AggregateCollection<never>, id: string): string {
  return `${definition.collection}/${id}`;
}
