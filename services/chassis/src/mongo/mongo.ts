import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { monotonicMs, sleep } from '../clock';
import { jitter } from '../ids';
import { storageFull } from './storage-guard';
import { bsonOptions, traceCollections } from './mongo-spans';
import { unreachable } from '../start-refusal';

/** A service's database. */
export interface MongoConnection {
  readonly db: Db;
  /** Rejects if the database does not answer. */
  ping(): Promise<void>;
  /** Time of the server's clock. */
  time(): Promise<Date>;
  close(): Promise<void>;
}

/** Options of the connection to a database. */
export interface MongoOptions {
  readonly uri: string;
  readonly database: string;
  readonly service: string;
  /** Certificate authority of the server in PEM. */
  readonly authority?: string | undefined;
  /** More connections than this bring no more throughput. */
  readonly maxPoolSize?: number;
  /**
   * Time that a database may take to become reachable, as it may start together with its services.
   */
  readonly reachWithinMs?: number;
  /** Time without an answer after which a connection is given up; 0: never. */
  readonly socketTimeoutMs?: number;
}

/** Connects to a service's own database; rejects if that is impossible. */
export async function connectMongo({
  uri,
  database,
  service,
  authority,
  maxPoolSize = 24,
  reachWithinMs = 60_000,
  // A hanging server must not block its callers forever; only index builds come near this.
  socketTimeoutMs = 120_000,
}: MongoOptions): Promise<MongoConnection> {
  const pingTimeoutMs = 2_000;
  const client = new MongoClient(uri, {
    appName: `billing-${service}`,
    ...bsonOptions,
    ...(authority !== undefined && { tls: true, ca: authority }),
    writeConcern: { w: 'majority', journal: true },
    // Not every server has retryable writes. All writes here are idempotent, and retryTransient
    // retries them.
    retryWrites: false,
    retryReads: false,
    maxPoolSize,
    connectTimeoutMS: 5_000,
    serverSelectionTimeoutMS: 5_000,
    waitQueueTimeoutMS: 10_000,
    socketTimeoutMS: socketTimeoutMs,
  });
  try {
    await reach(client, reachWithinMs);
  } catch (error) {
    await client.close();
    throw unreachable('MongoDB', error);
  }
  const db = traceCollections(client.db(database), service);
  return {
    db,
    ping: async () => {
      // A hanging database counts as unavailable long before its socket times out.
      await db.command({ ping: 1 }, { timeoutMS: pingTimeoutMs });
    },
    time: async () => {
      const answer = await db.command({ hello: 1 }, { timeoutMS: pingTimeoutMs });
      const localTime: unknown = answer['localTime'];
      if (!(localTime instanceof Date)) throw new Error('The database did not return its time');
      return localTime;
    },
    close: () => client.close(),
  };
}

/**
 * Each attempt may take as long as later calls: on a busy machine the first connection alone may
 * need it.
 */
async function reach(client: MongoClient, withinMs: number): Promise<void> {
  const until = monotonicMs() + withinMs;
  for (;;) {
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!(error instanceof MongoServerSelectionError) || monotonicMs() >= until) throw error;
    }
  }
}

const attemptsMax = 5;
// 50, 150, 450 and 1350 ms: a lost race is over by the first, a restarted server is back by the
// last.
const backoffMsMin = 50;
const backoffFactor = 3;
// A caller's deadline is 10 s: after it a retry has no caller.
const retryWithinMs = 10_000;

// The server's own names of the codes; none of them depends on the request itself.
const transientCodes = new Set<unknown>([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server restarted between two batches
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  16_908_292, // "deadlock detected", from DocumentDB: inserts that race for one key of a unique index
]);

// FerretDB passes on the loss of its PostgreSQL as InternalError (1), which is also the code of its
// bugs: only the text distinguishes them. These are the texts of PostgreSQL, its driver and the
// socket.
const internalErrorCode = 1;
// A collection that several inserts create concurrently may be unknown to one of them, once.
const lostPostgres =
  /Unable to create the specified collection|the database system is|terminating connection|failed to connect|connection re(?:fused|set)|broken pipe|unexpected EOF|conn closed|closed pool|too many clients|remaining connection slots|deadlock detected/;

/**
 * Retries attempts that failed because of a transient state of the server. A failed attempt may
 * have taken effect, so attempts must be idempotent. Stops retrying with `unavailable`.
 */
export async function retryTransient<T>(attempt: () => Promise<T>): Promise<T> {
  const startedMs = monotonicMs();
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (isOutOfSpace(error)) throw storageFull(error);
      if (!isTransient(error)) throw error;
      if (failures === attemptsMax || monotonicMs() - startedMs > retryWithinMs) {
        throw new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable', {
          cause: error,
        });
      }
    }
    await sleep(backoffMsMin * backoffFactor ** (failures - 1) * jitter(0.5));
  }
}

const outOfDiskSpaceCode = 14_031;
const outOfSpace = /could not extend file|No space left on device/i;

/** True if the database had no space for a write. FerretDB passes PostgreSQL's texts on. */
function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === outOfDiskSpaceCode || outOfSpace.test(error.message);
}

/** True if a failure is due to a transient state of the server only. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    error instanceof MongoOperationTimeoutError ||
    error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) ||
    error.hasErrorLabel(MongoErrorLabel.SystemOverloadedError) ||
    transientCodes.has(error.code) ||
    (error.code === internalErrorCode && lostPostgres.test(error.message)) ||
    // One write of many; the whole batch is retried.
    (error instanceof MongoBulkWriteError &&
      [error.writeErrors].flat().some(({ code }) => transientCodes.has(code)))
  );
}

const duplicateKeyCode = 11_000;
// DocumentDB's findAndModify answers InternalError, with the name of the primary key. For a
// secondary index it uses a name of its own, so indexed fields are never changed by
// findOneAndUpdate.
const documentDbPrimaryKey = /violates unique constraint "collection_pk_\d+"/;

/**
 * Returns the name of the unique index that a write violated, `_id_` for the primary key; undefined
 * for other errors. Servers agree only on the code, and not all return the key's fields, so the
 * name is read from the message.
 */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError)) return undefined;
  if (error.code === internalErrorCode && documentDbPrimaryKey.test(error.message)) return '_id_';
  if (error.code !== duplicateKeyCode) return undefined;
  const [, mongod, documentDb] = /\bindex: (.+?) dup key|Index '([^']+)'/.exec(error.message) ?? [];
  return mongod ?? documentDb;
}

const namespaceNotFound = 26;
const indexNotFound = 27;

/** A named index of a collection. */
export type NamedIndex = IndexDescription & { readonly name: string };

/**
 * A start builds no index on a collection of this size: that takes minutes, and slows every write.
 */
const indexedAtStartMax = 100_000;

/** Reports each index that is built on a large collection; absent: none is. */
const building = new AsyncLocalStorage<(line: string) => void>();

/** Names the indexes that work ensures; absent: nothing asks for them. */
const naming = new AsyncLocalStorage<Set<string>>();

/** Runs work that ensures indexes, and adds their names: `<collection>.<name>`. */
export function namingIndexes<T>(names: Set<string>, run: () => T): T {
  return naming.run(names, run);
}

/** Runs work in which missing indexes are built on collections of any size. */
export function buildingIndexes<T>(report: (line: string) => void, run: () => T): T {
  return building.run(report, run);
}

/** Indexes are missing on a large collection. */
export class MissingIndexError extends Error {
  override readonly name = 'MissingIndexError';

  /** `indexes`: as `<collection>.<name>`. */
  constructor(readonly indexes: readonly string[]) {
    super(`Missing indexes: ${indexes.join(', ')}`);
  }
}

/**
 * Creates missing indexes, on a large collection only within `buildingIndexes`: there it throws
 * MissingIndexError otherwise. An index that was removed from the list stays, because an older
 * replica may still need it; for the same reason an index with other keys needs another name.
 */
export async function ensureIndexes<D extends Document>(
  collection: Collection<D>,
  indexes: readonly NamedIndex[],
  largeFrom = indexedAtStartMax,
): Promise<void> {
  const { collectionName } = collection;
  for (const { name } of indexes) naming.getStore()?.add(`${collectionName}.${name}`);
  const existing = new Map((await listIndexes(collection)).map((index) => [index.name, index]));
  for (const wanted of indexes) {
    const present = existing.get(wanted.name);
    if (present === undefined || isSame(present, wanted)) continue;
    throw new Error(
      `${collectionName}.${wanted.name} has other keys: a new index needs a new name`,
    );
  }
  const missing = indexes.filter(({ name }) => !existing.has(name));
  const names = missing.map(({ name }) => `${collectionName}.${name}`);
  const createAll = () => retryTransient(() => collection.createIndexes([...indexes]));
  if (existing.size > 0 && missing.length > 0) {
    const count = await retryTransient(() => collection.estimatedDocumentCount());
    const report = building.getStore();
    if (count >= largeFrom && report === undefined) throw new MissingIndexError(names);
    report?.(`building ${names.join(', ')} (${String(count)} documents)`);
  }
  try {
    await createAll();
  } catch (error) {
    // FerretDB may not know a collection that another process is creating.
    if (!hasCode(error, namespaceNotFound)) throw error;
    await createAll();
  }
}

/**
 * Drops a unique index of an earlier version, if there is one. `adopt` first stores its keys as the
 * current version does; it may run again after a crash, and in several replicas.
 */
export async function retireUniqueIndex<D extends Document>(
  collection: Collection<D>,
  name: string,
  adopt: () => Promise<void>,
): Promise<void> {
  const index = (await listIndexes(collection)).find((one) => one.name === name);
  if (index?.unique !== true) return;
  await adopt();
  try {
    await collection.dropIndex(name);
  } catch (error) {
    // Another replica dropped it.
    if (!hasCode(error, indexNotFound)) throw error;
  }
}

/** Indexes of a collection; none while it does not exist or another process is creating it. */
export async function listIndexes<D extends Document>(
  collection: Collection<D>,
): Promise<NamedIndex[]> {
  try {
    return (await retryTransient(() => collection.indexes())) as NamedIndex[];
  } catch (error) {
    if (hasCode(error, namespaceNotFound)) return [];
    throw error;
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

// Servers return directions as different kinds of numbers.
function isSame(a: IndexDescription, b: IndexDescription): boolean {
  const keys = ({ key }: IndexDescription) =>
    JSON.stringify(
      Object.entries(key as object).map(([name, direction]) => [name, Number(direction)]),
    );
  return keys(a) === keys(b) && (a.unique === true) === (b.unique === true);
}
