import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';

/** How far an owner's event log was read: everything up to here has its message. Logs hold all environments, and so do cursors. */
export interface Cursor {
  /** The owner of the log. */
  readonly _id: string;
  readonly position: string;
  /** Real time of the entry's insertion. */
  readonly insertedAt: Date;
}

/** Where reading event logs goes on after a restart. */
export class CursorStore {
  private readonly cursors: Collection<Cursor>;

  constructor(db: Db) {
    this.cursors = db.collection<Cursor>('eventLogCursors');
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
