import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '@billing/chassis/indexes';
import { insertMissing } from '@billing/chassis/insert-missing';
import { retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/upsert';
import type { Message } from './message-store';

/** Events of one subscription or checkout session that wait for an earlier one that no log has. */
export interface AwaitedEvents {
  /** The subscription's or session's id. */
  readonly _id: string;
  readonly environmentId: string;
  readonly isCheckout: boolean;
  /** The first sequence that was not accepted when the wait began. */
  readonly from: number;
  /** The last sequence that is known to exist. */
  readonly upTo: number;
  /** Real time at which the wait began. */
  readonly since: Date;
  /** Real time at which the last known event was logged. */
  readonly latestAt: Date;
  /** Real time of the next try. */
  readonly tryAt: Date;
}

/** An event that no log gave for so long that later ones went without it. */
export interface MissingEvent extends Pick<
  Message,
  '_id' | 'environmentId' | 'subscriptionId' | 'sequence'
> {
  readonly isCheckout: boolean;
  /** Real time at which it was given up. */
  readonly at: Date;
}

const triedAtOnce = 100;
const shownMax = 1_000;

/** What the log readers left behind: one missing entry holds up its own subscription or session, and no cursor. */
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

  /** Begins a wait, or extends it by later events. True if it begins. */
  async store({ _id, upTo, latestAt, ...begun }: AwaitedEvents): Promise<boolean> {
    const { upsertedCount } = await retryUpsert(() =>
      this.awaited.updateOne(
        { _id },
        { $setOnInsert: begun, $max: { upTo, latestAt } },
        { upsert: true },
      ),
    );
    return upsertedCount === 1;
  }

  /** Of these subscriptions and sessions, the ones with a wait. */
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

  /** Takes waits whose time has come, and puts off their next try, so that replicas try each once. */
  async claimDue(now: Date, nextTryAt: (wait: AwaitedEvents) => Date): Promise<AwaitedEvents[]> {
    const due = await retryTransient(() =>
      this.awaited
        .find({ tryAt: { $lte: now } })
        .sort({ tryAt: 1 })
        .limit(triedAtOnce)
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

  /** Ends a wait, unless later events have joined it. */
  async remove({ _id, upTo }: Pick<AwaitedEvents, '_id' | 'upTo'>): Promise<void> {
    await retryTransient(() => this.awaited.deleteOne({ _id, upTo }));
  }

  /** Records an event that later ones went without; a repeat finds it there. */
  async recordMissing(event: MissingEvent): Promise<void> {
    await insertMissing(this.missing, [event]);
  }

  /** Waits of an environment with an event logged since a time. */
  findOfEnvironment(environmentId: string, since: Date): Promise<AwaitedEvents[]> {
    return retryTransient(() =>
      this.awaited
        .find({ environmentId, latestAt: { $gte: since } })
        .sort({ latestAt: 1 })
        .limit(shownMax)
        .toArray(),
    );
  }

  /** Events of an environment that were given up since a time. */
  findMissing(environmentId: string, since: Date): Promise<MissingEvent[]> {
    return retryTransient(() =>
      this.missing
        .find({ environmentId, at: { $gte: since } })
        .sort({ at: 1 })
        .limit(shownMax)
        .toArray(),
    );
  }

  /** Waits that began before a time. */
  countBegunBefore(before: Date): Promise<number> {
    return retryTransient(() => this.awaited.countDocuments({ since: { $lte: before } }));
  }

  /** Forgets events that were given up before a time. */
  async removeMissingBefore(before: Date): Promise<void> {
    await retryTransient(() => this.missing.deleteMany({ at: { $lt: before } }));
  }
}
