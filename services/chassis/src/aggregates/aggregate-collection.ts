import { EventEmitter } from 'node:events';
import type { Collection, Db, Filter } from 'mongodb';
import { ActivityCounts, openActivity } from './activity';
import type { AggregateDefinition, Stored, AggregateDocument, Completion } from './aggregate';
import { AggregateStore, type PendingListener, type StoreContext } from './aggregate-store';
import type { CallContext, Tenant } from '../grpc/call-context';
import { DocumentBatches, type Removal } from './document-batches';
import { type Clock, sleep } from '../clock';
import { ensureIndexes, type NamedIndex, retryTransient } from '../mongo/mongo';
import { ListCounts, type ListFilter } from './list-counts';
import type { FirstReachedWriter } from './first-reached';
import { NaturalKeyClaims } from './natural-key-claims';
import { RecentWrites } from './recent-writes';
import { SearchIndex } from './search-index';
import { SharedPoll } from '../concurrency/shared-poll';
import { KeyedMutex } from '../concurrency/keyed-mutex';
import { outsideTrace } from '../telemetry/tracing';
import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';

/** Metadata that a command's handler receives with the payload. */
export interface CommandDelivery {
  /** Tenant and deadline; where the clock is manual, also the time of the decision. */
  readonly context: CallContext;
  /** Id of the aggregate that made the decision. */
  readonly aggregateId: string;
  readonly sequence: number;
  /**
   * Lets the last write of the command empty the outbox, if that write changes the aggregate
   * itself. Absent outside the relay.
   */
  readonly completion?: Completion;
}

/** Runs a command. The relay retries it until it resolves, so it must be idempotent. */
export type CommandHandler = (payload: never, delivery: CommandDelivery) => Promise<void>;

/**
 * Handlers for a service's aggregates outside of calls. Each of them may run twice and in several
 * replicas.
 */
export interface AggregateBehaviour {
  /** Handlers by command type. */
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  /**
   * Types of commands that operators cannot skip, each with the text of the refusal, which states
   * the reason.
   */
  readonly unskippable?: Readonly<Record<string, string>>;
  /**
   * Runs when environment time has reached `dueAt`. `context.now` is exactly that instant where the
   * clock is manual.
   */
  readonly wake?: (id: string, context: CallContext) => Promise<void>;
  /** Runs when real time has reached `recoverAt`. */
  readonly recover?: (id: string, context: CallContext) => Promise<void>;
}

/**
 * All aggregates of one kind. Opens the store of an environment; relay and scanner work on the
 * whole collection.
 */
export class AggregateCollection<S extends { readonly id: string }> {
  readonly documents: Collection<AggregateDocument>;
  /** Reads and writes single documents, batched with those of concurrent callers. */
  readonly batches: DocumentBatches;
  /** Counts matching documents for lists. */
  readonly listCounts: ListCounts;
  /** Finds aggregates by words. */
  readonly searchIndex: SearchIndex<S>;
  behaviour: AggregateBehaviour = {};
  onPending: PendingListener = () => undefined;
  /** Wraps every write that reaches a step for the first time. */
  writeFirstReached: FirstReachedWriter = (_step, write) => write();
  private readonly activity: ActivityCounts;
  private readonly naturalKey: NaturalKeyClaims<S> | undefined;
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly polls = new Map<string, SharedPoll<Stored<S>>>();
  private readonly recent = new RecentWrites<S>();
  private readonly writeMutex = new KeyedMutex();

  constructor(
    db: Db,
    readonly definition: AggregateDefinition<S>,
    private readonly dependencies: {
      readonly clock: Clock;
      /** Code of the system's last restore; absent: none. */
      readonly restoreCode?: () => string | null;
    },
  ) {
    this.activity = new ActivityCounts(openActivity(db));
    this.documents = db.collection<AggregateDocument>(definition.collection);
    this.batches = new DocumentBatches(this.documents);
    this.naturalKey = this.openNaturalKey(db);
    this.listCounts = new ListCounts(this.documents, definition, dependencies.clock);
    this.searchIndex = new SearchIndex(this.documents, definition);
  }

  /** Opens the store of the context's environment. Decisions use the context's time. */
  within(context: StoreContext): AggregateStore<S> {
    return new AggregateStore(
      this.documents,
      this.definition,
      {
        ...this.dependencies,
        activity: this.activity,
        onPending: (id, written, added) => {
          this.onPending(id, written, added);
        },
        writeFirstReached: (step, write) => this.writeFirstReached(step, write),
        onChange: (stored) => {
          this.changes.emit(stored.state.id, stored);
        },
        naturalKey: this.naturalKey,
        writeMutex: this.writeMutex,
        batches: this.batches,
        recent: this.recent,
        removeDone: (removal) => this.removeDone(removal),
        listCounts: this.listCounts,
      },
      context,
    );
  }

  /**
   * Changes an aggregate that its first change stores, such as the settings of an environment.
   * Until then it is as `none`; returns undefined if the change leaves it so. Decides again after
   * every lost write.
   */
  async changeFrom(
    none: S,
    decide: (state: S, now: Date) => Transition<S>,
    context: StoreContext,
  ): Promise<Stored<S> | undefined> {
    const store = this.within(context);
    if ((await store.find(none.id)) === undefined) {
      const first = decide(none, context.now);
      if (first.state === none) return undefined;
      const { inserted, stored } = await store.insert(first);
      if (inserted) return stored;
    }
    return store.mutate(none.id, decide);
  }

  /** Removes entries from an outbox. Entries that are already gone are ignored. */
  async removeDone(removal: Removal): Promise<void> {
    await this.batches.removeDone(removal);
    if (removal.all !== undefined) this.recent.recordEmptied(removal.id, removal.all);
  }

  /** Registers handlers for commands and due work. Called once, before the service serves. */
  handle(behaviour: AggregateBehaviour): void {
    this.behaviour = behaviour;
  }

  /**
   * Waits until the aggregate satisfies `isReached` or real time reaches `until`, and returns its
   * current state. Changes by this process are seen immediately. Changes by other replicas are
   * found by polling four times a second; callers that wait for the same aggregate share one poll.
   */
  async waitFor(
    id: string,
    context: StoreContext & Pick<CallContext, 'signal'>,
    { isReached, until }: { isReached: (stored: Stored<S>) => boolean; until: Date },
  ): Promise<Stored<S>> {
    let next = this.nextPoll(id, context);
    try {
      let stored = await this.within(context).getRecent(id);
      for (;;) {
        const msLeft = until.getTime() - this.dependencies.clock.now().getTime();
        if (isReached(stored) || msLeft <= 0 || context.signal.aborted) return stored;
        const seen = await next.within(msLeft, context.signal);
        // A shared poll may have read the aggregate before this caller's last write.
        if (seen !== undefined && seen.version >= stored.version) stored = seen;
        next.leave();
        next = this.nextPoll(id, context);
      }
    } finally {
      next.leave();
    }
  }

  /** True if one of the documents has commands or events that wait. */
  async hasPending(filter: ListFilter & { readonly environmentId: string }): Promise<boolean> {
    const pending = { ...filter, pendingSince: { $ne: null } } as Filter<AggregateDocument>;
    return (await retryTransient(() => this.documents.findOne(pending))) !== null;
  }

  /** Releases the natural key of an aggregate as it was before a write that gave the key up. */
  async releaseNaturalKey(given: S, { environmentId }: Pick<Tenant, 'environmentId'>) {
    await this.naturalKey?.releaseAbandoned(given, environmentId);
  }

  async ensureIndexes(): Promise<void> {
    await this.naturalKey?.prepare();
    await ensureIndexes(this.documents, indexesOf(this.definition));
  }

  private openNaturalKey(db: Db): NaturalKeyClaims<S> | undefined {
    const { definition, documents, batches } = this;
    const { naturalKey } = definition;
    if (naturalKey === undefined) return undefined;
    return new NaturalKeyClaims({ ...definition, naturalKey }, { db, documents, batches });
  }

  /**
   * Resolves with the aggregate after its next change or after a quarter of a second, whichever
   * comes first. Concurrent waiters share it.
   */
  private nextPoll(
    id: string,
    context: Pick<CallContext, 'tenant' | 'now'>,
  ): SharedPoll<Stored<S>> {
    const key = `${context.tenant.environmentId} ${id}`;
    const shared = this.polls.get(key);
    if (shared !== undefined) return shared.join();
    const poll: SharedPoll<Stored<S>> = new SharedPoll<Stored<S>>(
      (abandoned) => outsideTrace(() => this.poll(id, context, abandoned)),
      () => {
        if (this.polls.get(key) === poll) this.polls.delete(key);
      },
    );
    this.polls.set(key, poll);
    return poll.join();
  }

  private async poll(
    id: string,
    context: Pick<CallContext, 'tenant' | 'now'>,
    abandoned: AbortSignal,
  ): Promise<Stored<S> | undefined> {
    const change = this.nextChange(id);
    const over = new AbortController();
    const pause = sleep(pollEveryMs, AbortSignal.any([abandoned, over.signal]));
    const seen = await Promise.race([change.happened, pause]);
    over.abort();
    change.unsubscribe();
    return seen ?? (abandoned.aborted ? undefined : this.within(context).get(id));
  }

  private nextChange(id: string): { happened: Promise<Stored<S>>; unsubscribe: () => void } {
    let listener: (stored: Stored<S>) => void = () => undefined;
    const happened = new Promise<Stored<S>>((resolve) => {
      listener = resolve;
      this.changes.once(id, listener);
    });
    return { happened, unsubscribe: () => this.changes.off(id, listener) };
  }
}

const pollEveryMs = 250;

function indexesOf<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
): NamedIndex[] {
  const indexes: NamedIndex[] = [
    { name: 'list', key: { environmentId: 1, createdAt: -1, _id: -1 } },
    { name: 'pending', key: { pendingSince: 1 } },
    { name: 'pendingInSlice', key: { slice: 1, pendingSince: 1 } },
    { name: 'pendingInEnvironment', key: { environmentId: 1, pendingSince: 1 } },
  ];
  if (definition.dueAt !== undefined) {
    indexes.push({ name: 'due', key: { timeline: 1, dueAt: 1 } });
    indexes.push({ name: 'dueInSlice', key: { timeline: 1, slice: 1, dueAt: 1 } });
  }
  if (definition.recoverAt !== undefined) {
    indexes.push({ name: 'recover', key: { recoverAt: 1 } });
    indexes.push({ name: 'recoverInSlice', key: { slice: 1, recoverAt: 1 } });
    indexes.push({ name: 'recoverInEnvironment', key: { environmentId: 1, recoverAt: 1 } });
  }
  if (definition.stepsReached !== undefined) {
    indexes.push({ name: 'milestones', key: { environmentId: 1, milestonesAt: 1 } });
  }
  if (definition.search !== undefined) {
    indexes.push({ name: 'search', key: { environmentId: 1, searchKeys: 1 } });
  }
  for (const { name, keys } of definition.indexes ?? []) {
    indexes.push({ name, key: { environmentId: 1, ...keys } });
  }
  return indexes;
}

const unfinishedReason = 'PASS_UNFINISHED';

/** Ends one pass of a long command that has more to do; the relay runs the next pass. */
export function unfinishedPass(): DomainError {
  return new DomainError('unavailable', unfinishedReason, 'Service unavailable');
}

export function isUnfinishedPass(error: unknown): boolean {
  return error instanceof DomainError && error.reason === unfinishedReason;
}
