import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/inserts';

/** Time up to which accepted messages are known to be in the feed. */
interface FeedSweep {
  /** `messages`, after a restore `messages:<code>`. */
  readonly _id: string;
  /** Real time. */
  readonly sweptUpTo: Date;
}

/** Stores how far the search for messages without a position has come. */
export class FeedSweepStore {
  private readonly sweeps: Collection<FeedSweep>;

  /** `restoreCode` returns the code of the feed, empty before any restore. */
  constructor(
    db: Db,
    private readonly restoreCode: () => string,
  ) {
    this.sweeps = db.collection<FeedSweep>('feedSweeps');
  }

  /** Undefined before the first sweep. */
  async sweptUpTo(): Promise<Date | undefined> {
    const sweep = await retryTransient(() => this.sweeps.findOne({ _id: this.id }));
    return sweep?.sweptUpTo;
  }

  /** Records progress; an earlier time than the recorded one changes nothing. */
  async record(sweptUpTo: Date): Promise<void> {
    await retryUpsert(() =>
      this.sweeps.updateOne({ _id: this.id }, { $max: { sweptUpTo } }, { upsert: true }),
    );
  }

  private get id(): string {
    const code = this.restoreCode();
    return code === '' ? 'messages' : `messages:${code}`;
  }
}
