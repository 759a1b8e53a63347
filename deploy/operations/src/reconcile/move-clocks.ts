import type { Aggregates } from '../database/aggregates';
import { databaseOf, type ServiceDatabase } from '../database/databases';

interface StoredEnvironment {
  readonly _id: string;
  readonly clock: { readonly kind: string; readonly now?: Date };
  readonly version: number;
  /** Real time of the last write. */
  readonly changedAt?: Date;
}

interface Latest {
  /** Id of the environment. */
  readonly _id: string;
  readonly at: Date;
}

// Their documents are written at real times, also in environments with a manual clock.
const realTimed = ['identity.', 'notifier.'];

/**
 * Moves manual clocks that identity has put back forward to the latest time that a service has
 * stored. Identity neither reads nor moves them while the system is closed. Returns the number of
 * clocks that were moved.
 */
export async function moveClocks(
  databases: readonly ServiceDatabase[],
  aggregates: readonly Aggregates[],
  realNow: Date,
): Promise<number> {
  const environments = databaseOf(databases, 'identity').collection<StoredEnvironment>(
    'environments',
  );
  const found = await environments.find({ 'clock.kind': 'MANUAL' }).toArray();
  const latest = await latestTimes(
    found.map(({ _id }) => _id),
    aggregates.filter(({ name }) => !realTimed.some((service) => name.startsWith(service))),
  );
  let moved = 0;
  for (const [_id, at] of latest) {
    const { modifiedCount } = await environments.updateOne(
      { _id, 'clock.now': { $lt: at } },
      { $set: { 'clock.now': at, changedAt: realNow }, $inc: { version: 1 } },
    );
    moved += modifiedCount;
  }
  return moved;
}

/** Latest time of the last writes in each environment. */
async function latestTimes(
  ids: readonly string[],
  aggregates: readonly Aggregates[],
): Promise<ReadonlyMap<string, Date>> {
  const latest = new Map<string, Date>();
  // The timeline of an environment with a manual clock is its own.
  const ofManualClocks = { $match: { timeline: { $in: ids } } };
  const ofEach = { $group: { _id: '$timeline', at: { $max: '$updatedAt' } } };
  for (const { documents } of aggregates) {
    for await (const { _id, at } of documents.aggregate<Latest>([ofManualClocks, ofEach])) {
      if ((latest.get(_id) ?? at) <= at) latest.set(_id, at);
    }
  }
  return latest;
}
