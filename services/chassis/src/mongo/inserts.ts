import {
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
  type WriteError,
} from 'mongodb';
import { Batcher, type Outcome } from '../concurrency/batcher';
import { isTransient, retryTransient, duplicateKeyIndex } from './mongo';

// Far below the maximum message size; larger batches bring little more.
const batchMax = 200;
// Concurrent batches of one collection.
const flushesMax = 2;

/** Bounds of all batches that are sent to the database. */
export const batchBounds = { batchMax, flushesMax };

/** Called right before a write is sent; throws if the write must not take place any more. */
export type BeforeWrite = () => void;

interface Insert<T> {
  readonly document: T;
  readonly beforeWrite: BeforeWrite | undefined;
}

/** Batches concurrent inserts into one collection into one command. */
export class InsertBatches<T extends { readonly _id: string }> {
  private readonly inserts: Batcher<Insert<T>, void>;

  constructor(private readonly documents: Collection<T>) {
    this.inserts = new Batcher({
      ...batchBounds,
      keyOf: ({ document: { _id } }) => _id,
      flush: (inserts) =>
        runAllowed(inserts, (allowed) => this.insertAll(allowed.map(({ document }) => document))),
    });
  }

  /** Rejects as insertOne does, also for a document that already exists. */
  insert(document: T, beforeWrite?: BeforeWrite): Promise<void> {
    return this.inserts.run({ document, beforeWrite });
  }

  private async insertAll(inserted: readonly T[]): Promise<Outcome<void>[]> {
    const documents = inserted as readonly OptionalUnlessRequiredId<T>[];
    const [first] = documents;
    if (documents.length === 1 && first !== undefined) {
      await retryTransient(() => this.documents.insertOne(first));
      return [{ value: undefined }];
    }
    const failed = await retryTransient(async () => {
      try {
        await this.documents.insertMany([...documents], { ordered: false });
        return new Map<number, MongoServerError>();
      } catch (error) {
        return writeErrorsOf(error);
      }
    });
    return inserted.map((_document, index) => outcomeOf(failed.get(index)));
  }
}

/**
 * Returns the errors of single documents by their position in the batch. Throws errors of the whole
 * batch, and those that a retry may resolve.
 */
export function writeErrorsOf(error: unknown): Map<number, MongoServerError> {
  if (!(error instanceof MongoBulkWriteError) || isTransient(error)) throw error;
  const failed = [error.writeErrors].flat();
  if (failed.length === 0) throw error;
  return new Map(
    failed.map(({ index, code, errmsg = '' }) => [
      index,
      new MongoServerError({ code, errmsg, message: errmsg }),
    ]),
  );
}

/** Number of documents of an ordered insert that are stored: those before the failed one. */
export function insertedBefore(error: unknown): number {
  if (!(error instanceof MongoBulkWriteError)) return 0;
  return [error.writeErrors].flat()[0]?.index ?? 0;
}

export function outcomeOf(error: MongoServerError | undefined): Outcome<void> {
  return error === undefined ? { value: undefined } : { error };
}

/**
 * Runs the writes that are still allowed and refuses the others of the batch: an item may have
 * waited long in the queue.
 */
export async function runAllowed<
  Item extends { readonly beforeWrite?: BeforeWrite | undefined },
  Result,
>(
  items: readonly Item[],
  write: (allowed: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
): Promise<Outcome<Result>[]> {
  const refusals = items.map(refusalOf);
  const allowed = items.filter((_item, index) => refusals[index] === undefined);
  const outcomes = allowed.length === 0 ? [] : [...(await write(allowed))];
  return refusals.map((refusal) => refusal ?? outcomes.shift() ?? notWritten());
}

function refusalOf({
  beforeWrite,
}: {
  readonly beforeWrite?: BeforeWrite | undefined;
}): { readonly error: unknown } | undefined {
  try {
    beforeWrite?.();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function notWritten(): { readonly error: unknown } {
  return { error: new Error('A batch did not say what became of an item') };
}

const duplicateKey = 11000;

/**
 * Inserts documents that do not exist yet. A document with the same `_id` was inserted by an
 * earlier run of the same step and stays unchanged.
 */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  if (documents.length === 0) return;
  const all = documents as unknown as OptionalUnlessRequiredId<T>[];
  try {
    await retryTransient(() => collection.insertMany(all, { ordered: false }));
  } catch (error) {
    if (!isDuplicatesAlone(error)) throw error;
  }
}

// The error as a whole has the code of its first part; another part may have failed for another
// reason.
function isDuplicatesAlone(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const writeErrors: readonly WriteError[] = [error.writeErrors].flat();
  return writeErrors.length > 0 && writeErrors.every(({ code }) => code === duplicateKey);
}

// Each lost race leaves the winner's document, so that the next attempt updates it; a third attempt
// is needed only after a deletion in between.
const upsertAttemptsMax = 5;

/**
 * Retries an upsert after another writer inserted the same document first. Not every server does
 * so.
 */
export async function retryUpsert<T>(upsert: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryTransient(upsert);
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined || attempt === upsertAttemptsMax) throw error;
    }
  }
}
