import {
  type Collection,
  type Document,
  MongoBulkWriteError,
  type OptionalUnlessRequiredId,
  type WriteError,
} from 'mongodb';
import { retryTransient } from './mongo';

const duplicateKey = 11000;

/**
 * Inserts documents that do not exist yet. A document with the same `_id` was inserted by an
 * earlier run of the same step and stays unchanged.
 */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  if (documents.length === 0) return;
  const all = documents as unknown as OptionalUnlessRequiredId<T>[];
  try {
    await retryTransient(() => collection.insertMany(all, { ordered: false }));
  } catch (error) {
    if (!isDuplicatesAlone(error)) throw error;
  }
}

// The error as a whole has the code of its first part; another part may have failed for another
// reason.
function isDuplicatesAlone(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const writeErrors: readonly WriteError[] = [error.writeErrors].flat();
  return writeErrors.length > 0 && writeErrors.every(({ code }) => code === duplicateKey);
}
