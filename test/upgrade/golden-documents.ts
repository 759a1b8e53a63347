import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Db, BSON, MongoClient } from 'mongodb';
import { shapeOf } from './shape';

/** Documents by their collection. */
type Documents = Readonly<Record<string, unknown>>;
export type Collections = Readonly<Record<string, readonly unknown[]>>;

const folder = join(__dirname, 'documents');
const documentsMax = 500;

/** Path of the file with one stored document of each collection of a service. */
export function goldenFile(service: string): string {
  return join(folder, `${service}.json`);
}

export function readGolden(service: string): Documents {
  return parseDocuments(readFileSync(goldenFile(service), 'utf8'));
}

export function parseDocuments(text: string): Documents {
  return BSON.EJSON.parse(text) as Documents;
}

export function writeGolden(service: string, documents: Documents): void {
  writeFileSync(goldenFile(service), `${BSON.EJSON.stringify(documents, undefined, 1)}\n`);
}

/** The document with most fields. */
export function richest(documents: readonly unknown[]): unknown {
  const size = (document: unknown) => shapeOf([document]).size;
  return documents.reduce((best, one) => (size(one) > size(best) ? one : best), documents[0]);
}

/** Reads the stored documents of a service, by collection. */
export async function storedDocuments(uri: string, database: string): Promise<Collections> {
  const client = await MongoClient.connect(uri);
  try {
    return await collectionsOf(client.db(database));
  } finally {
    await client.close();
  }
}

async function collectionsOf(db: Db): Promise<Collections> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name).toSorted();
  const collections: Record<string, unknown[]> = {};
  for (const name of names) {
    // One collection of each month has the documents of one kind.
    const kind = name.replace(/_\d{6}$/, '');
    const documents = await db.collection(name).find().limit(documentsMax).toArray();
    if (documents.length > 0) collections[kind] = [...(collections[kind] ?? []), ...documents];
  }
  return collections;
}
