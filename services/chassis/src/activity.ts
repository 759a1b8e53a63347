import type { Collection, Db } from 'mongodb';
import type { Envelope } from './aggregate-document';
import { realTimeline } from './call-context';
import { retryTransient } from './mongo';
import { retryUpsert } from './upsert';

interface ActivityDocument {
  readonly _id: string;
  readonly count: number;
}

/** How often each environment with a manual clock was written to. The advance of such a clock reads it to know that all is quiet. */
export type ActivityCounter = Collection<ActivityDocument>;

/** Opens the counter of a service's database. */
export function openActivity(db: Db): ActivityCounter {
  return db.collection<ActivityDocument>('activity');
}

/**
 * Counts a write that is about to be made. Whoever sees an effect of the write also sees the count; a count without its write, after a
 * fault, only makes the advance look once more.
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

/** The count so far; 0 before the first write. */
export async function readActivity(
  counter: ActivityCounter,
  environmentId: string,
): Promise<bigint> {
  const document = await retryTransient(() => counter.findOne({ _id: environmentId }));
  return BigInt(document?.count ?? 0);
}
