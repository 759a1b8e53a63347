import type { Collection, Db } from 'mongodb';
import type { AggregateDocument } from '@billing/chassis/aggregate';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { deleteBatch } from '@billing/chassis/old-documents';

/** Days of real time for which mails are kept. */
export const emailRetentionDays = 90;

// The oldest of more is not much older.
const waitingMax = 10_000;

/** Deletes old mails, and reads for how long mails have waited. */
export class EmailRetentionStore {
  private readonly emails: Collection<AggregateDocument>;

  constructor(db: Db, collection: 'emails' | 'operatorEmails') {
    this.emails = db.collection<AggregateDocument>(collection);
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.emails, [{ name: 'madeAt', key: { madeAt: 1 } }]);
  }

  /** Milliseconds since the oldest waiting mail of a live environment was made; 0 if none waits. */
  async oldestWaitingMs(now: Date): Promise<number> {
    const [oldest] = await retryTransient(() =>
      this.emails
        .aggregate<{ readonly madeAt: Date }>([
          { $match: { recoverAt: { $gt: new Date(0) } } },
          { $sort: { recoverAt: 1 } },
          { $limit: waitingMax },
          { $match: { live: true } },
          { $group: { _id: null, madeAt: { $min: '$madeAt' } } },
        ])
        .toArray(),
    );
    return oldest === undefined ? 0 : Math.max(0, now.getTime() - oldest.madeAt.getTime());
  }

  /** Deletes one batch of mails that were made before a time. Returns true if there may be more. */
  deleteBatch(before: Date): Promise<boolean> {
    const filter = { madeAt: { $lt: before } };
    return deleteBatch({ collection: this.emails, filter, sort: { madeAt: 1 } });
  }
}
