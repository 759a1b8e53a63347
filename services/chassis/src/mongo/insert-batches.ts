import {
  type Collection,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { Batcher, type Outcome } from '../concurrency/batcher';
import { isTransient, retryTransient } from './mongo';

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
