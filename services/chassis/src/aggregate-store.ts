import { BSON, type Collection, type Filter } from 'mongodb';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { countActivity, type ActivityCounter } from './activity';
import type { AggregateDefinition, Stored } from './aggregate';
import {
  type AggregateDocument,
  type Envelope,
  newEnvelope,
  outboxEntries,
  type OutboxEntry,
  scheduleOf,
  toStored,
} from './aggregate-document';
import { newUniqueKeys, uniqueKeys, updateOf } from './aggregate-update';
import type { CallContext } from './call-context';
import { type Clock, sleep } from './clock';
import type { DocumentBatches, VersionedWrite } from './document-batches';
import { jitter, randomHex } from './ids';
import type { ListCounts, ListFilter } from './list-counts';
import type { BeforeWrite } from './insert-batches';
import { type FirstReachedWriter, newlyReachedAt, recordFirstReached } from './first-reached';
import { duplicateKeyIndex, retryTransient } from './mongo';
import type { Completion } from './outbox-progress';
import { currentTraceparent } from './tracing';
import type { KeyedMutex } from './keyed-mutex';
import { type InlineCommands, inlineCommandsOf } from './inline-commands';

// A compare-and-set that lost 8 times in a row has met a storm; the caller may try again later.
const attemptsMax = 8;
// More than this waiting in one document means that a peer has been away for very long.
const outboxEntriesMax = 100;
// Half of what a document may have; the rest is for the aggregate itself and for one more decision.
const outboxBytesMax = 8 * 1024 * 1024;
// The largest entry, with all the metadata that a caller may give, has about half a megabyte: a few always fit.
const outboxEntriesSmall = 8;
// More than two writes ever share by chance.
const writeIdBytes = 16;
const endOfTime = new Date(8.64e15);

/** What a store needs besides its collection. */
export interface StoreDependencies<S> {
  readonly clock: Clock;
  readonly activity: ActivityCounter;
  /** Called for every document to whose outbox something has just been added; with the document, where its outbox is known. */
  readonly onPending: (id: string, written: AggregateDocument | undefined) => void;
  /** Makes every write that reaches a milestone. */
  readonly writeFirstReached: FirstReachedWriter;
  /** Called with every aggregate that has just changed. */
  readonly onChange: (stored: Stored<S>) => void;
  /** Writes that claim one key of a unique index go one after another. */
  readonly keyMutex: KeyedMutex;
  /** Decisions about one aggregate go one after another. */
  readonly writeMutex: KeyedMutex;
  /** How single documents are read and written. */
  readonly batches: DocumentBatches;
  /** How lists are counted. */
  readonly listCounts: ListCounts;
}

/** Whose aggregates they are, when it is, and whether a request waits. */
export type StoreContext = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** What a change depends on, and what it ends. */
export interface MutateOptions<S> {
  /** The only version that may be changed (If-Match). */
  readonly expectedVersion?: number | undefined;
  /** The command whose last step the write is: it is taken out of the outbox with it where nothing else is left there to do. */
  readonly completes?: Completion | undefined;
  /** Whether the write leaves the command nothing to do; absent: it never does. */
  readonly isLast?: ((state: S) => boolean) | undefined;
}

/** One page, newest first. */
export interface Page<S> {
  readonly data: Stored<S>[];
  /** Exact count over all pages; see list-counts.ts. */
  readonly total: number;
}

/** The aggregates of one environment. There is no other way to read or change them. */
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

  /** Those of some ids that the environment has, each once, in no particular order: one query for all. */
  async findAll(ids: Iterable<string>): Promise<Stored<S>[]> {
    const { batches } = this.dependencies;
    const documents = await batches.findAll([...new Set(ids)], this.context.tenant.environmentId);
    return documents.map((document) => toStored(this.definition, document));
  }

  /** Throws not_found for an id that the environment does not have. */
  async get(id: string): Promise<Stored<S>> {
    const stored = await this.find(id);
    if (stored === undefined) throw notFound(this.definition.resource);
    return stored;
  }

  /** The one aggregate that matches a filter on the document's own fields, where the environment has one. */
  async findBy(filter: Readonly<Record<string, unknown>>): Promise<Stored<S> | undefined> {
    const query = { ...filter, environmentId: this.context.tenant.environmentId };
    const document = await retryTransient(() =>
      this.collection.findOne(query as Filter<AggregateDocument>),
    );
    return document === null ? undefined : toStored(this.definition, document);
  }

  /** The newest `perPage`, or with `oldestFirst` the oldest, after skipping the earlier pages. `filter` names the document's own fields; the environment is added. */
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
    const { tenant } = this.context;
    // The range says nothing, but without one some servers sort all matches instead of walking the index.
    const createdAt = { $lte: endOfTime };
    const query = { ...filter, environmentId: tenant.environmentId, createdAt };
    const direction = oldestFirst ? 1 : -1;
    const [documents, total] = await Promise.all([
      retryTransient(() =>
        this.collection
          .find(query as Filter<AggregateDocument>)
          .sort({ createdAt: direction, _id: direction })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
      ),
      this.dependencies.listCounts.total(filter, tenant),
    ]);
    return {
      data: documents.map((document) =>
        toStored(this.definition, document as unknown as AggregateDocument),
      ),
      total,
    };
  }

  /**
   * Stores a new aggregate with its events and commands. A taken id means that the step was done before: the stored aggregate comes
   * back with `inserted: false`, for the caller to compare. A taken natural key throws what the definition says of it.
   */
  async insert(transition: Transition<S>): Promise<{ stored: Stored<S>; inserted: boolean }> {
    const { stored, document } = await this.insertNew(transition);
    if (document === undefined) return { stored, inserted: false };
    if (document.pendingSince !== null) this.dependencies.onPending(document._id, document);
    return { stored, inserted: true };
  }

  /**
   * Stores a new aggregate whose commands the caller carries out at once, so that the relay need not do so. They must be repeatable as
   * ever: of a caller that stops in between, the relay's sweep carries out all of them again.
   */
  async insertWithInlineCommands(transition: Transition<S>): Promise<InlineCommands<S>> {
    if (transition.events.length > 0) throw new Error('Only the relay announces events');
    const { stored, document } = await this.insertNew(transition);
    return inlineCommandsOf(stored, document, this.dependencies);
  }

  private async insertNew(
    transition: Transition<S>,
  ): Promise<{ stored: Stored<S>; document: AggregateDocument | undefined }> {
    const { tenant, now } = this.context;
    const { id } = transition.state;
    const stored = { state: transition.state, tenant, version: 1, createdAt: now, updatedAt: now };
    const envelope = newEnvelope(id, tenant, now);
    await countActivity(this.dependencies.activity, envelope);
    const document = this.withOutbox(envelope, stored, transition);
    try {
      await this.reach(undefined, document, () => this.insertDocument(document));
    } catch (error) {
      return { stored: await this.existing(id, error), document: undefined };
    }
    this.dependencies.onChange(stored);
    return { stored, document };
  }

  /**
   * The only way to change an aggregate: reads it, applies the pure `decide`, and writes state and outbox in one compare-and-set on
   * `version`; lost races are repeated. `decide` may run several times and gets a `now` that never lies before the last change.
   * A transition that returns the very same state and nothing else writes nothing. With `expectedVersion` (If-Match), any other version
   * is refused as stale. A taken natural key throws what the definition says of it. `completes` is the command whose last write this is.
   */
  async mutate(
    id: string,
    decide: (state: S, now: Date) => Transition<S>,
    options: MutateOptions<S> = {},
  ): Promise<Stored<S>> {
    await options.completes?.whenLast();
    // Writers of one process never race each other: whoever comes often would starve whoever comes once.
    return this.dependencies.writeMutex.runExclusive([id], () =>
      this.decideInTurn(id, decide, options),
    );
  }

  private async decideInTurn(
    id: string,
    decide: (state: S, now: Date) => Transition<S>,
    { expectedVersion, completes, isLast = () => true }: MutateOptions<S>,
  ): Promise<Stored<S>> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const document = await this.findDocument(id);
      if (document === undefined) throw notFound(this.definition.resource);
      const before = toStored(this.definition, document);
      if (expectedVersion !== undefined && expectedVersion !== before.version) throw staleVersion();
      const now = later(this.context.now, before.updatedAt);
      const transition = decide(before.state, now);
      if (isUnchanged(before.state, transition)) return before;
      const after = {
        ...before,
        state: transition.state,
        version: before.version + 1,
        updatedAt: now,
      };
      const completion = isLast(transition.state) ? completes : undefined;
      if (await this.replace(document, after, { transition, completion })) return after;
      await sleep(attempt * 5 * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async replace(
    document: AggregateDocument,
    after: Stored<S>,
    { transition, completion }: { transition: Transition<S>; completion: Completion | undefined },
  ): Promise<boolean> {
    await countActivity(this.dependencies.activity, document);
    const next = this.withOutbox(document, after, transition);
    const added = next.outbox.slice(document.outbox.length);
    const isEmptied = completion?.isLastOf(document) === true;
    const update = updateOf(this.definition, { document, next, added, isEmptied });
    const { _id: id, environmentId, version } = document;
    const beforeWrite = this.beforeWrite();
    const write = { id, environmentId, version, writeId: next.lastWrite, update, beforeWrite };
    const claimed = newUniqueKeys(this.definition, document, next);
    let isWritten: boolean;
    try {
      isWritten = await this.reach(document, next, () => this.compareAndSet(write, claimed));
    } catch (error) {
      throw this.conflictOf(duplicateKeyIndex(error)) ?? error;
    }
    if (!isWritten) return false;
    if (isEmptied) completion.recordWritten(document);
    this.dependencies.onChange(after);
    // Of what stood there as it was read, something may be done by now.
    const isKnown = isEmptied || document.outbox.length === 0;
    if (added.length > 0) {
      this.dependencies.onPending(id, isKnown ? { ...next, outbox: added } : undefined);
    }
    return true;
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

  // A server that finds two claims of one key in a deadlock fails the whole command: a write with claims goes alone.
  private async compareAndSet(write: VersionedWrite, claimed: readonly string[]): Promise<boolean> {
    const { batches, keyMutex } = this.dependencies;
    if (claimed.length === 0) return batches.compareAndSet(write);
    return keyMutex.runExclusive(claimed, () => batches.compareAndSetAlone(write));
  }

  private async insertDocument(document: AggregateDocument): Promise<void> {
    const { batches, keyMutex } = this.dependencies;
    const claimed = uniqueKeys(this.definition, document);
    const beforeWrite = this.beforeWrite();
    if (claimed.length === 0) return batches.insert(document, beforeWrite);
    await keyMutex.runExclusive(claimed, () => {
      beforeWrite?.();
      return retryTransient(() => this.collection.insertOne(document));
    });
  }

  private beforeWrite(): BeforeWrite | undefined {
    const { storing } = this.context;
    return (
      storing &&
      (() => {
        storing.pass();
      })
    );
  }

  // To be called right before the write, because it takes the time of milestones.
  // The relay takes entries out of the outbox without touching `version`; a write therefore adds entries, and sets the array only where
  // all that it held is done.
  private withOutbox(
    envelope: Envelope,
    stored: Stored<S>,
    transition: Transition<S>,
  ): AggregateDocument {
    const entries = outboxEntries(this.definition, stored, transition, {
      envelope,
      traceparent: currentTraceparent(),
    });
    const outbox = [...envelope.outbox, ...entries];
    if (outbox.length > outboxEntriesMax || outboxBytes(outbox) > outboxBytesMax) {
      throw new DomainError('resource_exhausted', 'OUTBOX_FULL', 'Too many requests');
    }
    const reached = this.definition.stepsReached?.(stored.state) ?? [];
    return {
      ...envelope,
      ...recordFirstReached(envelope, reached, this.dependencies.clock.now()),
      ...this.definition.toDocument(stored.state),
      ...scheduleOf(this.definition, stored.state),
      version: stored.version,
      updatedAt: stored.updatedAt,
      eventSequence: envelope.eventSequence + transition.events.length,
      commandSequence: envelope.commandSequence + transition.commands.length,
      outbox,
      lastWrite: randomHex(writeIdBytes),
      // Set afresh with every entry: the relay may be emptying the outbox at this moment, and a null of its own must not win.
      pendingSince: entries.length > 0 ? this.dependencies.clock.now() : envelope.pendingSince,
    };
  }

  private async existing(id: string, error: unknown): Promise<Stored<S>> {
    const index = duplicateKeyIndex(error);
    if (index === undefined) throw error;
    const existing = await this.find(id);
    if (existing !== undefined) return existing;
    throw this.conflictOf(index) ?? error;
  }

  private conflictOf(index: string | undefined): DomainError | undefined {
    return index === undefined ? undefined : this.definition.conflicts?.[index]?.();
  }

  private async findDocument(id: string): Promise<AggregateDocument | undefined> {
    return this.dependencies.batches.find(id, this.context.tenant.environmentId);
  }
}

function outboxBytes(outbox: readonly OutboxEntry[]): number {
  return outbox.length <= outboxEntriesSmall ? 0 : BSON.calculateObjectSize({ outbox });
}

function isUnchanged<S>(state: S, transition: Transition<S>): boolean {
  return (
    transition.state === state && transition.events.length === 0 && transition.commands.length === 0
  );
}

function staleVersion(): DomainError {
  return new DomainError('stale', 'STALE_VERSION', 'Stale version');
}

function later(a: Date, b: Date): Date {
  return a.getTime() >= b.getTime() ? a : b;
}
