import { EventEmitter } from 'node:events';
import type { Collection, Db } from 'mongodb';
import { type ActivityCounter } from './activity';
import type { AggregateDefinition, Stored } from './aggregate';
import type { AggregateDocument } from './aggregate-document';
import { AggregateStore, type StoreContext } from './aggregate-store';
import type { CallContext } from './call-context';
import { DocumentBatches } from './document-batches';
import { type Clock, sleep } from './clock';
import { ensureIndexes, type NamedIndex } from './indexes';
import { ListCounts } from './list-counts';
import type { FirstReachedWriter } from './first-reached';
import type { Completion } from './outbox-progress';
import { SharedPoll } from './shared-poll';
import { KeyedMutex } from './keyed-mutex';

/** What a command's handler is given beside the payload. */
export interface CommandDelivery {
  /** Tenant, deadline and the time of the decision where the clock is manual. */
  readonly context: CallContext;
  /** The aggregate that decided. */
  readonly aggregateId: string;
  /** The command's number in its aggregate. */
  readonly sequence: number;
  /** For the last write of the command, where that is one to the aggregate itself; absent outside the relay. */
  readonly completion?: Completion;
}

/** Carries out a command; it is repeated until this resolves, so it must be idempotent. */
export type CommandHandler = (payload: never, delivery: CommandDelivery) => Promise<void>;

/** What a service does about its aggregates besides answering calls. All of it may run twice and in several replicas. */
export interface AggregateBehaviour {
  /** By command type. */
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  /** By type of a command that no operator may skip: the text of the refusal, which says why. */
  readonly unskippable?: Readonly<Record<string, string>>;
  /** Business time has reached `dueAt`; `context.now` is that very instant where the clock is manual. */
  readonly wake?: (id: string, context: CallContext) => Promise<void>;
  /** Real time has reached `recoverAt`. */
  readonly recover?: (id: string, context: CallContext) => Promise<void>;
}

/** All aggregates of one kind: hands out the store of an environment, and is what relay and scanner work on. */
export class AggregateCollection<S extends { readonly id: string }> {
  readonly documents: Collection<AggregateDocument>;
  /** The same documents one by one, together with what others do at the moment. */
  readonly batches: DocumentBatches;
  /** How many they are, for lists. */
  readonly listCounts: ListCounts;
  behaviour: AggregateBehaviour = {};
  onPending: (id: string, written?: AggregateDocument) => void = () => undefined;
  /** Makes every write that reaches a milestone. */
  writeFirstReached: FirstReachedWriter = (_step, write) => write();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly looks = new Map<string, SharedPoll<Stored<S>>>();
  private readonly keyMutex = new KeyedMutex();
  private readonly writeMutex = new KeyedMutex();

  constructor(
    db: Db,
    readonly definition: AggregateDefinition<S>,
    private readonly dependencies: { clock: Clock; activity: ActivityCounter },
  ) {
    this.documents = db.collection<AggregateDocument>(definition.collection);
    this.batches = new DocumentBatches(this.documents);
    this.listCounts = new ListCounts(this.documents, definition, dependencies.clock);
  }

  /** The store of the context's environment, deciding at the context's time. */
  within(context: StoreContext): AggregateStore<S> {
    return new AggregateStore(
      this.documents,
      this.definition,
      {
        ...this.dependencies,
        onPending: (id, written) => {
          this.onPending(id, written);
        },
        writeFirstReached: (step, write) => this.writeFirstReached(step, write),
        onChange: (stored) => {
          this.changes.emit(stored.state.id, stored);
        },
        keyMutex: this.keyMutex,
        writeMutex: this.writeMutex,
        batches: this.batches,
        listCounts: this.listCounts,
      },
      context,
    );
  }

  /** Says what the service does about commands and due work. Called once, before it serves. */
  handle(behaviour: AggregateBehaviour): void {
    this.behaviour = behaviour;
  }

  /**
   * Waits until the aggregate satisfies `isReached` or `until` (real time) has come, and returns it as it stands then. Changes of this
   * process are seen at once, those of other replicas by looking again every quarter of a second, once for all who wait for the aggregate.
   */
  async waitFor(
    id: string,
    context: StoreContext & Pick<CallContext, 'signal'>,
    { isReached, until }: { isReached: (stored: Stored<S>) => boolean; until: Date },
  ): Promise<Stored<S>> {
    let next = this.nextPoll(id, context);
    try {
      let stored = await this.within(context).get(id);
      for (;;) {
        const msLeft = until.getTime() - this.dependencies.clock.now().getTime();
        if (isReached(stored) || msLeft <= 0 || context.signal.aborted) return stored;
        const seen = await next.within(msLeft, context.signal);
        // A shared look may have read the aggregate before this caller's last write.
        if (seen !== undefined && seen.version >= stored.version) stored = seen;
        next.leave();
        next = this.nextPoll(id, context);
      }
    } finally {
      next.leave();
    }
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, indexesOf(this.definition));
  }

  /** The aggregate after its next change or a quarter of a second, whichever comes first; shared by all who wait at the time. */
  private nextPoll(
    id: string,
    context: Pick<CallContext, 'tenant' | 'now'>,
  ): SharedPoll<Stored<S>> {
    const key = `${context.tenant.environmentId} ${id}`;
    const shared = this.looks.get(key);
    if (shared !== undefined) return shared.join();
    const look: SharedPoll<Stored<S>> = new SharedPoll<Stored<S>>(
      async (abandoned) => {
        const change = this.nextChange(id);
        const over = new AbortController();
        const pause = sleep(pollEveryMs, AbortSignal.any([abandoned, over.signal]));
        const seen = await Promise.race([change.happened, pause]);
        over.abort();
        change.forget();
        return seen ?? (abandoned.aborted ? undefined : this.within(context).get(id));
      },
      () => {
        if (this.looks.get(key) === look) this.looks.delete(key);
      },
    );
    this.looks.set(key, look);
    return look.join();
  }

  private nextChange(id: string): { happened: Promise<Stored<S>>; forget: () => void } {
    let listener: (stored: Stored<S>) => void = () => undefined;
    const happened = new Promise<Stored<S>>((resolve) => {
      listener = resolve;
      this.changes.once(id, listener);
    });
    return { happened, forget: () => this.changes.off(id, listener) };
  }
}

const pollEveryMs = 250;

function indexesOf<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
): NamedIndex[] {
  const indexes: NamedIndex[] = [
    { name: 'list', key: { environmentId: 1, createdAt: -1, _id: -1 } },
    { name: 'pending', key: { pendingSince: 1 } },
    { name: 'pendingInEnvironment', key: { environmentId: 1, pendingSince: 1 } },
  ];
  if (definition.dueAt !== undefined) {
    indexes.push({ name: 'due', key: { timeline: 1, dueAt: 1 } });
  }
  if (definition.recoverAt !== undefined) {
    indexes.push({ name: 'recover', key: { recoverAt: 1 } });
    indexes.push({ name: 'recoverInEnvironment', key: { environmentId: 1, recoverAt: 1 } });
  }
  if (definition.stepsReached !== undefined) {
    indexes.push({ name: 'milestones', key: { environmentId: 1, milestonesAt: 1 } });
  }
  for (const { name, keys, unique } of definition.indexes ?? []) {
    indexes.push({ name, key: { environmentId: 1, ...keys }, unique: unique === true });
  }
  return indexes;
}
