import type { Collection, Document } from 'mongodb';
import { retryTransient } from './mongo';

/** Query of one collection. */
export interface CollectionQuery {
  readonly documents: Pick<Collection, 'collectionName' | 'aggregate'>;
  readonly filter: Document;
}

/**
 * Returns the queries that match at least one document. One command asks for all of them, so that a
 * poll of many collections of a database costs as much as a poll of one. If it fails, each is asked
 * alone: one that fails does not block the others, and is returned, so that its reader reports it.
 */
export async function findMatching<Q extends CollectionQuery>(
  queries: readonly Q[],
): Promise<readonly Q[]> {
  const [first, ...others] = queries.map(({ documents, filter }, index) => {
    const found = { $project: { _id: 0, query: { $literal: index } } };
    return { documents, pipeline: [{ $match: filter }, { $limit: 1 }, found] };
  });
  if (first === undefined) return [];
  const unions = others.map(({ documents, pipeline }) => ({
    $unionWith: { coll: documents.collectionName, pipeline },
  }));
  try {
    const found = await retryTransient(() =>
      first.documents
        .aggregate<{ readonly query: number }>([...first.pipeline, ...unions])
        .toArray(),
    );
    const matching = new Set(found.map(({ query }) => query));
    return queries.filter((_query, index) => matching.has(index));
  } catch {
    const answers = await Promise.all(queries.map(hasMatch));
    return queries.filter((_query, index) => answers[index]);
  }
}

async function hasMatch({ documents, filter }: CollectionQuery): Promise<boolean> {
  try {
    const found = await documents.aggregate([{ $match: filter }, { $limit: 1 }]).toArray();
    return found.length > 0;
  } catch {
    return true;
  }
}
