import type { Collection, Document, Filter, Sort } from 'mongodb';
import { retryTransient } from './mongo';

/** Documents of all environments whose retention is over. */
export interface OldDocuments<D extends Document> {
  readonly collection: Collection<D>;
  readonly filter: Filter<D>;
  /** Order of an index that the filter uses, oldest first. */
  readonly sort: Sort;
}

/** A document to delete. */
interface OldDocument {
  readonly _id: string;
  /** Absent in documents of earlier releases. */
  readonly environmentId?: string;
}

/** Maximum number of documents that one batch deletes. */
export const deleteBatchMax = 1_000;

/**
 * Deletes the oldest of the documents, one batch. Returns true if there may be more. A single
 * statement over millions of documents would exceed the socket's timeout and roll back.
 */
export async function deleteBatch<D extends Document>(old: OldDocuments<D>): Promise<boolean> {
  return deleteFound(old, await findBatch(old, []));
}

/** Finds the oldest of the documents, one batch, with some of their fields. */
export async function findBatch<D extends Document, F extends keyof D & string>(
  { collection, filter, sort }: OldDocuments<D>,
  fields: readonly F[],
): Promise<(OldDocument & Pick<D, F>)[]> {
  const projection = Object.fromEntries(['environmentId', ...fields].map((field) => [field, 1]));
  return retryTransient(() =>
    collection
      .find(filter)
      .project<OldDocument & Pick<D, F>>(projection)
      .sort(sort)
      .limit(deleteBatchMax)
      .toArray(),
  );
}

/** Deletes a batch, except documents renewed since. Returns true if there may be more. */
export async function deleteFound<D extends Document>(
  { collection, filter }: OldDocuments<D>,
  found: readonly OldDocument[],
): Promise<boolean> {
  if (found.length === 0) return false;
  const _id = { $in: found.map((one) => one._id) };
  const environmentId = { $in: [...new Set(found.map((one) => one.environmentId ?? null))] };
  const batch = { $and: [{ _id, environmentId }, filter] } as unknown as Filter<D>;
  await retryTransient(() => collection.deleteMany(batch));
  return found.length === deleteBatchMax;
}

/** Deletes batches until none is left or the signal aborts. */
export async function deleteInBatches(
  deleteOne: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<void> {
  let hasMore = true;
  while (hasMore && signal?.aborted !== true) hasMore = await deleteOne();
}
