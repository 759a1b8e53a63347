import {
  type Db,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { sleep } from './clock';
import { jitter } from './ids';

/** A service's database. */
export interface MongoConnection {
  readonly db: Db;
  /** Rejects when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface MongoOptions {
  readonly uri: string;
  readonly database: string;
  readonly service: string;
  readonly maxPoolSize?: number;
}

/** Connects to a service's own database. */
export async function connectMongo({
  uri,
  database,
  service,
  maxPoolSize = 24,
}: MongoOptions): Promise<MongoConnection> {
  const client = new MongoClient(uri, {
    appName: `billing-${service}`,
    useBigInt64: true,
    ignoreUndefined: true,
    writeConcern: { w: 'majority', journal: true },
    // The server may not have them; retryTransient repeats instead.
    retryWrites: false,
    serverSelectionTimeoutMS: 5_000,
    maxPoolSize,
  });
  await client.connect();
  const db = client.db(database);
  return {
    db,
    ping: async () => {
      await db.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}

const attemptsMax = 5;
const backoffMs = 20;
const transientCodes = new Set<unknown>([
  16908292, 6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Repeats what failed because of the server's passing state. Whatever is attempted must be safe to repeat: its outcome may be unknown. */
export async function retryTransient<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (failures === attemptsMax) {
        throw new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable', {
          cause: error,
        });
      }
      await sleep(backoffMs * 2 ** failures * jitter(0.5));
    }
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  return transientCodes.has(error.code);
}

/** The index that a write violated, `_id_` for the primary key; undefined if the error is another one. */
export function duplicateKeyIndex(error: unknown): string | undefined {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return undefined;
  return (
    /index: (\S+) dup key/.exec(error.message)?.[1] ??
    /Index '([^']+)'/.exec(error.message)?.[1] ??
    '_id_'
  );
}
