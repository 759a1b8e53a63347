import { duplicateKeyIndex, retryTransient } from './mongo';

// Each lost race leaves the winner's document, so that the next attempt updates it; a third attempt
// is needed only after a deletion in between.
const attemptsMax = 5;

/**
 * Retries an upsert after another writer inserted the same document first. Not every server does
 * so.
 */
export async function retryUpsert<T>(upsert: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryTransient(upsert);
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined || attempt === attemptsMax) throw error;
    }
  }
}
