import type { Db } from 'mongodb';
import { databaseOf, type ServiceDatabase } from '../database/databases';

interface StoredEnvironment {
  readonly _id: string;
  readonly clock: { readonly kind: string; readonly now?: Date };
  readonly version: number;
  /** Real time of the last write. */
  readonly changedAt?: Date;
}

interface StoredAggregate {
  readonly environmentId: string;
  /** Environment time of the last write. */
  readonly updatedAt: Date;
}

// Their documents have the times that an advance has reached.
const timed = [
  { service: 'subscription', collection: 'subscriptions' },
  { service: 'checkout', collection: 'invoices' },
] as const;

/**
 * Moves manual clocks that identity has put back forward to the latest time that a subscription or
 * an invoice has. Identity neither reads nor moves them while the system is closed. Returns the
 * number of clocks that were moved.
 */
export async function moveClocks(
  databases: readonly ServiceDatabase[],
  realNow: Date,
): Promise<number> {
  const environments = databaseOf(databases, 'identity').collection<StoredEnvironment>(
    'environments',
  );
  const found = await environments.find({ 'clock.kind': 'MANUAL' }).toArray();
  let moved = 0;
  for (const { _id } of found) {
    const latest = await latestOf(_id, databases);
    if (latest === undefined) continue;
    const { modifiedCount } = await environments.updateOne(
      { _id, 'clock.now': { $lt: latest } },
      { $set: { 'clock.now': latest, changedAt: realNow }, $inc: { version: 1 } },
    );
    moved += modifiedCount;
  }
  return moved;
}

async function latestOf(
  environmentId: string,
  databases: readonly ServiceDatabase[],
): Promise<Date | undefined> {
  const times = await Promise.all(
    timed.map(({ service, collection }) =>
      latestIn(databaseOf(databases, service), collection, environmentId),
    ),
  );
  return times.reduce(
    (latest, time) => (time === undefined || (latest ?? time) > time ? latest : time),
    undefined,
  );
}

async function latestIn(
  db: Db,
  collection: string,
  environmentId: string,
): Promise<Date | undefined> {
  const newest = await db
    .collection<StoredAggregate>(collection)
    .find({ environmentId }, { projection: { updatedAt: 1 } })
    .sort({ updatedAt: -1 })
    .limit(1)
    .next();
  return newest?.updatedAt;
}
