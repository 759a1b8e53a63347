import type { Collection, Db } from 'mongodb';
import { retryUpsert } from '../mongo/inserts';
import { duplicateKeyIndex, retryTransient } from '../mongo/mongo';
import type { Restore, StepCounts } from '../recovery/recovery';
import { type Pause, pauseLeaseMs, type SystemDocument } from './system-state';

// A hanging database must not delay the next read for minutes.
const limits = { timeoutMS: 4_000 };
export const systemCollection = 'system';
/** Key of the document with the state. */
export const systemKey = { _id: 'system' } as const;
const key = systemKey;
const recovering = { ...key, state: 'RECOVERING' } as const;
// Time after which another replica takes the step of a replica that has died.
const stepLeaseMs = 20_000;

interface LastBackupDocument {
  readonly _id: 'lastBackup';
  readonly at: Date;
}

/** Indexes that a release wants. */
interface ReleaseIndexes {
  readonly release: string;
  /** As `<collection>.<name>`. */
  readonly names: readonly string[];
}

interface IndexesDocument extends ReleaseIndexes {
  readonly _id: 'indexes';
  /** Of the other release that started last; absent if none has. */
  readonly before?: ReleaseIndexes;
}

/** Groups indexes that a release wants by their collections. */
export function indexesByCollection(names: readonly string[]): Map<string, string[]> {
  return Map.groupBy(names, (name) => name.slice(0, name.indexOf('.')));
}

/** State of the system in one database. Releases before 0.2.0 neither read nor write it. */
export class SystemStore {
  private readonly documents: Collection<SystemDocument>;
  private readonly backups: Collection<LastBackupDocument>;
  private readonly indexes: Collection<IndexesDocument>;

  constructor(db: Db) {
    this.documents = db.collection(systemCollection);
    this.backups = db.collection(systemCollection);
    this.indexes = db.collection(systemCollection);
  }

  /** Instant of the last complete backup; undefined in all databases but the first. */
  async lastBackup(): Promise<Date | undefined> {
    return (await this.backups.findOne({ _id: 'lastBackup' }, limits))?.at;
  }

  async recordBackup(at: Date): Promise<void> {
    await this.backups.updateOne({ _id: 'lastBackup' }, { $set: { at } }, { upsert: true });
  }

  /** Indexes that the replica which started last wants; undefined before 0.2.0. */
  async wantedIndexes(): Promise<IndexesDocument | undefined> {
    return (await this.indexes.findOne({ _id: 'indexes' }, limits)) ?? undefined;
  }

  async recordIndexes({ release, names }: ReleaseIndexes): Promise<void> {
    const stored = await retryTransient(() => this.wantedIndexes());
    const isOther = stored !== undefined && stored.release !== release;
    const before = isOther && { before: { release: stored.release, names: stored.names } };
    const update = { $set: { release, names, ...before } };
    // Of two replicas that start at once, one may find that the other has just stored it.
    await retryUpsert(() =>
      retryTransient(() => this.indexes.updateOne({ _id: 'indexes' }, update, { upsert: true })),
    );
  }

  async read(): Promise<SystemDocument | undefined> {
    return (await this.documents.findOne(key, limits)) ?? undefined;
  }

  /**
   * Pauses writes, unless the system is RECOVERING or MOVED or another command has paused it and is
   * alive. Repeatable.
   */
  async pause(pause: Pause): Promise<boolean> {
    const expired = new Date(pause.at.getTime() - pauseLeaseMs);
    const filter = {
      ...key,
      $or: [
        { state: { $nin: ['PAUSED', 'RECOVERING', 'MOVED'] } },
        { state: 'PAUSED', 'pause.id': pause.id },
        { state: 'PAUSED', 'pause.at': { $lte: expired } },
      ],
    };
    return await this.put(filter, { state: 'PAUSED', pause });
  }

  /** Extends a pause; false if it no longer exists. */
  async renew(pause: Pause): Promise<boolean> {
    const filter = { ...key, state: 'PAUSED', 'pause.id': pause.id };
    const { matchedCount } = await retryTransient(() =>
      this.documents.updateOne(filter, { $set: { pause } }, limits),
    );
    return matchedCount === 1;
  }

  /** Ends a pause; does nothing if another command has paused the system since. */
  async resume(pauseId: string): Promise<void> {
    const filter = { ...key, state: 'PAUSED', 'pause.id': pauseId };
    await retryTransient(() => this.documents.updateOne(filter, opened));
  }

  /** Closes a stopped system's data until `undoMove`; false if it is RECOVERING. Repeatable. */
  async move(instant: Date): Promise<boolean> {
    const filter = { ...key, state: { $ne: 'RECOVERING' } };
    return await this.put(filter, { state: 'MOVED', instant });
  }

  /** Opens data that a final backup has moved; with an instant, only if it was that backup. */
  async undoMove(instant?: Date): Promise<void> {
    const filter = { ...key, state: 'MOVED', ...(instant !== undefined && { instant }) };
    await retryTransient(() => this.documents.updateOne(filter, opened));
  }

  /**
   * Closes data that is being restored; false if it was moved. It stays closed until all databases
   * are restored and `reconcile` has opened them. Repeatable.
   */
  async close(): Promise<boolean> {
    const filter = { ...key, state: { $ne: 'MOVED' } };
    return await this.put(filter, { state: 'RECOVERING' }, { ...forgotten, restore: '' });
  }

  /** Undoes a `close` of data whose restore was not named: what was stored before it is back. */
  async undoClose(former: SystemDocument | undefined): Promise<void> {
    const filter = { ...recovering, restore: { $exists: false } };
    await retryTransient(async () => {
      if (former === undefined) await this.documents.deleteOne(filter);
      else await this.documents.replaceOne(filter, former);
    });
  }

  /** Names the restore, which is complete: the steps of `reconcile` may begin. */
  async recoverFrom(restore: Restore): Promise<void> {
    await retryTransient(() => this.documents.updateOne(recovering, { $set: { restore } }));
  }

  /** Requests a step from the service. */
  async requestStep(step: string): Promise<void> {
    await retryTransient(() => this.documents.updateOne(recovering, { $set: { step } }));
  }

  /** Forgets the steps, so that they are taken again. */
  async forgetSteps(): Promise<void> {
    await retryTransient(() => this.documents.updateOne(recovering, { $unset: forgotten }));
  }

  /** Takes or extends the lease of a requested step; false if it is done, or another has it. */
  async leaseStep(step: string, replica: string, now: Date): Promise<boolean> {
    const expired = new Date(now.getTime() - stepLeaseMs);
    const isFree = [
      { lease: { $exists: false } },
      { 'lease.replica': replica },
      { 'lease.at': { $lte: expired } },
    ];
    const filter = { ...recovering, step, [`done.${step}`]: { $exists: false }, $or: isFree };
    const fields = { lease: { replica, at: now } };
    const { matchedCount } = await retryTransient(() =>
      this.documents.updateOne(filter, { $set: fields }),
    );
    return matchedCount === 1;
  }

  /** Records that a step is done. */
  async finishStep(step: string, replica: string, counts: StepCounts): Promise<void> {
    const filter = { ...recovering, step, 'lease.replica': replica };
    const change = { $set: { [`done.${step}`]: counts }, $unset: { lease: '' } } as const;
    await retryTransient(() => this.documents.updateOne(filter, change));
  }

  /** Opens data that has recovered. */
  async open(): Promise<void> {
    await retryTransient(() => this.documents.updateOne(recovering, opened));
  }

  private async put(
    filter: object,
    fields: Omit<SystemDocument, '_id'>,
    removed: Partial<Record<keyof SystemDocument, ''>> = {},
  ): Promise<boolean> {
    try {
      await retryTransient(() =>
        this.documents.updateOne(filter, { $set: fields, $unset: removed }, { upsert: true }),
      );
      return true;
    } catch (error) {
      // The document exists, and its state does not match.
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}

const forgotten = { step: '', done: '', lease: '' } as const;
const opened = {
  $set: { state: 'OPEN' },
  $unset: { ...forgotten, pause: '', instant: '', restore: '' },
} as const;
