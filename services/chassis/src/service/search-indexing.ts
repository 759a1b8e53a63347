import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db } from 'mongodb';
import {
  type AggregateDefinition,
  type AggregateDocument,
  searchFieldsOf,
} from '../aggregates/aggregate';
import { sleep } from '../clock';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { retryTransient } from '../mongo/mongo';
import type { Replicas } from '../replicas/replicas';
import type { Logger } from '../telemetry/logging';
import type { PeriodicWork } from './periodic-work';

interface ProgressDocument {
  /** Name of the collection. */
  readonly _id: string;
  /** Revision of the rule by which the documents are indexed. */
  readonly revision: number | bigint;
  /** Id of the last document that was visited. */
  readonly position: string;
  readonly isDone: boolean;
}

/** Dependencies of the indexing of old documents. */
export interface SearchIndexingOptions {
  readonly logger: Logger;
  /** Resolves to true while a replica of an earlier release runs. */
  readonly hasOlderReplica: () => Promise<boolean>;
}

const everyMs = 60_000;
const batchSize = 500;
// Leaves the database to requests most of the time.
const pauseMs = 50;
// Sorts after every id. A range without an end may make the server read and sort everything.
const endOfIds = 'g';

/** Returns the periodic work that indexes the documents of a collection. */
export function searchIndexingWork<S extends { readonly id: string }>(
  { db, logger, slices }: { db: Db; logger: Logger; slices: Pick<Replicas, 'hasOlder'> },
  { documents, definition }: AggregateCollection<S>,
): PeriodicWork {
  const hasOlderReplica = () => slices.hasOlder();
  const indexing = new SearchIndexing(db, documents, definition, { logger, hasOlderReplica });
  return {
    name: `index ${definition.collection} for search`,
    everyMs,
    run: (signal) => indexing.run(signal),
    onOneReplica: true,
  };
}

/**
 * Stores the keys of documents that an earlier release, or an earlier revision of the rule, wrote.
 * Visits each document once, in the order of ids, and continues after a crash. A document that is
 * written at the same time has its keys by that write: only the version that was read is changed.
 */
export class SearchIndexing<S extends { readonly id: string }> {
  private readonly progress: Collection<ProgressDocument>;

  constructor(
    db: Db,
    private readonly documents: Collection<AggregateDocument>,
    private readonly definition: AggregateDefinition<S>,
    private readonly options: SearchIndexingOptions,
  ) {
    this.progress = db.collection('searchProgress');
  }

  /** Indexes documents until all are indexed or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const revision = this.definition.search?.revision;
    const stored = await retryTransient(() =>
      this.progress.findOne({ _id: this.definition.collection }),
    );
    const isSame = stored !== null && Number(stored.revision) === revision;
    if (revision === undefined || (isSame && stored.isDone)) return;
    // It writes documents without keys, also such that were visited already.
    if (await this.options.hasOlderReplica()) return;
    let position = isSame ? stored.position : '';
    while (!signal.aborted) {
      const batch = await this.readAfter(position);
      await this.index(batch);
      position = batch.at(-1)?._id ?? position;
      const isDone = batch.length < batchSize;
      await this.record({ revision, position, isDone });
      if (isDone) return;
      await sleep(pauseMs, signal);
    }
  }

  private async readAfter(position: string): Promise<AggregateDocument[]> {
    return retryTransient(() =>
      this.documents
        .find({ _id: { $gt: position, $lt: endOfIds } })
        .sort({ _id: 1 })
        .limit(batchSize)
        .toArray(),
    );
  }

  private async index(batch: readonly AggregateDocument[]): Promise<void> {
    const operations = batch.flatMap((document) => {
      const searchKeys = this.keysOf(document);
      const isIndexed = isDeepStrictEqual(searchKeys, document.searchKeys);
      if (searchKeys === undefined || isIndexed) return [];
      const { _id, environmentId, version } = document;
      const filter = { _id, environmentId, version };
      return [{ updateOne: { filter, update: { $set: { searchKeys } } } }];
    });
    if (operations.length === 0) return;
    await retryTransient(() => this.documents.bulkWrite(operations, { ordered: false }));
  }

  /** Undefined for a document that is no aggregate, or that cannot be read. */
  private keysOf(document: AggregateDocument): readonly string[] | undefined {
    if (document['isFence'] === true) return undefined;
    try {
      const state = this.definition.fromDocument(document);
      return searchFieldsOf(this.definition, state).searchKeys;
    } catch (error) {
      const { _id: id } = document;
      this.options.logger.warn({ err: error, id }, 'document not indexed for search, skipping');
      return undefined;
    }
  }

  private async record(progress: Omit<ProgressDocument, '_id'>): Promise<void> {
    await retryTransient(() =>
      this.progress.updateOne(
        { _id: this.definition.collection },
        { $set: progress },
        { upsert: true },
      ),
    );
  }
}
