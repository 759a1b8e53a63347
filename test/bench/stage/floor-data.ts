import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Document, Filter, MongoClient } from 'mongodb';

const pollMs = 50;

export type Documents = Collection<Document & { _id: string }>;

/** A floor works on copies of the system's documents and indexes, in a database of its own. */
export function documentsOf(client: MongoClient, database: string, collection: string): Documents {
  return client.db(database).collection<Document & { _id: string }>(collection);
}

/** Empties a floor's collection and creates the indexes of the system's collection. */
export async function resetWithIndexesOf(system: Documents, floor: Documents): Promise<void> {
  await floor.deleteMany({});
  const indexes = (await system.indexes()).filter(({ name }) => name !== '_id_');
  const wanted = indexes.map(({ name = '', key, unique = false }) => ({ name, key, unique }));
  if (wanted.length > 0) await floor.createIndexes(wanted);
}

/** Returns any document of a collection that is not empty. */
export async function anyDocumentOf(documents: Documents): Promise<Document & { _id: string }> {
  const found = await documents.findOne({});
  if (found === null) throw new Error(`No document to copy in ${documents.namespace}`);
  return found;
}

/** A document of the system once it is stored and has no work left. */
export async function settled(
  documents: Documents,
  filter: Filter<Document & { _id: string }>,
): Promise<Document & { _id: string }> {
  for (;;) {
    const document = await documents.findOne(filter);
    const outbox = document?.outbox as unknown[] | undefined;
    if (document && outbox?.length === 0 && document.pendingSince === null) return document;
    await sleep(pollMs);
  }
}
