import { MongoClient } from 'mongodb';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { needsIndex, type ServiceCollections, shardedCollections } from './commands';

const timeoutMs = 10_000;

/**
 * Distributes collections over the shards of a cluster. May be repeated, and continued after a
 * failure. Throws a StartRefusal if the address is unreachable, or not that of a mongos.
 */
export async function shardCluster(
  uri: string,
  {
    services,
    now,
    log,
  }: {
    readonly services: readonly ServiceCollections[];
    readonly now: Date;
    readonly log: (line: string) => void;
  },
): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: timeoutMs });
  try {
    await client.connect().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartRefusal(exitStatuses.busy, `MongoDB cannot be reached: ${reason}`);
    });
    const admin = client.db('admin');
    const { msg } = await admin.command({ hello: 1 });
    if (msg !== 'isdbgrid') {
      throw new StartRefusal(exitStatuses.configuration, '--uri: is not the address of a mongos');
    }
    for (const service of services) {
      const { database } = service;
      const db = client.db(database);
      await admin.command({ enableSharding: database });
      const listed = await db.listCollections({}, { nameOnly: true }).toArray();
      const existing = listed.map(({ name }) => name);
      for (const { collection, shardKey } of shardedCollections(service, { existing, now })) {
        if (needsIndex(shardKey)) {
          await db.collection(collection).createIndexes([{ key: { ...shardKey } }]);
        }
        await admin.command({ shardCollection: `${database}.${collection}`, key: shardKey });
        log(`${database}.${collection} ${JSON.stringify(shardKey)}`);
      }
    }
  } finally {
    await client.close();
  }
}
