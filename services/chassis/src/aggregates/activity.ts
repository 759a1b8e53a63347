import type { Collection, Db } from 'mongodb';
import type { Envelope } from './aggregate';
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

/**
 * Counts a write before it happens. A reader that sees an effect of the write also sees the count.
 * A count whose write failed only makes the advance check once more.
 */
export async function countActivity(
  counter: ActivityCounter,
  { timeline, environmentId }: Pick<Envelope, 'timeline' | 'environmentId'>,
): Promise<void> {
  if (timeline === realTimeline) return;
  await retryUpsert(() =>
    counter.updateOne({ _id: environmentId }, { $inc: { count: 1 } }, { upsert: true }),
  );
}

/** Returns the count so far; 0 before the first write. */
export async function readActivity(
  counter: ActivityCounter,
  environmentId: string,
): Promise<bigint> {
  const document = await retryTransient(() => counter.findOne({ _id: environmentId }));
  return BigInt(document?.count ?? 0);
}
