import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb';
import { writeErrorsOf } from '@billing/chassis/inserts';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';

const upsertsMax = 5;

/**
 * Writes upserts by primary key. Of two concurrent inserts of the same document, the slower one
 * succeeds on its retry.
 */
export async function upsertAll<T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> {
  let open = operations;
  for (let attempt = 1; open.length > 0; attempt += 1) {
    if (attempt > upsertsMax)
      throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
    const tried = open;
    const failed = await retryTransient(async () => {
      try {
        await collection.bulkWrite([...tried], { ordered: false });
        return new Map<number, Error>();
      } catch (error) {
        return writeErrorsOf(error);
      }
    });
    for (const error of failed.values()) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
    open = tried.filter((_operation, index) => failed.has(index));
  }
}
