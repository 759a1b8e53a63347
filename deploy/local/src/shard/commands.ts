import {
  type CollectionLayouts,
  layoutOf,
  type ShardKey,
} from '@billing/chassis/collection-layout';

/** A collection to distribute over the shards of a cluster. */
export interface ShardedCollection {
  readonly database: string;
  readonly collection: string;
  readonly shardKey: ShardKey;
}

/** Collections of a service, and the database that contains them. */
export interface ServiceCollections {
  readonly database: string;
  readonly layouts: CollectionLayouts;
}

const monthsAhead = 12;
const yearMonthLength = 'YYYY-MM'.length;

/** Collections of each service that has a database. */
export function serviceCollections(
  collectionsByService: Readonly<Record<string, CollectionLayouts>>,
  databasePrefix: string,
): ServiceCollections[] {
  return Object.entries(collectionsByService).map(([service, layouts]) => ({
    database: `${databasePrefix}_${service}`,
    layouts,
  }));
}

/**
 * Collections that a cluster distributes, by name. Those of months are the existing ones, that of
 * the present month and those of the next year.
 */
export function shardedCollections(
  { database, layouts }: ServiceCollections,
  { existing, now }: { readonly existing: readonly string[]; readonly now: Date },
): ShardedCollection[] {
  const expected = Object.entries(layouts).flatMap(([name, { isMonthly = false }]) =>
    isMonthly ? [name, ...monthsFrom(now).map((month) => `${name}_${month}`)] : [name],
  );
  const months = existing.filter((name) => layoutOf(layouts, name) !== undefined);
  return [...new Set([...expected, ...months])].toSorted().flatMap((collection) => {
    const shardKey = layoutOf(layouts, collection)?.shardKey;
    return shardKey === undefined ? [] : [{ database, collection, shardKey }];
  });
}

function monthsFrom(now: Date): string[] {
  return Array.from({ length: monthsAhead + 1 }, (_, months) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
      .toISOString()
      .slice(0, yearMonthLength)
      .replace('-', ''),
  );
}

/**
 * True if the index of the shard key, which a collection with documents needs, is still to be
 * created. Keys without a hash begin an index that the service has created.
 */
export function needsIndex(shardKey: ShardKey): boolean {
  return Object.values(shardKey).includes('hashed');
}

/**
 * Commands of mongosh that distribute the collections. Running them again has no effect.
 */
export function shellCommands(collections: readonly ShardedCollection[]): string[] {
  const byDatabase = Map.groupBy(collections, ({ database }) => database);
  return [...byDatabase].flatMap(([database, sharded]) => [
    `sh.enableSharding(${JSON.stringify(database)})`,
    ...sharded.flatMap(({ collection, shardKey }) => {
      const key = JSON.stringify(shardKey);
      const names = [database, collection].map((name) => JSON.stringify(name));
      const index = `db.getSiblingDB(${names.join(').getCollection(')}).createIndex(${key})`;
      const shard = `sh.shardCollection(${JSON.stringify(`${database}.${collection}`)}, ${key})`;
      return needsIndex(shardKey) ? [index, shard] : [shard];
    }),
  ]);
}
