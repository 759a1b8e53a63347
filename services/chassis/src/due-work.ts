import type { Filter } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass as ProtoWorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import type { DueDocument } from './due-documents';
import { runDuePass } from './due-pass';
import { type ActivityCounter, readActivity } from './activity';
import type { WorkClass } from './aggregate';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate-document';
import { realTimeline } from './call-context';
import type { Callers } from './callers';
import { type Clock, sleep } from './clock';
import { jitter } from './ids';
import type { Logger } from './logging';
import { retryTransient } from './mongo';
import { type RpcService, type RpcDependencies, rpcService } from './rpc';
import { aggregateAttributes } from './span-attributes';
import { inSpan } from './tracing';
import { workContext } from './work-context';

// The longest a document that is due waits to be noticed, beside the work before it.
const pollEveryMs = 1_000;
// Where something was done there may be more to do: a document that is several steps behind takes one in each pass.
const pollAgainMs = 50;

/** What the scanner works with. */
export interface DueWorkOptions {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: ActivityCounter;
  /** How long work that has begun may take at a stop. */
  readonly graceMs: number;
  /** While true nothing new is taken up by the scan. */
  readonly isPaused?: () => boolean;
  /** Whether a document's environment was deleted: nothing of it is done any more. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

type Collections = readonly AggregateCollection<never>[];
type Definition = AggregateCollection<never>['definition'];
type Handle = (collection: AggregateCollection<never>, document: DueDocument) => Promise<void>;
/** Which documents are due, and by which of their times. */
interface Due {
  readonly field: 'dueAt' | 'recoverAt';
  readonly until: Date;
  readonly filter: Filter<AggregateDocument>;
}

/**
 * Finds documents whose time has come and hands each to its collection's behaviour. The real timeline is polled; that of a manual clock
 * runs only when identity asks for it, each document with now = its own due time. Several replicas may find the same document: what they
 * do is a compare-and-set, and the later one finds nothing left to do.
 */
export class DueWork {
  private readonly stopping = new AbortController();
  // Aborts when what still runs at a stop has had its time.
  private readonly forcedStop = new AbortController();
  private readonly running = new Map<string, Promise<number>>();
  private scanning: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: Collections,
    private readonly options: DueWorkOptions,
  ) {}

  start(): void {
    this.scanning = this.scanUntilStopped();
  }

  /** Finishes what has begun, and cuts what takes longer than the grace. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.forcedStop.abort();
    }, this.options.graceMs);
    await Promise.allSettled([this.scanning, ...this.running.values()]);
    clearTimeout(timer);
  }

  /**
   * Everything due by `until` on one timeline and in one class, or in every class, each document once; returns how many were handled.
   * Whoever asks for what is running already joins it.
   */
  run(timeline: string, until: Date, workClass?: WorkClass): Promise<number> {
    const key = [timeline, until.toISOString(), workClass ?? ''].join(' ');
    const joined = this.running.get(key);
    if (joined !== undefined) return joined;
    const filter = { timeline, ...(workClass === undefined ? {} : { dueClass: workClass }) };
    const running = this.handleAll({ field: 'dueAt', until, filter }, (collection, document) =>
      this.inWorkSpan('wake', collection, document, document.dueAt ?? until),
    ).finally(() => this.running.delete(key));
    this.running.set(key, running);
    return running;
  }

  /** Takes up begun steps whose `recoverAt` (real time) has come, in every environment. */
  async recover(): Promise<number> {
    const until = this.options.clock.now();
    return this.handleAll({ field: 'recoverAt', until, filter: {} }, (collection, document) =>
      this.inWorkSpan('recover', collection, document, document.updatedAt),
    );
  }

  private async scanUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.options.isPaused?.() === true) {
        await sleep(pollEveryMs, signal);
        continue;
      }
      let handled = 0;
      // Apart, so that due work that keeps failing never holds up what others began.
      for (const pass of [
        () => this.run(realTimeline, this.options.clock.now()),
        () => this.recover(),
      ]) {
        try {
          handled += await pass();
        } catch (error) {
          if (this.stopping.signal.aborted) return;
          this.options.logger.warn({ err: error }, 'due work failed, retrying');
        }
      }
      await sleep((handled > 0 ? pollAgainMs : pollEveryMs) * jitter(0.1), signal);
    }
  }

  // A collection with a failure does not keep the next one from its turn. Whoever asks learns of the first failure.
  private async handleAll(due: Due, handle: Handle): Promise<number> {
    const failures: unknown[] = [];
    let handled = 0;
    for (const collection of this.collections) {
      if (collection.definition[due.field] === undefined) continue;
      const outcome = await runDuePass({
        ...due,
        collection,
        handle: (document) => handle(collection, document),
        onFailure: ({ _id: id }, error) => {
          this.options.logger.warn({ err: error, id }, 'due work failed, retrying');
        },
        signal: this.stopping.signal,
      });
      handled += outcome.handled;
      failures.push(...outcome.failures);
    }
    // What was left when the service began to stop is not done: the caller must ask again.
    if (failures.length > 0 || this.stopping.signal.aborted) {
      const [cause] = failures;
      throw new DomainError('unavailable', 'DUE_WORK_FAILED', 'Service unavailable', { cause });
    }
    return handled;
  }

  private async inWorkSpan(
    kind: 'wake' | 'recover',
    collection: AggregateCollection<never>,
    document: DueDocument,
    at: Date,
  ): Promise<void> {
    const act = collection.behaviour[kind];
    const { service, clock, isDeleted } = this.options;
    if (isDeleted?.(document.environmentId) === true) return;
    const { aggregate } = collection.definition;
    const name = `${kind} ${aggregate}`;
    if (act === undefined) throw new Error(`No behaviour for ${name}`);
    const context = workContext(document, {
      at,
      clock,
      requestId: `${document._id}/${kind}`,
      stopping: this.forcedStop.signal,
    });
    const attributes = () => aggregateAttributes(aggregate, document, document.eventSequence);
    await inSpan({ name, kind: 'internal', service, attributes }, () => act(document._id, context));
  }
}

/** Identity alone advances clocks. */
export const dueWorkCallers: Callers<DueWorkServiceServer> = {
  getNextDue: ['identity'],
  runDue: ['identity'],
  getActivity: ['identity'],
};

/** The RPCs by which identity advances a manual clock through this service. */
export function dueWorkRpc(
  collections: Collections,
  dueWork: DueWork,
  activity: ActivityCounter,
): (dependencies: RpcDependencies) => RpcService {
  return rpcService<DueWorkServiceServer>(
    DueWorkServiceService,
    {
      getNextDue: async ({ environmentId, until }) => ({
        dueAt: await nextDue(collections, environmentId, required(until)),
      }),
      runDue: async ({ environmentId, until, workClass }) => ({
        processed: await dueWork.run(environmentId, required(until), classFromProto(workClass)),
      }),
      getActivity: async ({ environmentId, until, workClass }) => {
        // First the count of writes: what is added after it shows in the next count, whether it was seen as pending or not.
        const writes = await readActivity(activity, environmentId);
        const pending = await countPending(collections, {
          environmentId,
          until: required(until),
          workClass: classFromProto(workClass),
        });
        return { ...pending, activity: writes };
      },
    },
    // Unlimited: a clock that is advanced holds up its environment, and must not wait for load to pass.
    {
      withoutTenant: ['getNextDue', 'runDue', 'getActivity'],
      unlimited: 'all',
      callers: dueWorkCallers,
    },
  );
}

async function nextDue(
  collections: Collections,
  timeline: string,
  until: Date,
): Promise<Date | undefined> {
  const first = await Promise.all(
    collections
      .filter(({ definition }) => definition.dueAt !== undefined)
      .map(({ documents }) =>
        documents
          .find({ timeline, dueAt: { $lte: until } })
          .project<Pick<AggregateDocument, 'dueAt'>>({ dueAt: 1 })
          .sort({ dueAt: 1 })
          .limit(1)
          .toArray(),
      ),
  );
  const instants = first.flat().flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt.getTime()]));
  return instants.length === 0 ? undefined : new Date(Math.min(...instants));
}

async function countPending(
  collections: Collections,
  { environmentId, until, workClass }: { environmentId: string; until: Date; workClass: WorkClass },
): Promise<{ pending: number; due: number }> {
  const dueClass = { $in: classOrder.slice(0, classOrder.indexOf(workClass) + 1) };
  const isDue = { timeline: environmentId, dueAt: { $lte: until }, dueClass };
  const set = { $gt: new Date(0) };
  const count = async (
    filter: Filter<AggregateDocument>,
    isAsked: (one: Definition) => boolean,
  ) => {
    const counts = await Promise.all(
      collections
        .filter(({ definition }) => isAsked(definition))
        .map(({ documents }) => retryTransient(() => documents.countDocuments(filter))),
    );
    return counts.reduce((sum, one) => sum + one, 0);
  };
  const [relayed, begun, due] = await Promise.all([
    count({ environmentId, pendingSince: set }, () => true),
    count({ environmentId, recoverAt: set }, (definition) => definition.recoverAt !== undefined),
    count(isDue, (definition) => definition.dueAt !== undefined),
  ]);
  return { pending: relayed + begun + due, due };
}

const classOrder: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];

function classFromProto(workClass: ProtoWorkClass): WorkClass {
  switch (workClass) {
    case ProtoWorkClass.WORK_CLASS_COLLECTION:
      return 'COLLECTION';
    case ProtoWorkClass.WORK_CLASS_END:
      return 'END';
    case ProtoWorkClass.WORK_CLASS_RENEWAL:
      return 'RENEWAL';
    default:
      throw new DomainError('invalid_input', 'INVALID_REQUEST', 'Unknown work class');
  }
}

function required(until: Date | undefined): Date {
  if (until === undefined)
    throw new DomainError('invalid_input', 'INVALID_REQUEST', 'until is required');
  return until;
}
