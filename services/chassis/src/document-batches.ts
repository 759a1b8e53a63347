import type {
  AnyBulkWriteOperation,
  Collection,
  MongoBulkWriteError,
  MongoServerError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import type { AggregateDocument, OutboxEntry } from './aggregate-document';
import { Batcher, type Outcome } from './batcher';
import {
  batchBounds,
  type BeforeWrite,
  InsertBatches,
  outcomeOf,
  runAllowed,
  writeErrorsOf,
} from './insert-batches';
import { retryTransient } from './mongo';

interface Read {
  readonly id: string;
  /** Undefined for the relay, which works for every environment. */
  readonly environmentId: string | undefined;
}

/** A compare-and-set: `update` takes place only at the version that was read. */
export interface VersionedWrite {
  readonly id: string;
  readonly environmentId: string;
  /** As it was read. */
  readonly version: number;
  /** What `update` writes to `lastWrite`. */
  readonly writeId: string;
  readonly update: Record<string, unknown>;
  readonly beforeWrite?: BeforeWrite | undefined;
}

/** Outbox entries that are done. */
export interface Removal {
  readonly id: string;
  readonly done: readonly Pick<OutboxEntry, 'kind' | 'sequence'>[];
  /** Where these are all that was ever put there and is left: then the document waits for nothing any more. */
  readonly all?: Pick<AggregateDocument, 'eventSequence' | 'commandSequence'> | undefined;
}

interface Update {
  readonly filter: { readonly _id: string } & Record<string, unknown>;
  readonly update: Record<string, unknown>;
}

/**
 * Reads and writes single documents of one collection in batches: what many ask for side by side goes to the database in one command.
 * Each document is still read and written for itself; a batch that is cut short leaves some of them written and others not, as a crash
 * between single writes would. Operations of a batch are sorted by id, so that two batches never wait for each other's locks.
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
      // A batch's answer counts and does not name; who won is read back, and nobody here writes in between.
      keyOf: ({ id }) => id,
      flush: (writes) => this.compareAndSetAllowed(writes),
    });
    this.removals = new Batcher({
      ...batchBounds,
      flush: (removals) => this.takeOutAll(removals),
    });
    this.inserts = new InsertBatches(documents);
  }

  find(id: string, environmentId?: string): Promise<AggregateDocument | undefined> {
    return this.reads.run({ id, environmentId });
  }

  /** Those that are there, in one command however many; one alone goes with those that others ask for. */
  async findAll(ids: readonly string[], environmentId: string): Promise<AggregateDocument[]> {
    const [first] = ids;
    if (first === undefined) return [];
    if (ids.length > 1) return [...(await this.readDocuments(ids, environmentId)).values()];
    const document = await this.find(first, environmentId);
    return document === undefined ? [] : [document];
  }

  /** Whether the document was still at its version, and is now written. */
  compareAndSet(write: VersionedWrite): Promise<boolean> {
    return this.compared.run(write);
  }

  /** The same in a command of its own, for a write that may fail others by a server's deadlock. */
  async compareAndSetAlone(write: VersionedWrite): Promise<boolean> {
    const [outcome = { value: false }] = await this.compareAndSetAllowed([write]);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Takes entries out of an outbox; those that are not there any more change nothing. */
  removeDone(removal: Removal): Promise<void> {
    return this.removals.run(removal);
  }

  /** Rejects as insertOne does, for a document that is there already too. */
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
    // After a repeat, what does not match may have been written by the first attempt.
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

  private async takeOutAll(removals: readonly Removal[]): Promise<Outcome<void>[]> {
    const { matched, failed } = await retryTransient(() => this.send(removals.map(emptying)));
    const isEachMatched = matched + failed.size === removals.length;
    const outcomes = removals.map((_removal, index) => outcomeOf(failed.get(index)));
    const overtaken = removals.filter(
      ({ all, done }, index) => all !== undefined && done.length > 0 && !failed.has(index),
    );
    if (isEachMatched || overtaken.length === 0) return outcomes;
    // Something was added to one of them since, and the caller that added it sees to the rest. What is gone already changes nothing.
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

// Nothing was added as long as nothing was numbered; then what is done is all that can be there.
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
  // Others have written since, over this write or without it: nobody can tell any more.
  return { error: new DomainError('unavailable', 'OUTCOME_UNKNOWN', 'Service unavailable') };
}
