import type { Filter } from 'mongodb';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument, TenantFields } from './aggregate-document';
import { retryTransient } from './mongo';

/** What is known of a document whose time has come: whoever handles it reads the rest. */
export type DueDocument = TenantFields &
  Pick<AggregateDocument, '_id' | 'dueAt' | 'recoverAt' | 'updatedAt'>;

/** One pass over the documents of a collection whose time has come. */
export interface DuePass {
  readonly collection: AggregateCollection<never>;
  /** The field that holds the time. */
  readonly field: 'dueAt' | 'recoverAt';
  readonly until: Date;
  /** Which of them, beside the time. */
  readonly filter: Filter<AggregateDocument>;
  readonly handle: (document: DueDocument) => Promise<void>;
  readonly onFailure: (document: DueDocument, error: unknown) => void;
  /** Ends the pass early. */
  readonly signal: AbortSignal;
}

/** What a pass came to. */
export interface PassOutcome {
  readonly handled: number;
  readonly failures: readonly unknown[];
}

const batchMax = 200;
// Their reads and writes share commands to the database: the more side by side, the fewer of them.
const concurrencyMax = 100;
const shown = {
  environmentId: 1,
  organizationId: 1,
  live: 1,
  timeline: 1,
  dueAt: 1,
  recoverAt: 1,
  updatedAt: 1,
};
const beginningOfTime = new Date(-8.64e15);

/**
 * Visits each document that is due once, the earliest first, whatever comes of it: those that fail, and those that stay due, never keep
 * later ones from their turn.
 */
export async function passOver(pass: DuePass): Promise<PassOutcome> {
  const visited = new Set<string>();
  const failures: unknown[] = [];
  let from = beginningOfTime;
  let handled = 0;
  while (!pass.signal.aborted) {
    const batch = await readBatch(pass, from, visited);
    await inParallel(batch, pass.signal, async (document) => {
      visited.add(document._id);
      try {
        await pass.handle(document);
        handled += 1;
      } catch (error) {
        failures.push(error);
        pass.onFailure(document, error);
      }
    });
    const last = batch.at(-1)?.[pass.field];
    if (batch.length < batchMax || !last) break;
    from = last;
  }
  return { handled, failures };
}

// Those of the very instant where the last batch ended come again with the next one, unless they have moved on.
async function readBatch(
  { collection, field, until, filter }: DuePass,
  from: Date,
  visited: ReadonlySet<string>,
): Promise<DueDocument[]> {
  const atFrom = { ...filter, [field]: from };
  const stillThere = from === beginningOfTime ? [] : await idsOf(collection, atFrom, visited);
  const query = { ...filter, [field]: { $gte: from, $lte: until }, _id: { $nin: stillThere } };
  return await retryTransient(() =>
    collection.documents
      .find(query as Filter<AggregateDocument>)
      .project<DueDocument>(shown)
      .sort({ [field]: 1 })
      .limit(batchMax)
      .toArray(),
  );
}

async function idsOf(
  collection: AggregateCollection<never>,
  query: object,
  visited: ReadonlySet<string>,
): Promise<string[]> {
  const documents = await retryTransient(() =>
    collection.documents
      .find(query as Filter<AggregateDocument>)
      .project<Pick<AggregateDocument, '_id'>>({ _id: 1 })
      .toArray(),
  );
  return documents.map(({ _id }) => _id).filter((id) => visited.has(id));
}

async function inParallel<T>(
  items: readonly T[],
  signal: AbortSignal,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (signal.aborted) return;
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, worker));
}
