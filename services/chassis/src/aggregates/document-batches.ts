import type {
  AnyBulkWriteOperation,
  Collection,
  MongoBulkWriteError,
  MongoServerError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateDocument, OutboxEntry } from './aggregate';
import { Batcher, type Outcome } from '../concurrency/batcher';
import {
  batchBounds,
  type BeforeWrite,
  InsertBatches,
  outcomeOf,
  runAllowed,
  writeErrorsOf,
} from '../mongo/inserts';
import { retryTransient } from '../mongo/mongo';

// No caller waits for a removal.
const removalSpacingMs = 15;

interface Read {
  readonly id: string;
  /** Undefined for the relay, which works for every environment. */
  readonly environmentId: string | undefined;
}

/** A compare-and-set: `update` is applied only at the version that was read. */
export interface VersionedWrite {
  readonly id: string;
  readonly environmentId: string;
  /** Version of the document when it was read. */
  readonly version: number;
  /** Value that `update` writes to `lastWrite`. */
  readonly writeId: string;
  readonly update: Record<string, unknown>;
  readonly beforeWrite?: BeforeWrite | undefined;
}

/** Outbox entries that are done and can be removed. */
export interface Removal {
  readonly id: string;
  readonly done: readonly Pick<OutboxEntry, 'kind' | 'sequence'>[];
  /**
   * Sequences of the document as it was read, if `done` is all that is left in its outbox. If they
   * have not changed, the document no longer waits for anything.
   */
  readonly all?: Pick<AggregateDocument, 'eventSequence' | 'commandSequence'> | undefined;
}

interface Update {
  readonly filter: { readonly _id: string } & Record<string, unknown>;
  readonly update: Record<string, unknown>;
}

/**
 * Reads and writes single documents of one collection in batches: concurrent operations share one
 * database command. Each document is still read and written on its own: a batch that is cut short
 * leaves some documents written and others not, as a crash between single writes would. Operations
 * of a batch are sorted by id, so that two batches never deadlock.
 */
export class DocumentBatches {
  private readonly reads: Batcher<Read, AggregateDocument | undefined>;
  private readonly compared: Batcher<VersionedWrite, boolean>;
  private readonly removals: Batcher<Removal, void>;
  private readonly inserts: InsertBatches<AggregateDocument>;

  constructor(private readonly documents: Collection<AggregateDocument>) {
    this.reads = new Batcher({ ...batchBounds, flush: (reads) => this.readAll(reads) });
    this.compared = new Batcher({
      ...batchBounds,
      // The response of a batch has counts, not names. Winners are read back, so no other write of
      // this process to the same document may come in between.
      keyOf: ({ id }) => id,
      flush: (writes) => this.compareAndSetAllowed(writes),
    });
    this.removals = new Batcher({
      ...batchBounds,
      spacingMs: removalSpacingMs,
      flush: (removals) => this.removeAllDone(removals),
    });
    this.inserts = new InsertBatches(documents);
  }

  find(id: string, environmentId?: string): Promise<AggregateDocument | undefined> {
    return this.reads.run({ id, environmentId });
  }

  /**
   * Finds existing documents with one command for any number of ids. A single id is batched with
   * those of concurrent callers.
   */
  async findAll(ids: readonly string[], environmentId: string): Promise<AggregateDocument[]> {
    const [first] = ids;
    if (first === undefined) return [];
    if (ids.length > 1) return [...(await this.readDocuments(ids, environmentId)).values()];
    const document = await this.find(first, environmentId);
    return document === undefined ? [] : [document];
  }

  /** Writes the document if it is still at its version; false if it is not. */
  compareAndSet(write: VersionedWrite): Promise<boolean> {
    return this.compared.run(write);
  }

  /** Removes entries from an outbox. Entries that are already gone are ignored. */
  removeDone(removal: Removal): Promise<void> {
    return this.removals.run(removal);
  }

  /** Rejects as insertOne does, also for a document that already exists. */
  insert(document: AggregateDocument, beforeWrite?: BeforeWrite): Promise<void> {
    return this.inserts.insert(document, beforeWrite);
  }

  private async readAll(reads: readonly Read[]): Promise<Outcome<AggregateDocument | undefined>[]> {
    const byEnvironment = Map.groupBy(reads, ({ environmentId }) => environmentId);
    const found = await Promise.all(
      [...byEnvironment].map(async ([environmentId, group]) => {
        const ids = [...new Set(group.map(({ id }) => id))];
        return [environmentId, await this.readDocuments(ids, environmentId)] as const;
      }),
    );
    const documents = new Map(found);
    return reads.map(({ id, environmentId }) => ({ value: documents.get(environmentId)?.get(id) }));
  }

  private async readDocuments(
    ids: readonly string[],
    environmentId: string | undefined,
  ): Promise<Map<string, AggregateDocument>> {
    const [first] = ids;
    const within = environmentId === undefined ? {} : { environmentId };
    const documents = await retryTransient(async () => {
      if (first === undefined || ids.length > 1) {
        return this.documents.find({ _id: { $in: [...ids] }, ...within }).toArray();
      }
      const document = await this.documents.findOne({ _id: first, ...within });
      return document === null ? [] : [document];
    });
    return new Map(documents.map((document) => [document._id, document as AggregateDocument]));
  }

  private compareAndSetAllowed(writes: readonly VersionedWrite[]): Promise<Outcome<boolean>[]> {
    return runAllowed(writes, (allowed) => this.compareAndSetAll(allowed));
  }

  private async compareAndSetAll(writes: readonly VersionedWrite[]): Promise<Outcome<boolean>[]> {
    let attempts = 0;
    const { matched, failed } = await retryTransient(() => {
      attempts += 1;
      return this.send(
        writes.map(({ id: _id, environmentId, version, update }) => ({
          filter: { _id, environmentId, version },
          update,
        })),
      );
    });
    const isEachMatched = matched + failed.size === writes.length;
    // After a retry, a mismatch may be due to the first attempt's own write.
    const isKnown = isEachMatched || (writes.length === 1 && attempts === 1);
    const written = isKnown ? undefined : await this.readVersions(writes);
    return writes.map((write, index) => {
      const error = failed.get(index);
      if (error !== undefined) return { error };
      if (written === undefined) return { value: isEachMatched };
      return wonOrLost(write, written.get(write.id));
    });
  }

  private async readVersions(writes: readonly VersionedWrite[]) {
    const ids = writes.map(({ id }) => id);
    const documents = await retryTransient(() =>
      this.documents
        .find({ _id: { $in: ids } })
        .project<Pick<AggregateDocument, '_id' | 'version' | 'lastWrite'>>({
          version: 1,
          lastWrite: 1,
        })
        .toArray(),
    );
    return new Map(documents.map((document) => [document._id, document]));
  }

  private async removeAllDone(removals: readonly Removal[]): Promise<Outcome<void>[]> {
    const { matched, failed } = await retryTransient(() => this.send(removals.map(emptying)));
    const isEachMatched = matched + failed.size === removals.length;
    const outcomes = removals.map((_removal, index) => outcomeOf(failed.get(index)));
    const overtaken = removals.filter(
      ({ all, done }, index) => all !== undefined && done.length > 0 && !failed.has(index),
    );
    if (isEachMatched || overtaken.length === 0) return outcomes;
    // Entries were added to some of the outboxes since; the caller that added them handles them.
    // Entries that are already gone are ignored.
    const pulled = await retryTransient(() => this.send(overtaken.map(pulling)));
    for (const error of pulled.failed.values()) throw error;
    return outcomes;
  }

  private async send(
    writes: readonly Update[],
  ): Promise<{ matched: number; failed: Map<number, MongoServerError> }> {
    const [first] = writes;
    if (writes.length === 1 && first !== undefined) {
      const { matchedCount } = await this.documents.updateOne(first.filter, first.update);
      return { matched: matchedCount, failed: new Map() };
    }
    const order = writes.map((_write, index) => index);
    order.sort((a, b) => compareIds(writes[a], writes[b]));
    const operations = order.map((index) => ({ updateOne: writes[index] }));
    try {
      const { matchedCount } = await this.documents.bulkWrite(
        operations as AnyBulkWriteOperation<AggregateDocument>[],
        { ordered: false },
      );
      return { matched: matchedCount, failed: new Map() };
    } catch (error) {
      const failed = writeErrorsOf(error);
      const { matchedCount: matched } = (error as MongoBulkWriteError).result;
      return {
        matched,
        failed: new Map([...failed].map(([index, one]) => [order[index] ?? index, one])),
      };
    }
  }
}

function compareIds(a: Update | undefined, b: Update | undefined): number {
  return (a?.filter._id ?? '') < (b?.filter._id ?? '') ? -1 : 1;
}

// While no new sequence was assigned nothing was added, so the outbox contains at most what is
// done.
function emptying(removal: Removal): Update {
  const { id: _id, all } = removal;
  if (all === undefined) return pulling(removal);
  return { filter: { _id, ...all }, update: { $set: { outbox: [], pendingSince: null } } };
}

function pulling({ id: _id, done }: Removal): Update {
  const numbersOf = (kind: OutboxEntry['kind']) =>
    done.filter((entry) => entry.kind === kind).map(({ sequence }) => sequence);
  const lanes = (['event', 'command'] as const)
    .map((kind) => ({ kind, sequence: { $in: numbersOf(kind) } }))
    .filter(({ sequence }) => sequence.$in.length > 0);
  const [lane] = lanes;
  return {
    filter: { _id },
    update: { $pull: { outbox: lanes.length === 1 ? lane : { $or: lanes } } },
  };
}

function wonOrLost(
  { version, writeId }: VersionedWrite,
  found: Pick<AggregateDocument, 'version' | 'lastWrite'> | undefined,
): Outcome<boolean> {
  if (found?.lastWrite === writeId) return { value: true };
  if (found === undefined || found.version <= version + 1) return { value: false };
  // Others have written since, after this write or instead of it: the outcome is unknown.
  return { error: new DomainError('unavailable', 'OUTCOME_UNKNOWN', 'Service unavailable') };
}
