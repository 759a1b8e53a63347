import { DomainError } from '@billing/kernel/domain-error';
import type { Collection, Db, Document, Filter } from 'mongodb';
import { fencesOf } from '../aggregates/natural-key-claims';
import type { Clock } from '../clock';
import { ensureIndexes, listIndexes, retryTransient } from '../mongo/mongo';
import { QuietPoll } from '../mongo/quiet-poll';
import { everySlice, type Slices } from '../replicas/slices';
import type { PeriodicWork } from './periodic-work';
import type { Logger } from '../telemetry/logging';
import { Semaphore } from '../concurrency/semaphore';
import { retryUpsert } from '../mongo/inserts';

/** Tombstone of a deleted environment; prevents its data from being written again. */
interface Tombstone {
  /** The environment's id. */
  readonly _id: string;
  /** Real time of the deletion. */
  readonly deletedAt: Date;
  /** Real time of the next sweep. */
  readonly sweepAt: Date;
  /** Number of sweeps that found nothing left. */
  readonly sweeps: number | bigint;
}

type StringIds = Document & {
  readonly _id: string;
  readonly eventSequence?: number | bigint;
  /** Only in documents of aggregates. */
  readonly live?: boolean;
};
type Deletable = Pick<StringIds, '_id' | 'eventSequence' | 'live'>;

export interface DeletionLimits {
  /** Real time at which the deletion ends early. */
  readonly until: Date;
  /** Ends the deletion early. */
  readonly signal?: AbortSignal | undefined;
}

/** Dependencies of the deletion of environments, and its exceptions. */
export interface EnvironmentDeletionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Other replicas, whose deletions must be read; absent: there may be some. */
  readonly slices?: Pick<Slices, 'isAlone'>;
  /** Collections from which nothing is deleted. */
  readonly keeps?: readonly string[];
  /** Collection whose documents are deleted after all others. */
  readonly last?: string | undefined;
}

const tombstoneCollection = 'deletedEnvironments';
const batchMax = 500;
// A large environment takes minutes to delete; more concurrent deletions would slow down every user
// of the database.
const deletionsMax = 2;
// All calls in flight at the deletion have ended before the last sweep: a call takes at most ten
// minutes.
const sweepAfterMs = [30_000, 2 * 60_000, 12 * 60_000, 30 * 60_000];
// The stream keeps messages for three days.
const tombstoneRetentionMs = 7 * 24 * 60 * 60_000;
// Keys, pages and webhooks of a deleted environment end within 5 s at every replica.
const readDeletedEveryMs = 2_000;
const sweepEveryMs = 10_000;
// Sweeps are not urgent.
const sweepQuietMs = 60_000;
const sweepBatchMax = 100;
const sweepAgainAfterFailureMs = 60_000;
const endOfTime = new Date(8.64e15);
// Replicas find deletions by reading tombstones, and clocks of machines differ.
const overlapMs = 60_000;

/**
 * Deletes environments from a service's database: every document of any collection that names them
 * by `environmentId`, or whose `_id` begins with it, and its fences. The collections are listed by
 * the database, so that none can be forgotten. From then on a tombstone refuses calls, relay and
 * due work of the environment. It is swept until no call that was in flight can have written
 * again.
 */
export class EnvironmentDeletion {
  private readonly tombstones: Collection<Tombstone>;
  private readonly deleted = new Set<string>();
  private readonly running = new Semaphore(deletionsMax);
  private readonly stopping = new AbortController();
  private readUntil = new Date(0);
  private readonly poll: QuietPoll;
  private readonly sweepPoll: QuietPoll;

  constructor(
    private readonly db: Db,
    private readonly options: EnvironmentDeletionOptions,
  ) {
    this.tombstones = db.collection<Tombstone>(tombstoneCollection);
    const { clock, slices = everySlice } = options;
    const polled = {
      ...{ collections: [this.tombstones], clock },
      isAlone: () => slices.isAlone,
    };
    this.poll = new QuietPoll(polled);
    this.sweepPoll = new QuietPoll({ ...polled, quietMs: sweepQuietMs });
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.tombstones, [
      { name: 'deletedAt', key: { deletedAt: 1 } },
      { name: 'sweepAt', key: { sweepAt: 1 } },
    ]);
  }

  /** True if the environment was deleted, as far as this process knows. */
  isDeleted(environmentId: string): boolean {
    return this.deleted.has(environmentId);
  }

  /** Reads the tombstones of environments that other replicas deleted. */
  async refresh(): Promise<void> {
    const now = this.options.clock.now();
    const since = new Date(this.readUntil.getTime() - overlapMs);
    const find = async () => {
      const found = await this.tombstones
        .find({ deletedAt: { $gte: since } })
        .project<Pick<Tombstone, '_id'>>({ _id: 1 })
        .toArray();
      // A poll that is skipped has read nothing.
      this.readUntil = now;
      return found;
    };
    const found = await this.poll.poll(() => retryTransient(find));
    for (const { _id } of found) this.deleted.add(_id);
  }

  /**
   * Deletes an environment. Returns false if `until` passed or the signal aborted before all
   * documents were deleted; the caller then retries the call. Throws failed_precondition for a live
   * environment.
   */
  async delete(environmentId: string, limits: DeletionLimits): Promise<boolean> {
    await this.refuseLive(environmentId);
    await this.bury(environmentId);
    return this.deleteInTurn(environmentId, limits);
  }

  /**
   * Deletes documents that were written to deleted environments later, or were left by a process
   * that died.
   */
  async sweep(signal: AbortSignal): Promise<void> {
    const { logger } = this.options;
    const due = await this.sweepPoll.poll((now) =>
      retryTransient(() =>
        this.tombstones
          .find({ sweepAt: { $lte: now } })
          .sort({ sweepAt: 1 })
          .limit(sweepBatchMax)
          .toArray(),
      ),
    );
    const sweeps = due.map(async (tombstone) => {
      const { _id } = tombstone;
      try {
        const isDone = await this.deleteInTurn(_id, { until: endOfTime, signal });
        if (isDone) await this.recordSweep(tombstone);
      } catch (error) {
        logger.error(
          { err: error, environmentId: _id },
          'deleting environment data failed, retrying',
        );
        await this.postpone(_id);
      }
    });
    const outcomes = await Promise.allSettled(sweeps);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /**
   * Ends every deletion after its current batch. Another process, or the next call, continues it.
   */
  stop(): void {
    this.stopping.abort();
  }

  private async recordSweep({ _id, deletedAt, sweeps }: Tombstone): Promise<void> {
    if (Number(sweeps) < sweepAfterMs.length) {
      const delayMs = sweepAfterMs[Number(sweeps) + 1] ?? tombstoneRetentionMs;
      const sweepAt = new Date(deletedAt.getTime() + delayMs);
      await retryTransient(() =>
        this.tombstones.updateOne({ _id }, { $set: { sweepAt, sweeps: Number(sweeps) + 1 } }),
      );
      return;
    }
    await retryTransient(() => this.tombstones.deleteOne({ _id }));
    this.deleted.delete(_id);
    this.options.logger.info({ environmentId: _id }, 'environment tombstone removed');
  }

  // Tombstones whose sweep keeps failing must not fill every batch of due ones.
  private async postpone(_id: string): Promise<void> {
    const sweepAt = new Date(this.options.clock.now().getTime() + sweepAgainAfterFailureMs);
    await retryTransient(() => this.tombstones.updateOne({ _id }, { $set: { sweepAt } }));
  }

  /**
   * A second line of defense: identity deletes only sandboxes. Reads one document of each
   * collection before anything is written.
   */
  private async refuseLive(environmentId: string): Promise<void> {
    for (const name of await this.collectionNames()) {
      const collection = this.db.collection<StringIds>(name);
      const [found, named] = await retryTransient(() =>
        Promise.all([
          collection.findOne({ environmentId }, { projection: { live: 1 } }),
          collection.findOne({ _id: idsOf(environmentId) }, { projection: { live: 1 } }),
        ]),
      );
      if (found?.live === true || named?.live === true) throw isLive();
    }
  }

  private async bury(environmentId: string): Promise<void> {
    const deletedAt = this.options.clock.now();
    const sweepAt = new Date(deletedAt.getTime() + (sweepAfterMs[0] ?? 0));
    await retryUpsert(() =>
      this.tombstones.updateOne(
        { _id: environmentId },
        { $setOnInsert: { deletedAt, sweepAt, sweeps: 0 } },
        { upsert: true },
      ),
    );
    this.deleted.add(environmentId);
  }

  private async deleteInTurn(environmentId: string, limits: DeletionLimits): Promise<boolean> {
    const { stopping } = this;
    const signal = AbortSignal.any([stopping.signal, ...(limits.signal ? [limits.signal] : [])]);
    try {
      return await this.running.run(
        () => this.deleteDocuments(environmentId, { ...limits, signal }),
        signal,
      );
    } catch (error) {
      // Aborted while it waited in the queue.
      if (error === signal.reason) return false;
      throw error;
    }
  }

  private async deleteDocuments(
    environmentId: string,
    { until, signal }: DeletionLimits,
  ): Promise<boolean> {
    for (const name of await this.collectionNames()) {
      const collection = this.db.collection<StringIds>(name);
      const withField = { environmentId };
      const withFence = { environmentId: fencesOf(environmentId) };
      const withKey = { _id: idsOf(environmentId) };
      for (const filter of [withField, withFence, withKey]) {
        for (;;) {
          if (signal?.aborted === true || this.options.clock.now() >= until) return false;
          const deleted = await this.deleteBatch(collection, filter);
          if (deleted < batchMax) break;
        }
      }
    }
    return true;
  }

  private async deleteBatch(
    collection: Collection<StringIds>,
    filter: Filter<StringIds>,
  ): Promise<number> {
    const batch = await retryTransient(() =>
      collection
        .find(filter)
        .project<Deletable>({ eventSequence: 1, live: 1 })
        .limit(batchMax)
        .toArray(),
    );
    if (batch.length === 0) return 0;
    if (batch.some(({ live }) => live === true)) throw isLive();
    await this.deleteLoggedEvents(batch);
    const ids = batch.map(({ _id }) => _id);
    await retryTransient(() => collection.deleteMany({ ...filter, _id: { $in: ids } }));
    return batch.length;
  }

  // Entries logged by an earlier release have no environment; their ids derive from those of the
  // aggregates.
  private async deleteLoggedEvents(batch: readonly Deletable[]): Promise<void> {
    const log = this.db.collection<StringIds>('eventLog');
    const ids = batch.flatMap(({ _id, eventSequence = 0 }) =>
      Array.from({ length: Number(eventSequence) }, (_, index) => `${_id}:${String(index + 1)}`),
    );
    for (let from = 0; from < ids.length; from += batchMax) {
      const some = ids.slice(from, from + batchMax);
      await retryTransient(() => log.deleteMany({ _id: { $in: some } }));
    }
  }

  private async collectionNames(): Promise<string[]> {
    const { keeps = [], last } = this.options;
    const listed = await retryTransient(() =>
      this.db.listCollections({}, { nameOnly: true }).toArray(),
    );
    const kept = new Set([tombstoneCollection, ...keeps]);
    const names = listed
      .map(({ name }) => name)
      .filter((name) => !kept.has(name) && !name.startsWith('system.'));
    return names.toSorted((a, b) => Number(a === last) - Number(b === last));
  }
}

/** Periodic work of a deletion. */
export function deletionWork(deletion: EnvironmentDeletion): PeriodicWork[] {
  return [
    {
      name: 'read deleted environments',
      everyMs: readDeletedEveryMs,
      run: () => deletion.refresh(),
      writes: 'nothing',
    },
    {
      name: 'sweep deleted environments',
      everyMs: sweepEveryMs,
      run: (signal) => deletion.sweep(signal),
      // A deletion frees space.
      writes: 'deletions',
      onOneReplica: true,
    },
  ];
}

/** Range of the ids that begin with an environment's. */
function idsOf(environmentId: string) {
  return { $gte: environmentId, $lt: `${environmentId}\u{10ffff}` };
}

function isLive(): DomainError {
  const message = 'A live environment cannot be deleted';
  return new DomainError('failed_precondition', 'ENVIRONMENT_IS_LIVE', message);
}

/**
 * Creates an index that begins with the environment for every collection whose documents have one
 * and that lacks it. Otherwise the deletion of one environment would read documents of others.
 */
export async function ensureEnvironmentIndexes(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const collection = db.collection(name);
    const [document, indexes] = await Promise.all([
      collection.findOne({}),
      listIndexes(collection),
    ]);
    const isIndexed = indexes.some(({ key }) => Object.keys(key)[0] === 'environmentId');
    if (isIndexed || document === null || !('environmentId' in document)) continue;
    await ensureIndexes(collection, [{ name: 'environment', key: { environmentId: 1 } }]);
  }
}
