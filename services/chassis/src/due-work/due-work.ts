import { tenantOf, type WorkClass, type AggregateDocument } from '../aggregates/aggregate';
import { dueWorkCallers } from '../grpc/callers';
import type { Filter } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass as ProtoWorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import { beginningOfTime, type DueDocument, DueDocuments } from './due-documents';
import { DuePasses } from './due-pass';
import { dueInTurns } from './due-turns';
import { type ActivityCounter, readActivity } from '../aggregates/activity';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { realTimeline, workContext } from '../grpc/call-context';
import { type Clock, sleep } from '../clock';
import { jitter } from '../ids';
import { everySlice, type SliceFilter, type Slices } from '../replicas/slices';
import type { SystemWatch } from '../replicas/system-watch';
import type { Logger } from '../telemetry/logging';
import { findMatching } from '../mongo/matching-queries';
import { QuietPoll } from '../mongo/quiet-poll';
import { retryTransient } from '../mongo/mongo';
import { type RpcService, type RpcDependencies, rpcService } from '../grpc/rpc';
import { aggregateAttributes, inSpan } from '../telemetry/tracing';

// Maximum delay until a due document is noticed, in addition to the work before it.
const pollEveryMs = 1_000;
// After a pass with work there may be more: a document that is several steps behind takes one step
// per pass.
const pollAgainMs = 50;
// Handlers that take longer no longer hold up documents that become due.
const handlersMs = 1_000;
// The cost of counting grows with the count, and callers only compare it with 0.
const pendingMax = 100;

/** Dependencies and limits of the scanner. */
export interface DueWorkDependencies {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: ActivityCounter;
  /** Time that running work may take after a stop. */
  readonly graceMs: number;
  /** Slices that are scanned; absent: all. */
  readonly slices?: Slices;
  /** While true, the scan starts no new work. */
  readonly isPaused?: () => boolean;
  /** Counts work in flight. */
  readonly system?: Pick<SystemWatch, 'write'>;
  /** True if a document's environment was deleted; its work is skipped. */
  readonly isDeleted?: (environmentId: string) => boolean;
}

type Collections = readonly AggregateCollection<never>[];
type DueFilter = Filter<AggregateDocument>;
/** Work that is polled: documents of a collection by one of their times. */
interface Scan {
  readonly collection: AggregateCollection<never>;
  readonly kind: 'wake' | 'recover';
}

interface PolledScan extends Scan {
  readonly passes: DuePasses;
}

const timeOf = { wake: 'dueAt', recover: 'recoverAt' } as const;

/**
 * Finds due documents and passes each to its collection's handlers. The real timeline is polled,
 * by each replica for its slices. The timeline of a manual clock runs only when identity requests
 * it, entirely in the replica that is asked, each document with its own due time as `now`. If
 * several replicas find the same document, their work is a compare-and-set, and the later one finds
 * nothing left to do.
 */
export class DueWork {
  private readonly stopping = new AbortController();
  // Aborts the work that still runs after the grace.
  private readonly forcedStop = new AbortController();
  private readonly running = new Map<string, Promise<number>>();
  private scanning: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly collections: Collections,
    private readonly dependencies: DueWorkDependencies,
  ) {}

  start(): void {
    const kinds = ['wake', 'recover'] as const;
    const scans = this.collections.flatMap((collection) =>
      kinds
        .filter((kind) => collection.definition[timeOf[kind]] !== undefined)
        .map((kind): Scan => ({ collection, kind })),
    );
    this.scanning = this.scanUntilStopped(scans);
  }

  /** Finishes running work, and aborts it after the grace. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const timer = setTimeout(() => {
      this.forcedStop.abort();
    }, this.dependencies.graceMs);
    await Promise.allSettled([this.scanning, ...this.running.values()]);
    clearTimeout(timer);
  }

  /**
   * Handles everything due by `until` on one timeline, in one class or in every class, each
   * document once. Returns the number handled. Concurrent calls for the same work share one run.
   */
  run(timeline: string, until: Date, workClass?: WorkClass): Promise<number> {
    const key = [timeline, until.toISOString(), workClass ?? ''].join(' ');
    const joined = this.running.get(key);
    if (joined !== undefined) return joined;
    const running = this.runAll(timeline, until, workClass).finally(() => this.running.delete(key));
    this.running.set(key, running);
    return running;
  }

  // A failure in one collection does not block the next. Callers receive the first failure.
  private async runAll(
    timeline: string,
    until: Date,
    workClass: WorkClass | undefined,
  ): Promise<number> {
    const filter = { timeline, ...(workClass === undefined ? {} : { dueClass: workClass }) };
    const failures: unknown[] = [];
    let handled = 0;
    for (const collection of this.collections) {
      const { definition } = collection;
      const { dueClass = workClass } = definition;
      if (definition.dueAt === undefined) continue;
      if (workClass !== undefined && dueClass !== workClass) continue;
      const documents = new DueDocuments({ collection, field: 'dueAt', until, filter });
      const outcome = await this.passes({ collection, kind: 'wake' }).run(documents);
      handled += outcome.handled;
      failures.push(...outcome.failures);
    }
    // Documents that were left when the service began to stop are not done: the caller must retry.
    if (failures.length > 0 || this.stopping.signal.aborted) {
      const [cause] = failures;
      throw new DomainError('unavailable', 'DUE_WORK_FAILED', 'Service unavailable', { cause });
    }
    return handled;
  }

  private async scanUntilStopped(scans: readonly Scan[]): Promise<void> {
    const { signal } = this.stopping;
    const polled = scans.map((scan) => ({ ...scan, passes: this.passes(scan) }));
    const poll = this.pollOf(polled);
    const running = new Map<PolledScan, Promise<void>>();
    while (!signal.aborted) {
      try {
        for (const scan of await this.findWaiting(polled, poll)) {
          // Run separately, so that a backlog of one kind never holds up another.
          const run = running.get(scan) ?? this.scanAll(scan).finally(() => running.delete(scan));
          running.set(scan, run);
        }
      } catch (error) {
        this.reportFailure(error);
      }
      await sleep(pollEveryMs * jitter(0.1), signal);
    }
    await Promise.all(running.values());
    await Promise.all(polled.map(({ passes }) => passes.ended()));
  }

  private pollOf(scans: readonly Scan[]): QuietPoll {
    const { slices = everySlice, clock } = this.dependencies;
    const collections = scans.map(({ collection }) => collection.documents);
    return new QuietPoll({ collections, isAlone: () => slices.isAlone, clock });
  }

  /** Returns the scans for which there is work in the replica's slices. */
  private async findWaiting(
    scans: readonly PolledScan[],
    poll: QuietPoll,
  ): Promise<readonly PolledScan[]> {
    const share = this.share();
    if (share === undefined) return [];
    const found = await poll.poll((until) => {
      const due = { $gte: beginningOfTime, $lte: until };
      const queries = scans.map((scan) => {
        const { collection, kind } = scan;
        const filter = { ...filterOf(kind, share), [timeOf[kind]]: due };
        return { scan, documents: collection.documents, filter };
      });
      return findMatching(queries);
    });
    return found.map(({ scan }) => scan);
  }

  /** Repeats a scan until it finds nothing more to do, or fails. */
  private async scanAll(scan: PolledScan): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if ((await this.scanOnce(scan)) === 0) return;
      } catch (error) {
        this.reportFailure(error);
        return;
      }
      await sleep(pollAgainMs * jitter(0.1), signal);
    }
  }

  /** Filter of the replica's slices; undefined: it takes no work. */
  private share(): SliceFilter | undefined {
    const { slices = everySlice, isPaused } = this.dependencies;
    return isPaused?.() === true ? undefined : slices.filter();
  }

  private reportFailure(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.dependencies.logger.warn({ err: error }, 'due work failed, retrying');
  }

  /** Handles what is due in the replica's slices; returns the number if nothing failed. */
  private async scanOnce({ collection, kind, passes }: PolledScan): Promise<number> {
    const { slices = everySlice, clock } = this.dependencies;
    const share = this.share();
    if (share === undefined) return 0;
    const documents = dueInTurns({
      collection,
      field: timeOf[kind],
      filter: filterOf(kind, share),
      now: () => clock.now(),
      isOver: () => slices.filter() !== share,
    });
    const { handled, failures } = await passes.run(documents, handlersMs);
    return failures.length > 0 ? 0 : handled;
  }

  private passes(scan: Scan): DuePasses {
    return new DuePasses({
      handle: (document) => this.inWorkSpan(scan, document),
      onFailure: ({ _id: id }, error) => {
        this.dependencies.logger.warn({ err: error, id }, 'due work failed, retrying');
      },
      signal: this.stopping.signal,
    });
  }

  private async inWorkSpan({ collection, kind }: Scan, document: DueDocument): Promise<void> {
    const act = collection.behaviour[kind];
    const { service, clock, isDeleted } = this.dependencies;
    if (isDeleted?.(document.environmentId) === true) return;
    const { aggregate } = collection.definition;
    const name = `${kind} ${aggregate}`;
    if (act === undefined) throw new Error(`No behaviour for ${name}`);
    const at = kind === 'wake' ? (document.dueAt ?? clock.now()) : document.updatedAt;
    const context = workContext(tenantOf(document), {
      at,
      clock,
      requestId: `${document._id}/${kind}`,
      stopping: this.forcedStop.signal,
    });
    const attributes = () => aggregateAttributes(aggregate, document, document.eventSequence);
    const { system } = this.dependencies;
    const run = () => act(document._id, context);
    await inSpan({ name, kind: 'internal', service, attributes }, () =>
      system === undefined ? run() : system.write(run),
    );
  }
}

/** RPCs with which identity advances a manual clock through this service. */
export function dueWorkRpc(
  collections: Collections,
  dueWork: DueWork,
  activity: ActivityCounter,
  settle: (environmentId: string) => Promise<number>,
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
      getActivity: async ({ environmentId, until, workClass, settles, idleAtActivity }) => {
        if (settles === true) {
          return { pending: 0, due: 0, activity: 0n, unsettled: await settle(environmentId) };
        }
        if (idleAtActivity !== undefined) {
          const writes = await readActivity(activity, environmentId);
          if (writes === idleAtActivity) return { pending: 0, due: 0, activity: writes };
        }
        return readWork(activity, collections, {
          environmentId,
          until: required(until),
          workClass: classFromProto(workClass),
        });
      },
    },
    // Unlimited: an advancing clock blocks its environment and must not wait for load to pass.
    {
      withoutTenant: ['getNextDue', 'runDue', 'getActivity'],
      unlimited: 'all',
      callers: dueWorkCallers,
    },
  );
}

function filterOf(kind: Scan['kind'], share: SliceFilter): DueFilter {
  return { ...(kind === 'wake' && { timeline: realTimeline }), ...share } as DueFilter;
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

/** Work of an environment in one collection. */
interface Pending {
  readonly kind: 'relayed' | 'begun' | 'due';
  readonly collection: string;
  readonly filter: Filter<AggregateDocument>;
}

/**
 * Counts the writes to an environment and its unfinished work. One query reads all collections,
 * because an advance asks every service several times at each instant. It reads the count of writes
 * first: a write after it appears in the next count, even if it is already seen as pending.
 */
async function readWork(
  writes: ActivityCounter,
  collections: Collections,
  { environmentId, until, workClass }: { environmentId: string; until: Date; workClass: WorkClass },
): Promise<{ activity: bigint; pending: number; due: number }> {
  const dueClass = { $in: classOrder.slice(0, classOrder.indexOf(workClass) + 1) };
  const set = { $gt: new Date(0) };
  const relayed = { environmentId, pendingSince: set };
  const begun = { environmentId, recoverAt: set };
  const due = { timeline: environmentId, dueAt: { $lte: until }, dueClass };
  const pending = collections.flatMap(({ documents, definition }): Pending[] => {
    const { collectionName: collection } = documents;
    return [
      { kind: 'relayed', collection, filter: relayed },
      ...(definition.recoverAt === undefined
        ? []
        : [{ kind: 'begun' as const, collection, filter: begun }]),
      ...(definition.dueAt === undefined
        ? []
        : [{ kind: 'due' as const, collection, filter: due }]),
    ];
  });
  const found = await retryTransient(() =>
    writes
      .aggregate<{ readonly _id: 'writes' | Pending['kind']; readonly count: number }>([
        { $match: { _id: environmentId } },
        { $project: { _id: 0, kind: { $literal: 'writes' }, count: 1 } },
        ...pending.map(({ kind, collection, filter }) => ({
          $unionWith: {
            coll: collection,
            pipeline: [
              { $match: filter },
              { $limit: pendingMax },
              { $project: { _id: 0, kind: { $literal: kind }, count: { $literal: 1 } } },
            ],
          },
        })),
        { $group: { _id: '$kind', count: { $sum: '$count' } } },
      ])
      .toArray(),
  );
  const counts = new Map(found.map(({ _id: kind, count }) => [kind, count]));
  const of = (kind: 'writes' | Pending['kind']) => counts.get(kind) ?? 0;
  return {
    activity: BigInt(of('writes')),
    pending: of('relayed') + of('begun') + of('due'),
    due: of('due'),
  };
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
