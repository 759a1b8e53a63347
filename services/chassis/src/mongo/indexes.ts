import { type Collection, type Document, type IndexDescription, MongoServerError } from 'mongodb';
import { retryTransient } from './mongo';

const namespaceNotFound = 26;

/** A named index of a collection. */
export type NamedIndex = IndexDescription & { readonly name: string };

/**
 * Creates missing indexes. An index whose keys have changed since an earlier version is rebuilt
 * under its name. An index that was removed from the list stays, because an older replica may still
 * need it.
 */
export async function ensureIndexes<D extends Document>(
  collection: Collection<D>,
  indexes: readonly NamedIndex[],
): Promise<void> {
  const existing = new Map((await listIndexes(collection)).map((index) => [index.name, index]));
  for (const wanted of indexes) {
    const present = existing.get(wanted.name);
    if (present !== undefined && !isSame(present, wanted)) await collection.dropIndex(wanted.name);
  }
  await retryTransient(() => collection.createIndexes([...indexes]));
}

async function listIndexes<D extends Document>(collection: Collection<D>): Promise<NamedIndex[]> {
  try {
    return (await retryTransient(() => collection.indexes())) as NamedIndex[];
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return [];
    throw error;
  }
}

// Servers return directions as different kinds of numbers.
function isSame(a: IndexDescription, b: IndexDescription): boolean {
  const keys = ({ key }: IndexDescription) =>
    JSON.stringify(
      Object.entries(key as object).map(([name, direction]) => [name, Number(direction)]),
    );
  return keys(a) === keys(b) && (a.unique === true) === (b.unique === true);
}
