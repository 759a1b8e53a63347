import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';

/**
 * The position up to which an owner's event log was read: every entry up to it has its message.
 * Logs hold all environments, and so do cursors.
 */
export interface Cursor {
  /** The owner of the log. */
  readonly _id: string;
  readonly position: string;
  /** Real time of the entry's insertion. */
  readonly insertedAt: Date;
  /**
   * The newest entries of live environments at the ends of the last reads, oldest first. Absent:
   * none was read since the last restore.
   */
  readonly recent?: readonly SeenEntry[];
}

/** An entry that was read from a log. */
export interface SeenEntry {
  /** `<aggregate id>:<sequence>`. */
  readonly id: string;
  /** Real time of the entry's insertion. */
  readonly insertedAt: Date;
}

/**
 * The replica that reads an owner's log, until when. A lease, because every replica reading every
 * log would multiply the load of the owners.
 */
interface Reader {
  /** The owner of the log. */
  readonly _id: string;
  readonly replica: string;
  /** Real time. */
  readonly until: Date;
}

/**
 * Stores the position at which reading of event logs resumes, and the lease of the replica that
 * reads them.
 */
export class CursorStore {
  private readonly cursors: Collection<Cursor>;
  private readonly readers: Collection<Reader>;

  constructor(db: Db) {
    this.cursors = db.collection<Cursor>('eventLogCursors');
    this.readers = db.collection<Reader>('eventLogReaders');
  }

  /** Claims or renews the lease on an owner's log. Returns false while another replica holds it. */
  async claim(
    owner: string,
    { replica, now, until }: { replica: string; now: Date; until: Date },
  ): Promise<boolean> {
    const free = { _id: owner, $or: [{ replica }, { until: { $lte: now } }] };
    try {
      await retryTransient(() =>
        this.readers.updateOne(free, { $set: { replica, until } }, { upsert: true }),
      );
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  /** Releases a replica's leases. */
  async release(replica: string): Promise<void> {
    await retryTransient(() => this.readers.deleteMany({ replica }));
  }

  async find(owner: string): Promise<Cursor | undefined> {
    const cursor = await retryTransient(() => this.cursors.findOne({ _id: owner }));
    return cursor ?? undefined;
  }

  /** Returns all cursors, by owner. */
  async findAll(): Promise<ReadonlyMap<string, Cursor>> {
    const cursors = await retryTransient(() => this.cursors.find({}).toArray());
    return new Map(cursors.map((cursor) => [cursor._id, cursor]));
  }

  /** Moves all cursors back to a real time; returns how many were moved. */
  async moveBack(since: Date): Promise<number> {
    const later = { insertedAt: { $gt: since } };
    const { modifiedCount } = await retryTransient(() =>
      this.cursors.updateMany(later, { $set: { insertedAt: since } }),
    );
    return modifiedCount;
  }

  /** Stores a cursor. Moving it back is harmless: entries read before are recognized. */
  async store({ _id, ...cursor }: Cursor): Promise<void> {
    await retryTransient(() => this.cursors.updateOne({ _id }, { $set: cursor }, { upsert: true }));
  }

  /** Forgets which entries were read: the logs were restored without some of them. */
  async forgetRecent(): Promise<void> {
    await retryTransient(() => this.cursors.updateMany({}, { $unset: { recent: '' } }));
  }
}
