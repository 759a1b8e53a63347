import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db } from 'mongodb';
import {
  type AggregateDefinition,
  type AggregateDocument,
  searchFieldsOf,
} from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { Replicas } from '../replicas/replicas';
import type { Logger } from '../telemetry/logging';
import {
  DocumentRevision,
  type DocumentRevisionDependencies,
  type ProgressDocument,
} from './document-revision';
import type { PeriodicWork } from './periodic-work';

const everyMs = 60_000;

/** Returns the periodic work that indexes the documents of a collection. */
export function searchIndexingWork<S extends { readonly id: string }>(
  { db, logger, slices }: { db: Db; logger: Logger; slices: Pick<Replicas, 'hasOlder'> },
  { documents, definition }: AggregateCollection<S>,
): PeriodicWork {
  const hasOlderReplica = () => slices.hasOlder();
  const indexing = searchIndexing(db, documents, definition, { logger, hasOlderReplica });
  return {
    name: `index ${definition.collection} for search`,
    everyMs,
    run: (signal) => indexing.run(signal),
    onOneReplica: true,
  };
}

/** Stores the search keys of documents that were written without them. */
export function searchIndexing<S extends { readonly id: string }>(
  db: Db,
  documents: Collection<AggregateDocument>,
  definition: AggregateDefinition<S>,
  dependencies: DocumentRevisionDependencies,
): DocumentRevision {
  const { collection } = definition;
  const fieldsOf = (document: AggregateDocument) => {
    const { searchKeys } = searchFieldsOf(definition, definition.fromDocument(document));
    const isIndexed = isDeepStrictEqual(searchKeys, document.searchKeys);
    return searchKeys === undefined || isIndexed ? undefined : { searchKeys };
  };
  const rule = { collection, revision: definition.search?.revision, fieldsOf };
  const progress = db.collection<ProgressDocument>('searchProgress');
  return new DocumentRevision(progress, documents, rule, dependencies);
}
