import type { Collection } from 'mongodb';
import type { AggregateDocument } from '../aggregates/aggregate';
import { sleep } from '../clock';
import { retryTransient } from '../mongo/mongo';
import type { Logger } from '../telemetry/logging';

/** How far the documents of a collection were visited. */
export interface ProgressDocument {
  /** Name of the collection. */
  readonly _id: string;
  /** Revision of the rule by which the documents were visited. */
  readonly revision: number | bigint;
  /** Id of the last document that was visited. */
  readonly position: string;
  readonly isDone: boolean;
}

/** A rule that computes fields of documents, and its revision. */
export interface RevisedRule {
  readonly collection: string;
  /** Undefined: the collection has no such rule. */
  readonly revision: number | undefined;
  /** Fields to be set; undefined if the document has them. */
  readonly fieldsOf: (document: AggregateDocument) => Record<string, unknown> | undefined;
}

/** Dependencies of a revision. */
export interface DocumentRevisionDependencies {
  readonly logger: Logger;
  /** Resolves to true while a replica of an earlier release runs. */
  readonly hasOlderReplica: () => Promise<boolean>;
}

const batchSize = 500;
// Leaves the database to requests most of the time.
const pauseMs = 50;
// Sorts after every id. A range without an end may make the server read and sort everything.
const endOfIds = 'g';

/**
 * Stores the computed fields of documents that an earlier release, or an earlier revision of the
 * rule, wrote. Visits each document once, in the order of ids, and continues after a crash. A
 * document that is written at the same time has its fields by that write: only the version that was
 * read is changed.
 */
export class DocumentRevision {
  constructor(
    private readonly progress: Collection<ProgressDocument>,
    private readonly documents: Collection<AggregateDocument>,
    private readonly rule: RevisedRule,
    private readonly dependencies: DocumentRevisionDependencies,
  ) {}

  /** Visits documents until all were visited or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { revision, collection } = this.rule;
    const stored = await retryTransient(() => this.progress.findOne({ _id: collection }));
    const isSame = stored !== null && Number(stored.revision) === revision;
    if (revision === undefined || (isSame && stored.isDone)) return;
    // It writes documents by its own rule, also such that were visited already.
    if (await this.dependencies.hasOlderReplica()) return;
    let position = isSame ? stored.position : '';
    while (!signal.aborted) {
      const batch = await this.readAfter(position);
      await this.change(batch);
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

  private async change(batch: readonly AggregateDocument[]): Promise<void> {
    const operations = batch.flatMap((document) => {
      const fields = this.fieldsOf(document);
      if (fields === undefined) return [];
      const { _id, environmentId, version } = document;
      const filter = { _id, environmentId, version };
      return [{ updateOne: { filter, update: { $set: fields } } }];
    });
    if (operations.length === 0) return;
    await retryTransient(() => this.documents.bulkWrite(operations, { ordered: false }));
  }

  /** Undefined for a document that is no aggregate, or that cannot be read. */
  private fieldsOf(document: AggregateDocument): Record<string, unknown> | undefined {
    if (document['isFence'] === true) return undefined;
    try {
      return this.rule.fieldsOf(document);
    } catch (error) {
      const { _id: id } = document;
      const { collection } = this.rule;
      this.dependencies.logger.warn(
        { err: error, id, collection },
        'document not revised, skipping',
      );
      return undefined;
    }
  }

  private async record(progress: Omit<ProgressDocument, '_id'>): Promise<void> {
    const { collection: _id } = this.rule;
    await retryTransient(() =>
      this.progress.updateOne({ _id }, { $set: progress }, { upsert: true }),
    );
  }
}
