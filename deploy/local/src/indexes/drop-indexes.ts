import { listIndexes } from '@billing/chassis/mongo';
import { indexesByCollection, SystemStore } from '@billing/chassis/system-store';
import type { Db } from 'mongodb';

// The second is for deletions of environments. A start makes it where a collection has no other
// index that begins with the environment, and names it only then.
const kept: readonly string[] = ['_id_', 'environment'];

/**
 * Drops the indexes that neither this release nor the one before wants, in collections where this
 * release wants some. Returns their number; undefined if the release before has not recorded which
 * it wants.
 */
export async function dropIndexes(
  db: Db,
  report: (line: string) => void,
): Promise<number | undefined> {
  const recorded = await new SystemStore(db).wantedIndexes();
  if (recorded?.before === undefined) return undefined;
  const wanted = new Set([...recorded.names, ...recorded.before.names]);
  let count = 0;
  for (const collection of indexesByCollection(recorded.names).keys()) {
    for (const { name, key } of await listIndexes(db.collection(collection))) {
      const fullName = `${collection}.${name}`;
      // A sharded cluster has indexes of its shard keys, which services do not name.
      const isOfShards = Object.values(key).includes('hashed');
      if (kept.includes(name) || isOfShards || wanted.has(fullName)) continue;
      await db.collection(collection).dropIndex(name);
      report(`dropped ${fullName}`);
      count += 1;
    }
  }
  return count;
}
