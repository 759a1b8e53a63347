import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BSON, type Db, type IndexDescription } from 'mongodb';
import { savedCollections, type ServiceDatabase } from './databases';

/** Indexes by collection. */
type Indexes = Readonly<Record<string, readonly IndexDescription[]>>;

export const indexesFile = 'indexes.json';
const batchSize = 1_000;

/**
 * Writes all documents of each database below a folder, as BSON of one collection a file, with the
 * indexes. Returns the number of documents by `<service>.<collection>`.
 */
export async function writeDatabases(
  databases: readonly ServiceDatabase[],
  folder: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { service, db } of databases) {
    const own = join(folder, db.databaseName);
    await mkdir(own, { recursive: true });
    const indexes: Record<string, IndexDescription[]> = {};
    for (const name of await savedCollections(db)) {
      counts[`${service}.${name}`] = await writeCollection(db, name, join(own, `${name}.bson`));
      indexes[name] = await db.collection(name).indexes();
    }
    await writeFile(join(own, indexesFile), BSON.EJSON.stringify(indexes, undefined, 1));
  }
  return counts;
}

/** Returns the number of documents. */
export async function writeCollection(db: Db, name: string, file: string): Promise<number> {
  let count = 0;
  // Raw documents are buffers of BSON, which states its own length.
  const documents = db.collection(name).find({}, { raw: true, batchSize });
  const counted = async function* () {
    for await (const document of documents) {
      count += 1;
      yield document;
    }
  };
  await pipeline(counted, createWriteStream(file, { mode: 0o600 }));
  return count;
}

/**
 * Inserts the documents of the named files of a folder that `writeDatabases` wrote, and builds the
 * indexes.
 */
export async function readDatabase(
  db: Db,
  { folder, files }: { folder: string; files: readonly string[] },
): Promise<void> {
  for (const file of files) {
    if (!file.endsWith('.bson')) continue;
    const collection = db.collection(file.slice(0, -'.bson'.length));
    for await (const documents of batches(join(folder, file))) {
      await collection.insertMany(documents, { ordered: false });
    }
  }
  const text = await readFile(join(folder, indexesFile), 'utf8');
  for (const [name, all] of Object.entries(BSON.EJSON.parse(text) as Indexes)) {
    const indexes = all.filter((index) => index.name !== '_id_').map(withoutVersion);
    if (indexes.length > 0) await db.collection(name).createIndexes(indexes);
    else if (!(await exists(db, name))) await db.createCollection(name);
  }
}

/** Each server numbers the formats of its indexes itself. */
function withoutVersion({ v: _v, ...index }: IndexDescription & { v?: unknown }): IndexDescription {
  const key = Object.entries(index.key as Record<string, unknown>).map(
    ([field, direction]) =>
      [field, direction === 'hashed' ? direction : Number(direction)] as const,
  );
  return { ...index, key: new Map(key) };
}

async function exists(db: Db, name: string): Promise<boolean> {
  return (await db.listCollections({ name }, { nameOnly: true }).toArray()).length > 0;
}

/** Documents of a file, with the exact types of their numbers. */
async function* batches(file: string): AsyncGenerator<BSON.Document[]> {
  let rest = Buffer.alloc(0);
  let batch: BSON.Document[] = [];
  for await (const chunk of createReadStream(file)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let size = sizeOf(rest); size <= rest.length; size = sizeOf(rest)) {
      batch.push(BSON.deserialize(rest.subarray(0, size), exactTypes));
      rest = rest.subarray(size);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const exactTypes = { promoteValues: false, promoteLongs: false, bsonRegExp: true };
const lengthBytes = 4;

function sizeOf(bytes: Buffer): number {
  return bytes.length < lengthBytes ? Number.POSITIVE_INFINITY : bytes.readInt32LE(0);
}
