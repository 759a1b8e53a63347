import type { Collection, Db } from 'mongodb';
import type { AggregateDocument } from '@billing/chassis/aggregate';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';

/** Days of real time for which mails are kept. */
export const emailRetentionDays = 90;

const batchSize = 500;

// The oldest of more is not much older.
const waitingMax = 10_000;

/** Deletes old mails, and reads for how long mails have waited. */
export class EmailRetentionStore {
  private readonly emails: Collection<AggregateDocument>;

  constructor(db: Db) {
    this.emails = db.collection<AggregateDocument>('emails');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.emails, [{ name: 'madeAt', key: { madeAt: 1 } }]);
  }

  /** Milliseconds since the oldest waiting mail of a live environment was made; 0 if none waits. */
  async oldestWaitingMs(now: Date): Promise<number> {
    const waiting = await retryTransient(() =>
      this.emails
        .find({ recoverAt: { $gt: new Date(0) } })
        .project<{ readonly live: boolean; readonly madeAt: Date }>({ live: 1, madeAt: 1 })
        .sort({ recoverAt: 1 })
        .limit(waitingMax)
        .toArray(),
    );
    const times = waiting.filter(({ live }) => live).map(({ madeAt }) => madeAt.getTime());
    return times.length === 0 ? 0 : Math.max(0, now.getTime() - Math.min(...times));
  }

  /** Deletes some mails that were made before a time; returns true if there may be more. */
  async deleteBatch(before: Date): Promise<boolean> {
    const old = await retryTransient(() =>
      this.emails
        .find({ madeAt: { $lt: before } })
        .project<Pick<AggregateDocument, '_id' | 'environmentId'>>({ environmentId: 1 })
        .limit(batchSize)
        .toArray(),
    );
    const _id = { $in: old.map((email) => email._id) };
    const environmentId = { $in: [...new Set(old.map((email) => email.environmentId))] };
    if (old.length > 0) await retryTransient(() => this.emails.deleteMany({ _id, environmentId }));
    return old.length === batchSize;
  }
}
