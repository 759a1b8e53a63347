import { AbstractCursor, type Collection, type Db, type Document } from 'mongodb';
import { atBoundary } from '../failpoint';
import { type DetachedSpan, startDetachedSpan } from '../telemetry/tracing';
import { countWrite, type OwnWrites, OwnWritesByName } from './own-writes';

/** BSON options for reads and writes; bare commands do not inherit them from their client. */
export const bsonOptions = { useBigInt64: true, ignoreUndefined: true };

// Methods that send commands, and the command that each sends.
const commands: Partial<Record<keyof Collection, string>> = {
  aggregate: 'aggregate',
  bulkWrite: 'bulkWrite',
  countDocuments: 'aggregate',
  createIndex: 'createIndexes',
  createIndexes: 'createIndexes',
  deleteMany: 'delete',
  deleteOne: 'delete',
  distinct: 'distinct',
  drop: 'drop',
  estimatedDocumentCount: 'count',
  find: 'find',
  findOne: 'find',
  findOneAndDelete: 'findAndModify',
  findOneAndReplace: 'findAndModify',
  findOneAndUpdate: 'findAndModify',
  insertMany: 'insert',
  insertOne: 'insert',
  replaceOne: 'update',
  updateMany: 'update',
  updateOne: 'update',
};

// Writes: a crash may come before or after each.
const writeCommands: ReadonlySet<string> = new Set([
  'bulkWrite',
  'delete',
  'findAndModify',
  'insert',
  'update',
]);

// Heartbeats and the state of the system belong to no request, and a crash between two of them is a
// crash between other steps.
const untraced: ReadonlySet<string> = new Set(['replicas', 'restores', 'system']);

/**
 * Gives each operation on the database's collections a span below the active one, if that is
 * recorded, and counts the writes to each. The driver's own command monitoring is not used, because
 * it decodes every reply a second time, even if nothing reads it. A findOne with only a filter is
 * sent as a bare command: the driver's own opens a cursor, which costs a third more CPU per read.
 */
export function traceCollections(db: Db, service: string): Db {
  const open = db.collection.bind(db);
  const writes = new OwnWritesByName();
  db.collection = ((...args: Parameters<Db['collection']>) =>
    untraced.has(args[0])
      ? open(...args)
      : traceCollection(db, open(...args), { service, writes })) as Db['collection'];
  return db;
}

// Calls inside the driver stay on the real collection, so each operation has one span.
function traceCollection(
  db: Db,
  collection: Collection,
  { service, writes }: { readonly service: string; readonly writes: OwnWritesByName },
): Collection {
  const wrappers = new Map<PropertyKey, unknown>();
  const traced = new Proxy(collection, {
    get: (target, key) => {
      const command = commands[key as keyof Collection];
      if (command === undefined) return Reflect.get(target, key, target) as unknown;
      const existing = wrappers.get(key);
      if (existing !== undefined) return existing;
      const own = Reflect.get(target, key, target) as (...args: unknown[]) => unknown;
      const method = key === 'findOne' ? findOneIn(db, own) : own;
      const wrapper = (...args: unknown[]) => {
        const span = startDetachedSpan(() => spanOf(command, target, service));
        const send = () => method.apply(target, args);
        const outcome = writeCommands.has(command)
          ? sendWrite(send as () => Promise<unknown>, { target, key, counted })
          : send();
        if (span !== undefined) endWith(outcome, span);
        return outcome;
      };
      wrappers.set(key, wrapper);
      return wrapper;
    },
  });
  const counted = writes.register(traced, collection.collectionName);
  return traced;
}

function sendWrite(
  send: () => Promise<unknown>,
  {
    target,
    key,
    counted,
  }: { readonly target: Collection; readonly key: PropertyKey; readonly counted: OwnWrites },
): Promise<unknown> {
  return countWrite(counted, () => atBoundary(target.collectionName, String(key), send));
}

function findOneIn(db: Db, own: (...args: unknown[]) => unknown) {
  return function (this: Collection, ...args: unknown[]): unknown {
    if (args.length !== 1) return own.apply(this, args);
    return firstOf(db, { find: this.collectionName, filter: args[0], limit: 1, singleBatch: true });
  };
}

async function firstOf(db: Db, command: Document): Promise<unknown> {
  const { cursor } = await db.command(command, bsonOptions);
  const [document] = (cursor as { firstBatch: unknown[] }).firstBatch;
  return document ?? null;
}

function spanOf(command: string, { collectionName, dbName }: Collection, service: string) {
  return {
    name: `mongodb ${command} ${collectionName}`,
    kind: 'client' as const,
    service,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': dbName,
      'db.collection.name': collectionName,
      'db.operation.name': command,
    },
  };
}

function endWith(outcome: unknown, span: DetachedSpan): void {
  if (outcome instanceof AbstractCursor) {
    outcome.once('close', () => {
      span.end();
    });
  } else {
    Promise.resolve(outcome).then(
      () => {
        span.end();
      },
      (error: unknown) => {
        span.end(error);
      },
    );
  }
}
