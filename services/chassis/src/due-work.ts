import type { Filter } from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass as ProtoWorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import { type ActivityCounter, readActivity } from './activity';
import type { WorkClass } from './aggregate';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument } from './aggregate-document';
import { realTimeline } from './call-context';
import { type Clock, sleep } from './clock';
import { jitter } from './ids';
import type { Logger } from './logging';
import { retryTransient } from './mongo';
import { workContext } from './relay';
import { type RpcService, type RpcSurroundings, rpcService } from './rpc';
import { inSpan } from './tracing';

// The longest a document that is due waits to be noticed, beside the work before it.
const pollEveryMs = 1_000;
const batchMax = 200;
const concurrencyMax = 16;

/** What the scanner works with. */
export interface DueWorkOptions {
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: ActivityCounter;
}

type Collections = readonly AggregateCollection<never>[];
type Definition = AggregateCollection<never>['definition'];
type Handle = (
  collection: AggregateCollection<never>,
  document: AggregateDocument,
) => Promise<void>;

/**
 * Finds documents whose time has come and hands each to its collection's behaviour. The real timeline is polled; that of a manual clock
 * runs only when identity asks for it, each document with now = its own due time. Several replicas may find the same document: what they
 * do is a compare-and-set, and the later one finds nothing left to do.
 */
export class DueWork {
  private readonly stopping = new AbortController();
  private scanning: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: Collections,
    private readonly options: DueWorkOptions,
  ) {}

  start(): void {
    this.scanning = this.scanUntilStopped();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.scanning;
  }

  /** Everything due by `until` on one timeline and in one class, or in every class; returns how many documents were handled. */
  async run(timeline: string, until: Date, workClass?: WorkClass): Promise<number> {
    const filter: Filter<AggregateDocument> = {
      timeline,
      dueAt: { $lte: until },
      ...(workClass === undefined ? {} : { dueClass: workClass }),
    };
    const handle: Handle = (collection, document) =>
      this.inWorkSpan('wake', collection, document, document.dueAt ?? until);
    return this.handleEverywhere('dueAt', filter, handle);
  }

  /** Takes up begun steps whose `recoverAt` (real time) has come, in every environment. */
  async recover(): Promise<number> {
    const now = this.options.clock.now();
    const handle: Handle = (collection, document) =>
      this.inWorkSpan('recover', collection, document, document.updatedAt);
    const filter: Filter<AggregateDocument> = { recoverAt: { $gt: new Date(0), $lte: now } };
    return this.handleEverywhere('recoverAt', filter, handle);
  }

  private async scanUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Apart, so that due work that keeps failing never holds up what others began.
      for (const pass of [
        () => this.run(realTimeline, this.options.clock.now()),
        () => this.recover(),
      ]) {
        try {
          await pass();
        } catch (error) {
          if (this.stopping.signal.aborted) return;
          this.options.logger.warn({ err: error }, 'due work failed, will repeat');
        }
      }
      await sleep(pollEveryMs * jitter(0.1), signal);
    }
  }

  // A collection with a failure does not keep the next one from its turn. Whoever asks learns of the first failure.
  private async handleEverywhere(
    sort: 'dueAt' | 'recoverAt',
    filter: Filter<AggregateDocument>,
    handle: Handle,
  ): Promise<number> {
    const failures: unknown[] = [];
    let handled = 0;
    for (const collection of this.collections) {
      if (collection.definition[sort] === undefined) continue;
      try {
        handled += await this.handleAll(collection, { filter, sort, handle });
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return handled;
  }

  // Documents that fail stay due. They are left out for the rest of this pass, so that they cannot keep others from their turn.
  private async handleAll(
    collection: AggregateCollection<never>,
    {
      filter,
      sort,
      handle,
    }: { filter: Filter<AggregateDocument>; sort: 'dueAt' | 'recoverAt'; handle: Handle },
  ): Promise<number> {
    const failed = new Map<string, unknown>();
    let handled = 0;
    while (!this.stopping.signal.aborted && failed.size < batchMax) {
      const batch = (await retryTransient(() =>
        collection.documents
          .find({ ...filter, _id: { $nin: [...failed.keys()] } })
          .sort({ [sort]: 1 })
          .limit(batchMax)
          .toArray(),
      )) as unknown as AggregateDocument[];
      if (batch.length === 0) break;
      await inParallel(batch, async (document) => {
        try {
          await handle(collection, document);
          handled += 1;
        } catch (error) {
          failed.set(document._id, error);
          this.options.logger.warn(
            { err: error, id: document._id },
            'due work failed, will repeat',
          );
        }
      });
    }
    // What was left when the service began to stop is not done: the caller must ask again.
    if (failed.size > 0 || this.stopping.signal.aborted) {
      const [cause] = failed.values();
      throw new DomainError('unavailable', 'DUE_WORK_FAILED', 'Service unavailable', { cause });
    }
    return handled;
  }

  private async inWorkSpan(
    kind: 'wake' | 'recover',
    collection: AggregateCollection<never>,
    document: AggregateDocument,
    at: Date,
  ): Promise<void> {
    const act = collection.behaviour[kind];
    const { service, clock } = this.options;
    const name = `${kind} ${collection.definition.aggregate}`;
    if (act === undefined) throw new Error(`No behaviour for ${name}`);
    const context = workContext(document, { at, clock, requestId: `${document._id}/${kind}` });
    await inSpan({ name, kind: 'internal', service }, () => act(document._id, context));
  }
}

/** The RPCs by which identity advances a manual clock through this service. */
export function dueWorkRpc(
  collections: Collections,
  dueWork: DueWork,
  activity: ActivityCounter,
): (surroundings: RpcSurroundings) => RpcService {
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
    { withoutTenant: ['getNextDue', 'runDue', 'getActivity'] },
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
        .map(({ documents }) => documents.countDocuments(filter)),
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

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: concurrencyMax }, worker));
}
