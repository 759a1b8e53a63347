import {
  type AggregateChange,
  type Page,
  type AggregateDefinition,
  type Stored,
  type AggregateDocument,
  type Envelope,
  newEnvelope,
  outboxEntries,
  type OutboxEntry,
  scheduleOf,
  searchFieldsOf,
  subjectSequencesAfter,
  toStored,
  type Completion,
  type InlineCommands,
} from './aggregate';
import { BSON, type Collection, type Filter } from 'mongodb';
import { DomainError, notFound, staleVersion } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import type { ActivityCounts } from './activity';
import { updateOf } from './aggregate-update';
import type { CallContext } from '../grpc/call-context';
import { type Clock, sleep } from '../clock';
import type { DocumentBatches, Removal } from './document-batches';
import { jitter, randomHex } from '../ids';
import { type ListCounts, type ListFilter, shownBy } from './list-counts';
import type { BeforeWrite } from '../mongo/inserts';
import { type FirstReachedWriter, newlyReachedAt, recordFirstReached } from './first-reached';
import { duplicateKeyIndex, retryTransient } from '../mongo/mongo';
import { sliceOf } from '../replicas/slices';
import { currentTraceparent } from '../telemetry/tracing';
import type { KeyedMutex } from '../concurrency/keyed-mutex';
import type { ClaimingWrite, NaturalKeyClaims } from './natural-key-claims';
import { inlineCommandsOf } from './inline-commands';
import type { RecentWrite, RecentWrites } from './recent-writes';

// After 8 lost races in a row the contention is too high; the caller may retry later.
const attemptsMax = 8;
// More entries waiting in one document mean that a peer has been unavailable for very long.
const outboxEntriesMax = 100;
// Half of a document's maximum size; the rest is for the aggregate itself and one more decision.
const outboxBytesMax = 8 * 1024 * 1024;
// The largest entry, with the most metadata that a caller may send, has about half a megabyte, so a
// few always fit.
const outboxEntriesSmall = 8;
// Enough that two writes never share an id by chance.
const writeIdBytes = 16;
const endOfTime = new Date(8.64e15);
const outboxFull = 'OUTBOX_FULL';
const perPageOfAll = 100;
// As long as the relay works on a document without reading it.
const freshMs = 1_000;

/**
 * Called after entries are added to a document's outbox, with the document if its outbox is known,
 * and with the entries.
 */
export type PendingListener = (
  id: string,
  written?: AggregateDocument,
  added?: readonly OutboxEntry[],
) => void;

/** Dependencies of a store in addition to its collection. */
export interface StoreDependencies<S extends { readonly id: string }> {
  readonly clock: Clock;
  /** Code of the system's last restore, which its events carry; absent: none. */
  readonly restoreCode?: (() => string | null) | undefined;
  readonly activity: ActivityCounts;
  /** Called after entries are added to a document's outbox. */
  readonly onPending: PendingListener;
  /** Wraps every write that reaches a step for the first time. */
  readonly writeFirstReached: FirstReachedWriter;
  /** Called with every aggregate after a change. */
  readonly onChange: (stored: Stored<S>) => void;
  /** Claims values of the natural key, if the definition has one. */
  readonly naturalKey: NaturalKeyClaims<S> | undefined;
  /** Serializes decisions about one aggregate. */
  readonly writeMutex: KeyedMutex;
  /** Reads and writes single documents. */
  readonly batches: DocumentBatches;
  /** Writes that the next step need not read. */
  readonly recent: RecentWrites<S>;
  /** Removes entries from an outbox. */
  readonly removeDone: (removal: Removal) => Promise<void>;
  /** Counts matching documents for lists. */
  readonly listCounts: ListCounts;
}

/** Tenant, time and the storing gate of the request, if any. */
export type StoreContext = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** Precondition of a change, and the command that it completes. */
export interface MutateOptions<S> {
  /** The only version that may be changed (If-Match). */
  readonly expectedVersion?: number | undefined;
  /**
   * The command whose last step is this write. The write also removes the command from the outbox
   * if nothing else there is pending.
   */
  readonly completes?: Completion | undefined;
  /** Returns true if the new state completes the command. Absent: never. */
  readonly isLast?: ((state: S) => boolean) | undefined;
}

interface Change<S> {
  readonly decide: (state: S, now: Date) => Transition<S>;
  readonly options: MutateOptions<S>;
}

/** Aggregates of one environment: the only way to read or change them. */
export class AggregateStore<S extends { readonly id: string }> {
  constructor(
    private readonly collection: Collection<AggregateDocument>,
    private readonly definition: AggregateDefinition<S>,
    private readonly dependencies: StoreDependencies<S>,
    private readonly context: StoreContext,
  ) {}

  async find(id: string): Promise<Stored<S> | undefined> {
    const document = await this.findDocument(id);
    return document === undefined ? undefined : toStored(this.definition, document);
  }

  /**
   * Finds those of the ids that exist in the environment, each once, in any order, with one query.
   */
  async findAll(ids: Iterable<string>): Promise<Stored<S>[]> {
    const { batches } = this.dependencies;
    const documents = await batches.findAll([...new Set(ids)], this.context.tenant.environmentId);
    return documents.map((document) => toStored(this.definition, document));
  }

  /**
   * Like `get`, but may return the aggregate as this process wrote it less than a second ago. For a
   * step that follows the write, and whose own writes are compare-and-sets: another replica may
   * have changed the aggregate since.
   */
  async getRecent(id: string): Promise<Stored<S>> {
    const { recent } = this.dependencies;
    const { environmentId } = this.context.tenant;
    return recent.find(id, environmentId, freshMs)?.stored ?? this.get(id);
  }

  /** Throws not_found for an id that the environment does not have. */
  async get(id: string): Promise<Stored<S>> {
    const stored = await this.find(id);
    if (stored === undefined) throw notFound(this.definition.resource);
    return stored;
  }

  /**
   * Finds the aggregate that matches a filter on the document's own fields. At most one may match.
   */
  async findBy(filter: Readonly<Record<string, unknown>>): Promise<Stored<S> | undefined> {
    const query = { ...filter, environmentId: this.context.tenant.environmentId };
    const document = await retryTransient(() =>
      this.collection.findOne(query as Filter<AggregateDocument>),
    );
    return document === null ? undefined : toStored(this.definition, document);
  }

  /**
   * Lists one page of `perPage` aggregates, newest first, or oldest first with `oldestFirst`.
   * `filter` names the document's own fields; the environment is added.
   */
  async list({
    filter = {},
    page,
    perPage,
    oldestFirst = false,
  }: {
    filter?: ListFilter;
    page: number;
    perPage: number;
    oldestFirst?: boolean;
  }): Promise<Page<S>> {
    const [data, total] = await Promise.all([
      this.readPage(filter, { page, perPage, oldestFirst }),
      this.dependencies.listCounts.total(filter, this.context.tenant),
    ]);
    return { data, total };
  }

  /** Lists all aggregates that match a filter as of `list`, newest first, without counting them. */
  async listAll(filter: ListFilter): Promise<Stored<S>[]> {
    const all: Stored<S>[] = [];
    for (let page = 1; ; page += 1) {
      const data = await this.readPage(filter, { page, perPage: perPageOfAll, oldestFirst: false });
      all.push(...data);
      if (data.length < perPageOfAll) return all;
    }
  }

  private async readPage(
    filter: ListFilter,
    { page, perPage, oldestFirst }: { page: number; perPage: number; oldestFirst: boolean },
  ): Promise<Stored<S>[]> {
    // The range matches everything. Without it some servers sort all matches instead of walking the
    // index.
    const createdAt = { $lte: endOfTime };
    const { environmentId } = this.context.tenant;
    const query = { ...shownBy(this.definition, filter), environmentId, createdAt };
    const direction = oldestFirst ? 1 : -1;
    const documents = await retryTransient(() =>
      this.collection
        .find(query as Filter<AggregateDocument>)
        .sort({ createdAt: direction, _id: direction })
        .skip((page - 1) * perPage)
        .limit(perPage)
        .toArray(),
    );
    return documents.map((document) =>
      toStored(this.definition, document as unknown as AggregateDocument),
    );
  }

  /**
   * Stores a new aggregate with its events and commands. An existing id means that an earlier
   * attempt succeeded: the stored aggregate is returned with `inserted: false`, for the caller to
   * compare. A natural key that is in use throws the error that the definition names for it.
   */
  async insert(transition: Transition<S>): Promise<{ stored: Stored<S>; inserted: boolean }> {
    const { stored, document } = await this.insertNew(transition);
    if (document === undefined) return { stored, inserted: false };
    if (document.pendingSince !== null) this.dependencies.onPending(document._id, document);
    return { stored, inserted: true };
  }

  /**
   * Stores a new aggregate whose commands the caller runs itself, immediately, instead of the
   * relay. They must be idempotent: if the caller stops before the end, the relay's sweep runs all
   * of them again.
   */
  async insertWithInlineCommands(transition: Transition<S>): Promise<InlineCommands<S>> {
    if (transition.events.length > 0 || this.definition.announce !== undefined) {
      throw new Error('Only the relay announces events');
    }
    const { stored, document } = await this.insertNew(transition);
    return inlineCommandsOf(stored, document, this.dependencies);
  }

  private async insertNew(
    transition: Transition<S>,
  ): Promise<{ stored: Stored<S>; document: AggregateDocument | undefined }> {
    const { tenant, now } = this.context;
    const stored = { state: transition.state, tenant, version: 1, createdAt: now, updatedAt: now };
    const envelope = newEnvelope(transition.state.id, tenant, now);
    await this.dependencies.activity.count(envelope);
    const announced = this.announced(transition, { before: undefined, after: stored });
    const document = this.withOutbox(envelope, stored, announced);
    try {
      await this.insertDocument(document, transition.state);
    } catch (error) {
      return { stored: await this.existing(transition.state, error), document: undefined };
    }
    this.dependencies.recent.record({ document, stored });
    this.dependencies.onChange(stored);
    return { stored, document };
  }

  /**
   * Changes an aggregate; the only way to do so. Reads it, applies the pure `decide`, and writes
   * state and outbox in one compare-and-set on `version`. Lost races are retried.
   * - `decide` may run several times. Its `now` is never before the last change.
   * - A transition with the same state and no entries writes nothing.
   * - With `expectedVersion` (If-Match), any other version is refused as stale.
   * - A natural key that is in use throws the error that the definition names for it.
   * - `completes` is the command whose last write this is.
   */
  async mutate(
    id: string,
    decide: (state: S, now: Date) => Transition<S>,
    options: MutateOptions<S> = {},
  ): Promise<Stored<S>> {
    await options.completes?.whenLast();
    // Writers of one process must not race each other: frequent writers would starve occasional
    // ones.
    return this.dependencies.writeMutex.runExclusive([id], () =>
      this.decideInTurn(id, decide, options),
    );
  }

  private async decideInTurn(
    id: string,
    decide: (state: S, now: Date) => Transition<S>,
    options: MutateOptions<S>,
  ): Promise<Stored<S>> {
    const change = { decide, options };
    const { expectedVersion } = options;
    const recent = this.dependencies.recent.find(id, this.context.tenant.environmentId);
    if (recent !== undefined) {
      const after = await this.changeRecent(recent, change);
      if (after !== undefined) return after;
    }
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const document = await this.findDocument(id);
      if (document === undefined) throw notFound(this.definition.resource);
      const before = toStored(this.definition, document);
      if (expectedVersion !== undefined && expectedVersion !== before.version) throw staleVersion();
      const after = await this.changeRead({ document, stored: before }, change);
      if (after !== undefined) return after;
      await sleep(attempt * 5 * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  /**
   * Changes an aggregate as this process last wrote it, without reading it; undefined if it has to
   * be read. Another replica may have written since, so only a compare-and-set that succeeds
   * counts, and no refusal.
   */
  private async changeRecent(
    recent: RecentWrite<S>,
    { decide, options }: Change<S>,
  ): Promise<Stored<S> | undefined> {
    const { expectedVersion } = options;
    if (expectedVersion !== undefined && expectedVersion !== recent.stored.version)
      return undefined;
    const now = later(this.context.now, recent.stored.updatedAt);
    let transition: Transition<S>;
    try {
      transition = decide(recent.stored.state, now);
    } catch {
      return undefined;
    }
    if (isUnchanged(recent.stored.state, transition)) return undefined;
    let after: Stored<S> | undefined;
    try {
      after = await this.write(recent, { transition, now }, options);
    } catch (error) {
      // Entries that are done may still be in the outbox as it was written.
      if (!isOutboxFull(error)) throw error;
    }
    if (after === undefined) this.dependencies.recent.forget(recent.document._id);
    return after;
  }

  private async changeRead(
    read: RecentWrite<S>,
    { decide, options }: Change<S>,
  ): Promise<Stored<S> | undefined> {
    const now = later(this.context.now, read.stored.updatedAt);
    const transition = decide(read.stored.state, now);
    if (isUnchanged(read.stored.state, transition)) return read.stored;
    return this.write(read, { transition, now }, options);
  }

  /** Undefined if the compare-and-set failed. */
  private async write(
    { document, stored }: RecentWrite<S>,
    { transition, now }: { transition: Transition<S>; now: Date },
    { completes, isLast = () => true }: MutateOptions<S>,
  ): Promise<Stored<S> | undefined> {
    const { state, isHidden = false } = transition;
    const updatedAt = isHidden ? stored.updatedAt : now;
    const after = { ...stored, state, version: stored.version + 1, updatedAt };
    const completion = isLast(state) ? completes : undefined;
    const before = { document, stored };
    return (await this.replace(before, after, { transition, completion })) ? after : undefined;
  }

  private async replace(
    { document, stored }: RecentWrite<S>,
    after: Stored<S>,
    { transition, completion }: { transition: Transition<S>; completion: Completion | undefined },
  ): Promise<boolean> {
    await this.dependencies.activity.count(document);
    const announced = this.announced(transition, { before: stored, after });
    const next = this.withOutbox(document, after, announced);
    const added = next.outbox.slice(document.outbox.length);
    const isEmptied = completion?.isLastOf(document) === true;
    const update = updateOf(this.definition, { document, next, added, isEmptied });
    const { _id: id, environmentId, version } = document;
    const beforeWrite = this.beforeWrite();
    const write = { id, environmentId, version, writeId: next.lastWrite, update, beforeWrite };
    const { batches } = this.dependencies;
    const change = { before: stored.state, after: after.state, document: next, beforeWrite };
    const isWritten = await this.withClaim(change, () =>
      this.reach(document, next, () => batches.compareAndSet(write)),
    );
    if (!isWritten) return false;
    this.context.storing?.recordStored();
    if (isEmptied) completion.recordWritten(document);
    const outbox = isEmptied ? added : next.outbox;
    this.dependencies.recent.record({ document: { ...next, outbox }, stored: after });
    this.dependencies.onChange(after);
    if (added.length > 0) {
      const known = isEmptied ? { ...next, outbox: added } : knownAfter(document, next, added);
      this.dependencies.onPending(id, known, added);
    }
    return true;
  }

  private announced(transition: Transition<S>, change: AggregateChange<S>): Transition<S> {
    const events = this.definition.announce?.(transition.events, change);
    return events === undefined ? transition : { ...transition, events };
  }

  private reach<T>(
    before: AggregateDocument | undefined,
    next: AggregateDocument,
    write: () => Promise<T>,
  ): Promise<T> {
    const at = newlyReachedAt(before, next);
    if (at === undefined) return write();
    return this.dependencies.writeFirstReached({ environmentId: next.environmentId, at }, write);
  }

  private async insertDocument(document: AggregateDocument, state: S): Promise<void> {
    const { batches } = this.dependencies;
    const beforeWrite = this.beforeWrite();
    const change = { before: undefined, after: state, document, beforeWrite };
    await this.withClaim(change, async () => {
      await this.reach(undefined, document, () => batches.insert(document, beforeWrite));
      return true;
    });
    this.context.storing?.recordStored();
  }

  private withClaim(change: ClaimingWrite<S>, write: () => Promise<boolean>): Promise<boolean> {
    const { naturalKey } = this.dependencies;
    return naturalKey === undefined ? write() : naturalKey.write(change, write);
  }

  // A claim of a natural key, and a compare-and-set that fails, store nothing for the request.
  private beforeWrite(): BeforeWrite | undefined {
    const { storing } = this.context;
    return (
      storing &&
      (() => {
        storing.check();
      })
    );
  }

  // Called right before the write, because it takes the current time for first-reached timestamps.
  // The relay removes entries without changing `version`, so a write adds entries, and replaces the
  // array only if all entries in it are done.
  private withOutbox(
    envelope: Envelope,
    stored: Stored<S>,
    transition: Transition<S>,
  ): AggregateDocument {
    const { entries, restoreCodes } = outboxEntries(this.definition, stored, transition, {
      envelope,
      traceparent: currentTraceparent(),
      restoreCode: this.dependencies.restoreCode?.() ?? null,
    });
    const outbox = [...envelope.outbox, ...entries];
    if (outbox.length > outboxEntriesMax || outboxBytes(outbox) > outboxBytesMax) {
      throw new DomainError('resource_exhausted', outboxFull, 'Too many requests');
    }
    const subjectSequences = subjectSequencesAfter(envelope, transition.events);
    const reached = this.definition.stepsReached?.(stored.state) ?? [];
    const changedAt = this.dependencies.clock.now();
    return {
      ...envelope,
      ...recordFirstReached(envelope, reached, changedAt),
      ...this.definition.toDocument(stored.state),
      ...scheduleOf(this.definition, stored.state),
      ...searchFieldsOf(this.definition, stored.state, envelope.searchKeys),
      slice: envelope.slice ?? sliceOf(envelope._id),
      version: stored.version,
      updatedAt: stored.updatedAt,
      eventSequence: envelope.eventSequence + transition.events.length,
      ...(subjectSequences !== undefined && { subjectSequences }),
      ...(restoreCodes !== undefined && { restoreCodes }),
      commandSequence: envelope.commandSequence + transition.commands.length,
      outbox,
      lastWrite: randomHex(writeIdBytes),
      changedAt,
      // Always set together with new entries: the relay may be emptying the outbox concurrently,
      // and its null must not win.
      pendingSince: entries.length > 0 ? changedAt : envelope.pendingSince,
    };
  }

  private async existing(state: S, error: unknown): Promise<Stored<S>> {
    if (duplicateKeyIndex(error) === undefined && !isTaken(error)) throw error;
    const existing = await this.find(state.id);
    if (existing !== undefined) return existing;
    if (isTaken(error)) throw error;
    // A fence: another aggregate has taken the claim over.
    throw this.definition.naturalKey?.taken() ?? error;
  }

  private async findDocument(id: string): Promise<AggregateDocument | undefined> {
    return this.dependencies.batches.find(id, this.context.tenant.environmentId);
  }
}

// Entries of the outbox as it was read may be done by now. The relay reads those of the added kinds
// again, because they come before the added ones.
function knownAfter(
  document: AggregateDocument,
  next: AggregateDocument,
  added: readonly OutboxEntry[],
): AggregateDocument | undefined {
  const kinds = new Set(added.map(({ kind }) => kind));
  return document.outbox.some(({ kind }) => kinds.has(kind)) ? undefined : next;
}

function outboxBytes(outbox: readonly OutboxEntry[]): number {
  return outbox.length <= outboxEntriesSmall ? 0 : BSON.calculateObjectSize({ outbox });
}

function isTaken(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'already_exists';
}

function isOutboxFull(error: unknown): boolean {
  return error instanceof DomainError && error.reason === outboxFull;
}

function isUnchanged<S>(state: S, transition: Transition<S>): boolean {
  return (
    transition.state === state && transition.events.length === 0 && transition.commands.length === 0
  );
}

function later(a: Date, b: Date): Date {
  return a.getTime() >= b.getTime() ? a : b;
}
