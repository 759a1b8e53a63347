import type { Collection, Db } from 'mongodb';
import type { Envelope } from './aggregate';
import { Batcher, succeeded } from '../concurrency/batcher';
import { realTimeline } from '../grpc/call-context';
import { retryTransient } from '../mongo/mongo';
import { retryUpsert } from '../mongo/inserts';

interface ActivityDocument {
  readonly _id: string;
  readonly count: number;
}

/**
 * Number of writes to each environment with a manual clock. The advance of a manual clock reads it
 * to detect that all work has finished.
 */
export type ActivityCounter = Collection<ActivityDocument>;

export function openActivity(db: Db): ActivityCounter {
  return db.collection<ActivityDocument>('activity');
}

// Far more than are written concurrently.
const batchMax = 1_000;

/**
 * Counts writes to environments with a manual clock. All writes of an environment count on one
 * document, so those that wait for a count in flight are counted together by the next one.
 */
export class ActivityCounts {
  private readonly writes: Batcher<string, undefined>;

  constructor(counter: ActivityCounter) {
    this.writes = new Batcher<string, undefined>({
      batchMax,
      flushesMax: 1,
      groupOf: (environmentId) => environmentId,
      flush: async (writes) => {
        const [_id] = writes;
        const change = { $inc: { count: writes.length } };
        await retryUpsert(() => counter.updateOne({ _id }, change, { upsert: true }));
        return succeeded(writes.map(() => undefined));
      },
    });
  }

  /**
   * Counts a write before it happens. A reader that sees an effect of the write also sees the
   * count. A count whose write failed only makes the advance check once more.
   */
  async count({
    timeline,
    environmentId,
  }: Pick<Envelope, 'timeline' | 'environmentId'>): Promise<void> {
    if (timeline !== realTimeline) await this.writes.run(environmentId);
  }
}

/** Returns the count so far; 0 before the first write. */
export async function readActivity(
  counter: ActivityCounter,
  environmentId: string,
): Promise<bigint> {
  const document = await retryTransient(() => counter.findOne({ _id: environmentId }));
  return BigInt(document?.count ?? 0);
}
