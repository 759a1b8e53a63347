import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import type { SeenEntry } from '../message/cursor-store';

interface LostEntries {
  /** The owner of the log. */
  readonly _id: string;
  readonly entries: readonly SeenEntry[];
}

/** Entries that were read from an owner's log and are no longer in it. */
export class LostEntryStore {
  private readonly lost: Collection<LostEntries>;

  constructor(db: Db) {
    this.lost = db.collection<LostEntries>('lostLogEntries');
  }

  /** Returns the entries by owner. */
  async findAll(): Promise<ReadonlyMap<string, readonly SeenEntry[]>> {
    const found = await retryTransient(() => this.lost.find({}).toArray());
    return new Map(found.map(({ _id, entries }) => [_id, entries]));
  }

  /** Stores the entries of an owner in place of earlier ones. */
  async replace(owner: string, entries: readonly SeenEntry[]): Promise<void> {
    const filter = { _id: owner };
    if (entries.length === 0) {
      await retryTransient(() => this.lost.deleteOne(filter));
      return;
    }
    await retryTransient(() =>
      this.lost.updateOne(filter, { $set: { entries } }, { upsert: true }),
    );
  }

  async removeAll(): Promise<void> {
    await retryTransient(() => this.lost.deleteMany({}));
  }
}
