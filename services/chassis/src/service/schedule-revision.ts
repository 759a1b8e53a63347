import type { Collection, Db } from 'mongodb';
import {
  type AggregateDefinition,
  type AggregateDocument,
  scheduleOf,
} from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { realTimeline } from '../grpc/call-context';
import type { Replicas } from '../replicas/replicas';
import type { Logger } from '../telemetry/logging';
import {
  DocumentRevision,
  type DocumentRevisionDependencies,
  type ProgressDocument,
} from './document-revision';
import type { PeriodicWork } from './periodic-work';

const everyMs = 60_000;

/** Returns the periodic work that schedules the documents of a collection by its present rule. */
export function scheduleRevisionWork<S extends { readonly id: string }>(
  { db, logger, slices }: { db: Db; logger: Logger; slices: Pick<Replicas, 'hasOlder'> },
  { documents, definition }: AggregateCollection<S>,
): PeriodicWork {
  const hasOlderReplica = () => slices.hasOlder();
  const revision = scheduleRevision(db, documents, definition, { logger, hasOlderReplica });
  return {
    name: `schedule ${definition.collection} of earlier releases`,
    everyMs,
    run: (signal) => revision.run(signal),
    onOneReplica: true,
  };
}

/**
 * Stores the due times of documents that an earlier release wrote. Those with a manual clock wait
 * for their next write: an earlier due time would lie before the time that their clock has reached.
 */
export function scheduleRevision<S extends { readonly id: string }>(
  db: Db,
  documents: Collection<AggregateDocument>,
  definition: AggregateDefinition<S>,
  dependencies: DocumentRevisionDependencies,
): DocumentRevision {
  const fieldsOf = (document: AggregateDocument) => {
    if (document.timeline !== realTimeline) return undefined;
    const { dueAt, dueClass } = scheduleOf(definition, definition.fromDocument(document));
    const isSame = dueAt?.getTime() === document.dueAt?.getTime() && dueClass === document.dueClass;
    return isSame ? undefined : { dueAt, dueClass };
  };
  const { collection, scheduleRevision: revision } = definition;
  const progress = db.collection<ProgressDocument>('scheduleProgress');
  return new DocumentRevision(
    progress,
    documents,
    { collection, revision, fieldsOf },
    dependencies,
  );
}
