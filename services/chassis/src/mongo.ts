import {
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { monotonicMs, sleep } from './clock';
import { jitter } from './ids';
import { storageFull } from './storage-guard';
import { bsonOptions, traceCollections } from './mongo-spans';

/** A service's database. */
export interface MongoConnection {
  readonly db: Db;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Which database, and for whom. */
export interface MongoOptions {
  readonly uri: string;
  readonly database: string;
  readonly service: string;
  /** In PEM: who must have issued the server's certificate. */
  readonly authority?: string | undefined;
  /** More connections than this bring no more throughput. */
  readonly maxPoolSize?: number;
  /** A database that starts together with its services is given so long. */
  readonly reachWithinMs?: number;
}

/** Connects to a service's own database; rejects if that is impossible. */
export async function connectMongo({
  uri,
  database,
  service,
  authority,
  maxPoolSize = 24,
  reachWithinMs = 20_000,
}: MongoOptions): Promise<MongoConnection> {
  const pingTimeoutMs = 2_000;
  const client = new MongoClient(uri, {
    appName: `billing-${service}`,
    ...bsonOptions,
    ...(authority !== undefined && { tls: true, ca: authority }),
    writeConcern: { w: 'majority', journal: true },
    // Not every server has retryable writes. Ours are all safe to repeat, and retryTransient does.
    retryWrites: false,
    retryReads: false,
    maxPoolSize,
    connectTimeoutMS: 5_000,
    serverSelectionTimeoutMS: 5_000,
    waitQueueTimeoutMS: 10_000,
    // A server that hangs must not hold its callers for ever; only index builds come near this.
    socketTimeoutMS: 120_000,
  });
  try {
    await reach(client, reachWithinMs);
  } catch (error) {
    await client.close();
    throw new Error('MongoDB cannot be reached', { cause: error });
  }
  const db = traceCollections(client.db(database), service);
  return {
    db,
    ping: async () => {
      // A database that hangs counts as one that is away, long before its socket times out.
      await db.command({ ping: 1 }, { timeoutMS: pingTimeoutMs });
    },
    close: () => client.close(),
  };
}

/** Each attempt ends after the time that calls are given later on, which a busy machine may need for its first connection alone. */
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
// 50, 150, 450 and 1350 ms: a lost race is over by the first, a restarted server is back by the last.
const backoffMsMin = 50;
const backoffFactor = 3;
// A caller's deadline is 10 s: whoever comes later repeats for nobody.
const retryWithinMs = 10_000;

// The server's own names of the codes; none of them says anything about the request itself.
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

// FerretDB passes on the loss of its PostgreSQL as InternalError (1), which is also the code of its bugs: only the text tells them
// apart. These are the words of PostgreSQL, its driver and the socket.
const internalErrorCode = 1;
// A collection that several inserts make at once may be unknown to one of them, once.
const lostPostgres =
  /Unable to create the specified collection|the database system is|terminating connection|failed to connect|connection re(?:fused|set)|broken pipe|unexpected EOF|conn closed|closed pool|too many clients|remaining connection slots|deadlock detected/;

/**
 * Repeats what failed because of the server's passing state. The first attempt may have been carried out in spite of its failure, so
 * whatever is attempted must be safe to repeat. Gives up as `unavailable`.
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

/** Whether the database had no space for a write. FerretDB passes PostgreSQL's words on. */
function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  return error.code === outOfDiskSpaceCode || outOfSpace.test(error.message);
}

/** Whether a failure says something of the server's passing state alone. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) ||
    error.hasErrorLabel(MongoErrorLabel.SystemOverloadedError) ||
    transientCodes.has(error.code) ||
    (error.code === internalErrorCode && lostPostgres.test(error.message)) ||
    // One write of many; the whole batch is repeated.
    (error instanceof MongoBulkWriteError &&
      [error.writeErrors].flat().some(({ code }) => transientCodes.has(code)))
  );
}

const duplicateKeyCode = 11_000;
// DocumentDB's findAndModify answers InternalError. It names the primary key so that it can be told; of a secondary index it gives a
// name of its own, so fields under one are never changed by findOneAndUpdate.
const documentDbPrimaryKey = /violates unique constraint "collection_pk_\d+"/;

/**
 * The name of the unique index that a write violated, `_id_` for the primary key; undefined if the error is another one. Servers
 * agree on the code alone, and not all give the key's fields, so the name is read from the message.
 */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError)) return undefined;
  if (error.code === internalErrorCode && documentDbPrimaryKey.test(error.message)) return '_id_';
  if (error.code !== duplicateKeyCode) return undefined;
  const [, mongod, documentDb] = /\bindex: (.+?) dup key|Index '([^']+)'/.exec(error.message) ?? [];
  return mongod ?? documentDb;
}
