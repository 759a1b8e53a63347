import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';

/** How far an owner's event log was read: everything up to here has its message. Logs hold all environments, and so do cursors. */
export interface Cursor {
  /** The owner of the log. */
  readonly _id: string;
  readonly position: string;
  /** Real time of the entry's insertion. */
  readonly insertedAt: Date;
}

/** The replica that reads an owner's log, until when. A lease: all replicas reading all logs would do the same work. */
interface Reader {
  /** The owner of the log. */
  readonly _id: string;
  readonly replica: string;
  /** Real time. */
  readonly until: Date;
}

/** Where reading event logs goes on after a restart, and which replica reads them. */
export class CursorStore {
  private readonly cursors: Collection<Cursor>;
  private readonly readers: Collection<Reader>;

  constructor(db: Db) {
    this.cursors = db.collection<Cursor>('eventLogCursors');
    this.readers = db.collection<Reader>('eventLogReaders');
  }

  /** Takes or extends the lease on reading an owner's log. False while another replica has it. */
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

  /** Ends a replica's leases. */
  async release(replica: string): Promise<void> {
    await retryTransient(() => this.readers.deleteMany({ replica }));
  }

  async find(owner: string): Promise<Cursor | undefined> {
    const cursor = await retryTransient(() => this.cursors.findOne({ _id: owner }));
    return cursor ?? undefined;
  }

  /** Going back is harmless: what was read before is known. */
  async store({ _id, position, insertedAt }: Cursor): Promise<void> {
    await retryTransient(() =>
      this.cursors.updateOne({ _id }, { $set: { position, insertedAt } }, { upsert: true }),
    );
  }
}
