import { unreachable } from '@billing/chassis/start-refusal';
import { SystemStore } from '@billing/chassis/system-store';
import { databaseNames, mongoOptions } from '@billing/local/moved-data';
import type { Settings } from '@billing/local/settings';
import { type Db, MongoClient } from 'mongodb';

/** Database of one service. */
export interface ServiceDatabase {
  readonly service: string;
  readonly db: Db;
  readonly system: SystemStore;
}

/** Runs work on the databases of all services. */
export async function withDatabases<T>(
  mongodbUri: string,
  { databasePrefix, services }: Pick<Settings, 'databasePrefix' | 'services'>,
  work: (databases: readonly ServiceDatabase[]) => Promise<T>,
): Promise<T> {
  const client = await MongoClient.connect(mongodbUri, mongoOptions(services)).catch(
    (error: unknown) => {
      throw unreachable('MongoDB', error);
    },
  );
  try {
    const databases = [...databaseNames(databasePrefix)].map(([service, name]) => {
      const db = client.db(name);
      return { service, db, system: new SystemStore(db) };
    });
    return await work(databases);
  } finally {
    await client.close();
  }
}

export function databaseOf(databases: readonly ServiceDatabase[], service: string): Db {
  const found = databases.find((one) => one.service === service);
  if (found === undefined) throw new Error(`There is no database of ${service}`);
  return found.db;
}

// Heartbeats and the state of the system belong to the running system, not to its data.
const unsaved: ReadonlySet<string> = new Set(['replicas', 'system']);

/** Names of the collections that a backup contains, sorted. */
export async function savedCollections(db: Db): Promise<string[]> {
  const listed = await db.listCollections({}, { nameOnly: true }).toArray();
  return listed
    .map(({ name }) => name)
    .filter((name) => !unsaved.has(name) && !name.startsWith('system.'))
    .toSorted();
}

/** Number of documents by `<service>.<collection>`. */
export async function countDocuments(
  databases: readonly ServiceDatabase[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { service, db } of databases) {
    for (const name of await savedCollections(db)) {
      counts[`${service}.${name}`] = await db.collection(name).countDocuments();
    }
  }
  return counts;
}

interface StoredFingerprint {
  readonly _id: string;
  readonly fingerprint: string;
}

/** Fingerprints of the secrets that the data depends on. */
export async function readFingerprints(
  databases: readonly ServiceDatabase[],
): Promise<{ name: string; fingerprint: string }[]> {
  const found = new Map<string, { name: string; fingerprint: string }>();
  for (const { db } of databases) {
    const stored = db.collection<StoredFingerprint>('secretFingerprints').find();
    for (const { _id: name, fingerprint } of await stored.toArray()) {
      found.set(`${name} ${fingerprint}`, { name, fingerprint });
    }
  }
  return [...found.values()];
}
