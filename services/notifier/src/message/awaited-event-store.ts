import type { Collection, Db } from 'mongodb';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { insertMissing, retryUpsert } from '@billing/chassis/inserts';
import type { Message } from './message-store';

/** The type of a subject, as this and earlier releases store it. */
interface OfSubject {
  /** Such as `subscription`. Absent in documents of earlier releases. */
  readonly subjectType?: string;
  /** Only in documents of earlier releases, which knew subscriptions and checkout sessions. */
  readonly isCheckout?: boolean;
}

/** Type of the subject of waiting or abandoned events. */
export function subjectTypeOfWait({ subjectType, isCheckout }: OfSubject): string {
  return subjectType ?? (isCheckout === true ? 'checkout_session' : 'subscription');
}

/** Events of one subject that wait for an earlier event missing in all logs. */
export interface AwaitedEvents extends OfSubject {
  /** The subject's id. */
  readonly _id: string;
  readonly environmentId: string;
  /** True for a live environment. Absent where no event was readable, and in earlier documents. */
  readonly live?: boolean;
  /** The first sequence that was not accepted when the wait began. */
  readonly from: number;
  /** The highest sequence known to exist. */
  readonly upTo: number;
  /** Restore codes of the subject up to there. */
  readonly restoreCodes?: string;
  /** Real time at which the wait began. */
  readonly since: Date;
  /** Real time at which the latest known event was logged. */
  readonly latestAt: Date;
  /** Real time of the next attempt. */
  readonly tryAt: Date;
}

/**
 * An event that was abandoned because no log returned it in time, so that later events could go.
 */
export interface MissingEvent
  extends OfSubject, Pick<Message, '_id' | 'environmentId' | 'subscriptionId' | 'sequence'> {
  /** Real time at which the event was abandoned. */
  readonly at: Date;
}

const retryBatchMax = 100;
const shownMax = 1_000;

/**
 * Stores the events that log readers skipped: a missing entry blocks its own subject, and no
 * cursor.
 */
export class AwaitedEventStore {
  private readonly awaited: Collection<AwaitedEvents>;
  private readonly missing: Collection<MissingEvent>;

  constructor(db: Db) {
    this.awaited = db.collection<AwaitedEvents>('awaitedEvents');
    this.missing = db.collection<MissingEvent>('missingEvents');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.awaited, [
      { name: 'tryAt', key: { tryAt: 1 } },
      { name: 'since', key: { since: 1 } },
      { name: 'environment', key: { environmentId: 1, latestAt: 1 } },
    ]);
    await ensureIndexes(this.missing, [
      { name: 'environment', key: { environmentId: 1, at: 1 } },
      { name: 'at', key: { at: 1 } },
    ]);
  }

  /** Begins a wait, or extends it by later events. Returns true if the wait is new. */
  async store({ _id, upTo, latestAt, restoreCodes, ...begun }: AwaitedEvents): Promise<boolean> {
    // The codes of a later event begin with those of an earlier one, so that they sort after them.
    const latest = { upTo, latestAt, ...(restoreCodes !== undefined && { restoreCodes }) };
    const { upsertedCount } = await retryUpsert(() =>
      this.awaited.updateOne({ _id }, { $setOnInsert: begun, $max: latest }, { upsert: true }),
    );
    return upsertedCount === 1;
  }

  /** Returns those of the given subjects that have a wait. */
  async findWaiting(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const found = await retryTransient(() =>
      this.awaited
        .find({ _id: { $in: [...ids] } })
        .project<Pick<AwaitedEvents, '_id'>>({ _id: 1 })
        .toArray(),
    );
    return new Set(found.map(({ _id }) => _id));
  }

  /** True if there is no wait. */
  async isEmpty(): Promise<boolean> {
    return (await retryTransient(() => this.awaited.findOne({}))) === null;
  }

  /** Claims due waits and postpones their next attempt, so that only one replica tries each. */
  async claimDue(now: Date, nextTryAt: (wait: AwaitedEvents) => Date): Promise<AwaitedEvents[]> {
    const due = await retryTransient(() =>
      this.awaited
        .find({ tryAt: { $lte: now } })
        .sort({ tryAt: 1 })
        .limit(retryBatchMax)
        .toArray(),
    );
    const claimed = await Promise.all(
      due.map(async (wait) => {
        const { _id, tryAt } = wait;
        const { modifiedCount } = await retryTransient(() =>
          this.awaited.updateOne({ _id, tryAt }, { $set: { tryAt: nextTryAt(wait) } }),
        );
        return modifiedCount === 1 ? [wait] : [];
      }),
    );
    return claimed.flat();
  }

  /**
   * Ends the waits of events logged since a time. Those that the logs still have begin to wait
   * again when the logs are read from there.
   */
  async removeSince(since: Date): Promise<void> {
    await retryTransient(() => this.awaited.deleteMany({ latestAt: { $gte: since } }));
  }

  /** Ends a wait, unless later events have joined it. */
  async remove({ _id, upTo }: Pick<AwaitedEvents, '_id' | 'upTo'>): Promise<void> {
    await retryTransient(() => this.awaited.deleteOne({ _id, upTo }));
  }

  /** Records an abandoned event; a retry finds it recorded. */
  async recordMissing(event: MissingEvent): Promise<void> {
    await insertMissing(this.missing, [event]);
  }

  /** Returns an environment's waits with an event logged since a time. */
  findOfEnvironment(environmentId: string, since: Date): Promise<AwaitedEvents[]> {
    return retryTransient(() =>
      this.awaited
        .find({ environmentId, latestAt: { $gte: since } })
        .sort({ latestAt: 1 })
        .limit(shownMax)
        .toArray(),
    );
  }

  /** Returns an environment's events that were abandoned since a time. */
  findMissing(environmentId: string, since: Date): Promise<MissingEvent[]> {
    return retryTransient(() =>
      this.missing
        .find({ environmentId, at: { $gte: since } })
        .sort({ at: 1 })
        .limit(shownMax)
        .toArray(),
    );
  }

  /** Counts the waits that began before a time. One of an unknown environment counts as live. */
  async countBegunBefore(before: Date): Promise<{ live: number; sandbox: number }> {
    const since = { $lte: before };
    const [live, sandbox] = await Promise.all([
      retryTransient(() => this.awaited.countDocuments({ since, live: { $ne: false } })),
      retryTransient(() => this.awaited.countDocuments({ since, live: false })),
    ]);
    return { live, sandbox };
  }

  /** Removes events that were abandoned before a time. */
  async removeMissingBefore(before: Date): Promise<void> {
    await retryTransient(() => this.missing.deleteMany({ at: { $lt: before } }));
  }
}
