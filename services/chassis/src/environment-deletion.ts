import type { Collection, Db, Document } from 'mongodb';
import type { Clock } from './clock';
import { ensureIndexes } from './indexes';
import type { Logger } from './logging';
import { retryTransient } from './mongo';

/** A deleted environment, so that nothing of it comes back. */
interface Tombstone {
  /** The environment's id. */
  readonly _id: string;
  /** Real time. */
  readonly deletedAt: Date;
  /** Real time of the next sweep. */
  readonly sweepAt: Date;
  /** Sweeps that found nothing left. */
  readonly sweeps: number | bigint;
}

type StringIds = Document & { readonly _id: string; readonly eventSequence?: number | bigint };

/** What the deletion of environments works with. */
export interface EnvironmentDeletionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Collections of which nothing is deleted. */
  readonly keeps?: readonly string[];
  /** The collection whose documents go after all others. */
  readonly last?: string | undefined;
}

const tombstoneCollection = 'deletedEnvironments';
const batchMax = 500;
// Whatever was in flight at the deletion has ended before the last of them: a call has at most ten minutes.
const sweepAfterMs = [30_000, 2 * 60_000, 12 * 60_000, 30 * 60_000];
// Messages of the stream are kept for three days.
const tombstonesKeptMs = 7 * 24 * 60 * 60_000;
const sweptAtOnceMax = 100;
// Replicas learn of a deletion by reading, and clocks of machines differ.
const overlapMs = 60_000;

/**
 * Deletes environments from a service's database: everything in any collection that names them by `environmentId` or as its `_id`. The
 * collections are those of the database, so that none can be forgotten. A tombstone refuses calls, relay and due work of the environment
 * from then on, and is swept until nothing that was in flight can have written again.
 */
export class EnvironmentDeletion {
  private readonly tombstones: Collection<Tombstone>;
  private readonly deleted = new Set<string>();
  private readUntil = new Date(0);

  constructor(
    private readonly db: Db,
    private readonly options: EnvironmentDeletionOptions,
  ) {
    this.tombstones = db.collection<Tombstone>(tombstoneCollection);
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.tombstones, [
      { name: 'deletedAt', key: { deletedAt: 1 } },
      { name: 'sweepAt', key: { sweepAt: 1 } },
    ]);
  }

  /** Whether the environment was deleted, as far as this process knows. */
  isDeleted(environmentId: string): boolean {
    return this.deleted.has(environmentId);
  }

  /** Learns of environments that other replicas deleted. */
  async refresh(): Promise<void> {
    const now = this.options.clock.now();
    const since = new Date(this.readUntil.getTime() - overlapMs);
    const found = await retryTransient(() =>
      this.tombstones
        .find({ deletedAt: { $gte: since } })
        .project<Pick<Tombstone, '_id'>>({ _id: 1 })
        .toArray(),
    );
    for (const { _id } of found) this.deleted.add(_id);
    this.readUntil = now;
  }

  /** Deletes an environment; false where `until` (real time) came before all was gone. To be repeated. */
  async delete(environmentId: string, until: Date): Promise<boolean> {
    await this.bury(environmentId);
    return this.deleteDocuments(environmentId, until);
  }

  /** Deletes what came back of deleted environments, or was left by a process that died. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.options;
    const due = await retryTransient(() =>
      this.tombstones
        .find({ sweepAt: { $lte: clock.now() } })
        .sort({ sweepAt: 1 })
        .limit(sweptAtOnceMax)
        .toArray(),
    );
    for (const { _id, deletedAt, sweeps } of due) {
      if (signal.aborted) return;
      const delayMs = sweepAfterMs[Number(sweeps) + 1];
      if (!(await this.deleteDocuments(_id, new Date(8.64e15)))) return;
      const next = delayMs ?? tombstonesKeptMs;
      if (Number(sweeps) < sweepAfterMs.length) {
        const sweepAt = new Date(deletedAt.getTime() + next);
        await retryTransient(() =>
          this.tombstones.updateOne({ _id }, { $set: { sweepAt, sweeps: Number(sweeps) + 1 } }),
        );
        continue;
      }
      await retryTransient(() => this.tombstones.deleteOne({ _id }));
      this.deleted.delete(_id);
      logger.info({ environmentId: _id }, 'tombstone of a deleted environment removed');
    }
  }

  private async bury(environmentId: string): Promise<void> {
    const deletedAt = this.options.clock.now();
    const sweepAt = new Date(deletedAt.getTime() + (sweepAfterMs[0] ?? 0));
    await retryTransient(() =>
      this.tombstones.updateOne(
        { _id: environmentId },
        { $setOnInsert: { deletedAt, sweepAt, sweeps: 0 } },
        { upsert: true },
      ),
    );
    this.deleted.add(environmentId);
  }

  private async deleteDocuments(environmentId: string, until: Date): Promise<boolean> {
    for (const name of await this.collectionNames()) {
      const collection = this.db.collection<StringIds>(name);
      for (;;) {
        if (this.options.clock.now() >= until) return false;
        const batch = await retryTransient(() =>
          collection
            .find({ environmentId })
            .project<Pick<StringIds, '_id' | 'eventSequence'>>({ eventSequence: 1 })
            .limit(batchMax)
            .toArray(),
        );
        await this.deleteLoggedEvents(batch);
        const ids = batch.map(({ _id }) => _id);
        await retryTransient(() => collection.deleteMany({ _id: { $in: ids }, environmentId }));
        if (batch.length < batchMax) break;
      }
      await retryTransient(() => collection.deleteOne({ _id: environmentId }));
    }
    return true;
  }

  // Entries that an earlier release logged name no environment; their ids follow from those of the aggregates.
  private async deleteLoggedEvents(
    batch: readonly Pick<StringIds, '_id' | 'eventSequence'>[],
  ): Promise<void> {
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

/**
 * Gives every collection whose documents name their environment an index that begins with it, where it has none, so that the deletion of
 * one environment reads nothing of others.
 */
export async function ensureEnvironmentIndexes(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const collection = db.collection(name);
    const [document, indexes] = await Promise.all([collection.findOne({}), collection.indexes()]);
    const isIndexed = indexes.some(({ key }) => Object.keys(key)[0] === 'environmentId');
    if (isIndexed || document === null || !('environmentId' in document)) continue;
    await ensureIndexes(collection, [{ name: 'environment', key: { environmentId: 1 } }]);
  }
}
