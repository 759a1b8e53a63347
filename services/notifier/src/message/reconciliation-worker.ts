import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { Semaphore } from '@billing/chassis/semaphore';
import type { AwaitedEventWorker } from './awaited-event-worker';
import type { Cursor, CursorStore, SeenEntry } from './cursor-store';
import { type Announcement, type OrderedEventConsumer, readAnnouncement } from './accept-in-order';
import { EarlierEventMissingError, UnknownEventTypeError } from './accept-event';
import {
  type MessageKey,
  type MessageStore,
  restoreCodesField,
  type SubjectKey,
} from './message-store';
import type { EventLogOwner, LoggedEvent, LogStart } from '../peer/peers';

export interface EventReconciliationDependencies {
  readonly owners: readonly EventLogOwner[];
  readonly cursors: CursorStore;
  readonly messages: MessageStore;
  readonly consumer: Pick<OrderedEventConsumer, 'acceptLogged' | 'acceptUpTo'>;
  readonly awaited: Pick<AwaitedEventWorker, 'findWaiting' | 'isEmpty' | 'park' | 'run'>;
  /** Distinguishes this process from others with the same database. */
  readonly replica: string;
  /**
   * True if no other replica is alive, so that no lease is needed. Two readers of one log would
   * only cost more: entries that are known are recognized.
   */
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

// Entries become visible out of order: clocks of replicas differ, and writes take time.
const overlapMs = 2 * 60 * 1_000;
// Reading the overlap costs as much as two minutes of traffic, so not every round does it.
const overlapEveryMs = 60 * 1_000;
const pageMax = 100;
// Bounds the subscriptions that are waited for without a stream message that brings each of them
// back.
const expectedMax = 1_000;
// A log that answers slowly blocks one of these.
const triesMax = 10;
// The logs of a replica that died pass to another after this time.
const leaseMs = 15_000;
// Any failure except a missing event may be the database's. One that persists is parked, so that
// the cursor can pass.
const failingMax = 1_000;
const failingMsMax = 3 * 60 * 1_000;

/** This process's position in a log. */
interface Progress {
  /**
   * Start of the next round; undefined before the first round, and after one that left entries
   * behind.
   */
  readonly tail: string | undefined;
  /** Real time of the last round that began with the overlap. */
  readonly overlapReadAt: Date | undefined;
}

const fromCursor: Progress = { tail: undefined, overlapReadAt: undefined };

/**
 * Compares the events that the owners announced with the accepted ones, and accepts the missing
 * ones: the stream is fast, the logs are certain. The cursor passes an entry only when everything
 * up to it is accepted or parked; a round that failed to do so is followed by one that begins at
 * the cursor. So no event is lost, however long the notifier was down and however much the stream
 * lost. One replica at a time reads a log.
 */
export class EventReconciliation {
  private readonly progress = new Map<string, Progress>();
  /** By subscription: the highest event that the stream has revealed. */
  private readonly expected = new Map<string, SubjectKey>();
  /**
   * By log, then subscription: time since which this process fails to accept its events. Empty
   * after a complete round.
   */
  private readonly failingSince = new Map<string, Map<string, Date>>();
  private readonly tries = new Semaphore(triesMax);
  private running: Promise<void> | undefined;
  private isFetchScheduled = false;
  private signal: AbortSignal | undefined;

  constructor(private readonly dependencies: EventReconciliationDependencies) {}

  /**
   * Runs one round over all owners; ends early when the signal aborts. A call during a round joins
   * it.
   */
  run(signal?: AbortSignal): Promise<void> {
    this.signal = signal ?? this.signal;
    this.running ??= this.reconcile().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** True if a subscription is being waited for, so that its later events need not be tried. */
  isExpecting({ subscriptionId }: MessageKey): boolean {
    return this.expected.has(subscriptionId);
  }

  /**
   * Registers an event that cannot be accepted until earlier ones are: these are fetched
   * immediately and then in each round. Returns false if too many are registered already, and the
   * event must be redelivered.
   */
  expect(key: SubjectKey): boolean {
    const known = this.expected.get(key.subscriptionId);
    if (known === undefined && this.expected.size >= expectedMax) return false;
    if (known === undefined || known.sequence < key.sequence) {
      const { environmentId, subscriptionId, subjectType, sequence } = key;
      const codes = restoreCodesField(key);
      const expected = { environmentId, subscriptionId, subjectType, sequence, ...codes };
      this.expected.set(subscriptionId, expected);
    }
    if (known === undefined) this.scheduleFetch();
    return true;
  }

  /** Waits for the round in progress. */
  async stop(): Promise<void> {
    const { cursors, replica, logger } = this.dependencies;
    await this.running?.catch(() => undefined);
    await cursors.release(replica).catch((error: unknown) => {
      logger.warn({ err: error }, 'event log lease not released, waiting for its expiry');
    });
  }

  private scheduleFetch(): void {
    if (this.isFetchScheduled) return;
    this.isFetchScheduled = true;
    void this.runAfterCurrent().catch((error: unknown) => {
      this.dependencies.logger.warn({ err: error }, 'reading event logs failed, retrying');
    });
  }

  private async runAfterCurrent(): Promise<void> {
    await this.running?.catch(() => undefined);
    this.isFetchScheduled = false;
    await this.run();
  }

  private async reconcile(): Promise<void> {
    await Promise.all(
      [...this.expected.keys()].map((id) => this.tries.run(() => this.acceptExpected(id))),
    );
    await this.dependencies.awaited.run(this.signal);
    let cursors: ReturnType<CursorStore['findAll']> | undefined;
    // One read for all logs, after the first claim.
    const readCursors = () => (cursors ??= this.dependencies.cursors.findAll());
    const rounds = await Promise.allSettled(
      this.dependencies.owners.map((owner) => this.readLog(owner, readCursors)),
    );
    // An unavailable owner does not prevent reading the others.
    for (const round of rounds) if (round.status === 'rejected') throw round.reason;
  }

  private async acceptExpected(subscriptionId: string): Promise<void> {
    let key = this.expected.get(subscriptionId);
    while (key !== undefined && this.signal?.aborted !== true) {
      try {
        await this.dependencies.consumer.acceptUpTo(key);
      } catch (error) {
        // The log has the event, so that the round over the logs parks it.
        if (error instanceof UnknownEventTypeError) this.expected.delete(subscriptionId);
        this.recordRefused(key, error);
        return;
      }
      const latest = this.expected.get(subscriptionId);
      if (latest?.sequence === key.sequence) this.expected.delete(subscriptionId);
      key = latest?.sequence === key.sequence ? undefined : latest;
    }
  }

  private async readLog(owner: EventLogOwner, readCursors: CursorStore['findAll']): Promise<void> {
    const { name } = owner;
    const before = this.progress.get(name) ?? fromCursor;
    // Stays in force if the round throws.
    this.progress.set(name, fromCursor);
    if (!(await this.claim(owner))) {
      this.failingSince.delete(name);
      return;
    }
    const cursor = (await readCursors()).get(name);
    this.progress.set(name, await this.readFrom(owner, before, cursor));
  }

  private async claim({ name }: EventLogOwner): Promise<boolean> {
    const { cursors, clock, replica, isAlone } = this.dependencies;
    if (isAlone()) return true;
    const now = clock.now();
    return cursors.claim(name, { replica, now, until: new Date(now.getTime() + leaseMs) });
  }

  private async readFrom(
    owner: EventLogOwner,
    before: Progress,
    cursor: Cursor | undefined,
  ): Promise<Progress> {
    const { cursors } = this.dependencies;
    const { name } = owner;
    const { start: first, overlapReadAt } = this.startOf(before, cursor);
    let passed = 'after' in first ? undefined : await this.passedOf(cursor);
    let start = first;
    let { tail } = before;
    let recent = cursor?.recent ?? [];
    let isComplete = true;
    while (this.signal?.aborted !== true) {
      const { entries, hasMore } = await owner.read(start, pageMax, passed);
      passed = undefined;
      isComplete = (await this.acceptAll(await this.findUndelivered(entries), owner)) && isComplete;
      const last = entries.at(-1);
      if (last !== undefined) {
        const { position, insertedAt } = last;
        start = { after: position };
        tail = position;
        const isAhead = cursor === undefined || position > cursor.position;
        if (isAhead) recent = withNewest(recent, entries);
        if (isAhead && isComplete) {
          const seen = recent.length > 0 ? { recent } : {};
          await cursors.store({ _id: name, position, insertedAt, ...seen });
        }
      }
      if (!hasMore || last === undefined) break;
      if (!(await this.claim(owner))) return fromCursor;
    }
    if (!isComplete) return fromCursor;
    this.failingSince.delete(name);
    return { tail, overlapReadAt };
  }

  private startOf(
    { tail, overlapReadAt }: Progress,
    cursor: Cursor | undefined,
  ): { start: LogStart; overlapReadAt: Date } {
    const now = this.dependencies.clock.now();
    const isOverlapDue =
      overlapReadAt === undefined || now.getTime() - overlapReadAt.getTime() >= overlapEveryMs;
    if (tail !== undefined && !isOverlapDue) return { start: { after: tail }, overlapReadAt };
    const start =
      cursor === undefined
        ? ({ beginning: true } as const)
        : { insertedAfter: new Date(cursor.insertedAt.getTime() - overlapMs) };
    return { start, overlapReadAt: now };
  }

  /**
   * Position to report to the owner, which may delete the entries before it. Undefined while events
   * that the cursor has passed are still to be fetched.
   */
  private async passedOf(cursor: Cursor | undefined): Promise<string | undefined> {
    if (cursor === undefined) return '';
    return (await this.dependencies.awaited.isEmpty()) ? cursor.position : undefined;
  }

  private async findUndelivered(entries: readonly LoggedEvent[]): Promise<Announcement[]> {
    const { messages, logger } = this.dependencies;
    const announced = entries.flatMap((entry) => readAnnouncement(entry, logger) ?? []);
    // A cursor that has not moved for very long leads back to messages that were removed since.
    return messages.findLacking(announced);
  }

  /**
   * Returns false if an event could neither be accepted nor parked. Subscriptions do not wait for
   * each other.
   */
  private async acceptAll(
    lacking: readonly Announcement[],
    owner: EventLogOwner,
  ): Promise<boolean> {
    const subscriptions = Map.groupBy(lacking, ({ key }) => key.subscriptionId);
    const waiting = await this.dependencies.awaited.findWaiting([...subscriptions.keys()]);
    const accepted = await Promise.all(
      [...subscriptions].map(async ([id, some]) => {
        const inOrder = some.toSorted((a, b) => a.key.sequence - b.key.sequence);
        if (!waiting.has(id)) return this.acceptInOrder(inOrder, owner);
        await this.park(inOrder, { owner, from: inOrder[0]?.key.sequence ?? 1 });
        return true;
      }),
    );
    return !accepted.includes(false);
  }

  /**
   * Accepts a subscription's events up to the first failure; returns false if that event could not
   * be parked either.
   */
  private async acceptInOrder(
    inOrder: readonly Announcement[],
    owner: EventLogOwner,
  ): Promise<boolean> {
    for (const [index, { key }] of inOrder.entries()) {
      try {
        await this.dependencies.consumer.acceptLogged(inOrder[index] as Announcement);
        this.failingSince.get(owner.name)?.delete(key.subscriptionId);
      } catch (error) {
        const isMissing = error instanceof EarlierEventMissingError;
        if (!isMissing) this.recordRefused(key, error);
        if (!isMissing && !this.hasFailedForLong(key, owner)) return false;
        const from = isMissing ? error.sequence : key.sequence;
        await this.park(inOrder.slice(index), { owner, from });
        return true;
      }
    }
    return true;
  }

  /** Lets the cursor pass events of one subscription, which are then retried by id. */
  private async park(
    inOrder: readonly Announcement[],
    { owner, from }: { owner: EventLogOwner; from: number },
  ): Promise<void> {
    const last = inOrder.at(-1);
    if (last === undefined) return;
    const { subscriptionId: _id, environmentId, subjectType, sequence: upTo } = last.key;
    const latestAt = new Date(Math.max(...inOrder.map(({ loggedAt }) => loggedAt.getTime())));
    const live = inOrder.find(({ event }) => event?.tenant !== undefined)?.event?.tenant?.live;
    await this.dependencies.awaited.park({
      ...{ _id, environmentId, subjectType, from, upTo, latestAt },
      ...(live !== undefined && { live }),
      ...restoreCodesField(last.key),
    });
    this.failingSince.get(owner.name)?.delete(_id);
  }

  private hasFailedForLong({ subscriptionId }: MessageKey, { name }: EventLogOwner): boolean {
    const now = this.dependencies.clock.now();
    const failing = this.failingSince.get(name) ?? new Map<string, Date>();
    const since = failing.get(subscriptionId) ?? now;
    if (failing.size < failingMax) failing.set(subscriptionId, since);
    this.failingSince.set(name, failing);
    return now.getTime() - since.getTime() >= failingMsMax;
  }

  private recordRefused({ subscriptionId, sequence }: MessageKey, error: unknown): void {
    if (error instanceof EarlierEventMissingError) return;
    const facts = { err: error, subscriptionId, sequence };
    this.dependencies.logger.warn(facts, 'accepting event failed, retrying');
  }
}

// Reads of more than a minute: the watch of the owners looks each minute.
const recentMax = 20;

/** Adds the newest entry of a live environment: those of sandboxes are deleted with them. */
function withNewest(
  recent: readonly SeenEntry[],
  entries: readonly LoggedEvent[],
): readonly SeenEntry[] {
  const newest = entries.findLast(({ envelope }) => isLive(envelope));
  if (newest === undefined || newest.id === recent.at(-1)?.id) return recent;
  return [...recent, { id: newest.id, insertedAt: newest.insertedAt }].slice(-recentMax);
}

/** False also for an envelope that cannot be read. */
function isLive(envelope: string): boolean {
  try {
    return (JSON.parse(envelope) as { environmentlive?: unknown }).environmentlive === true;
  } catch {
    return false;
  }
}
