import {
  type Collection,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { Batcher, type Outcome } from './batcher';
import { isTransient, retryTransient } from './mongo';

// What one command carries. It stays far below what a message may have, and larger ones bring little more.
const batchMax = 200;
// Batches of one collection on their way at once.
const flushesMax = 2;

/** How much goes together. */
export const batchBounds = { batchMax, flushesMax };

/** Called right before a write leaves the process; throws where it must not take place any more. */
export type BeforeWrite = () => void;

interface Insert<T> {
  readonly document: T;
  readonly beforeWrite: BeforeWrite | undefined;
}

/** Inserts documents into one collection in batches: what comes side by side goes in one command. */
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

  /** Rejects as insertOne does, for a document that is there already too. */
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

/** The errors of single documents, by their places in the batch. Throws what concerns all of them, and what a repeat may mend. */
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

/** How many documents of an ordered insert are stored: those before the one that failed. */
export function insertedBefore(error: unknown): number {
  if (!(error instanceof MongoBulkWriteError)) return 0;
  return [error.writeErrors].flat()[0]?.index ?? 0;
}

export function outcomeOf(error: MongoServerError | undefined): Outcome<void> {
  return error === undefined ? { value: undefined } : { error };
}

/** Writes what may still be written, and refuses the rest of the batch: an item may have waited long for its turn. */
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
