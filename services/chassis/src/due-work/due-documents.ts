import type { Filter } from 'mongodb';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { AggregateDocument, TenantFields } from '../aggregates/aggregate';
import { retryTransient } from '../mongo/mongo';

/** Projection of a due document; its handler reads the rest. */
export type DueDocument = TenantFields &
  Pick<AggregateDocument, '_id' | 'dueAt' | 'recoverAt' | 'updatedAt' | 'eventSequence'> & {
    /** Ids of the customer and subscription of an aggregate, for traces. */
    readonly customerId?: unknown;
    readonly customer?: unknown;
    readonly subscriptionId?: unknown;
  };

/** Selects due documents of a collection. */
export interface DueQuery {
  readonly collection: AggregateCollection<never>;
  /** Field with the due time. */
  readonly field: 'dueAt' | 'recoverAt';
  readonly until: Date;
  /** Further condition in addition to the time. */
  readonly filter: Filter<AggregateDocument>;
}

const batchMax = 600;
// Prefetch when fewer than this many are buffered.
const readAheadMin = 300;
const projection = {
  environmentId: 1,
  organizationId: 1,
  live: 1,
  timeline: 1,
  dueAt: 1,
  recoverAt: 1,
  updatedAt: 1,
  eventSequence: 1,
  customerId: 1,
  'customer.id': 1,
  subscriptionId: 1,
};
/** Lower bound of a range of times, which excludes absent ones. */
export const beginningOfTime = new Date(-8.64e15);

/** Reads the earliest due documents; `isComplete` if there are no others. */
export async function readDueBatch(
  { collection, field, until, filter }: DueQuery,
  { from = beginningOfTime, except = [] }: { from?: Date; except?: readonly string[] } = {},
): Promise<{ documents: DueDocument[]; isComplete: boolean }> {
  const query = { ...filter, [field]: { $gte: from, $lte: until }, _id: { $nin: except } };
  const documents = await retryTransient(() =>
    collection.documents
      .find(query as Filter<AggregateDocument>)
      .project<DueDocument>(projection)
      .sort({ [field]: 1 })
      .limit(batchMax)
      .toArray(),
  );
  return { documents, isComplete: documents.length < batchMax };
}

/**
 * Iterates over due documents, earliest first, each once, even if they change concurrently.
 * Prefetches them in batches.
 */
export class DueDocuments {
  private readonly waiting: DueDocument[] = [];
  // Instant at which the last batch ended, and the documents of that instant that were read and may
  // still be due.
  private from = beginningOfTime;
  private readAtFrom: string[] = [];
  private isAllRead = false;
  private reading: Promise<void> | undefined;

  /** Skips documents in `seen` and adds those that are read. */
  constructor(
    private readonly query: DueQuery,
    private readonly seen = new Set<string>(),
  ) {}

  /** Rejects for every waiting caller if a read fails. */
  async next(): Promise<DueDocument | undefined> {
    if (this.waiting.length < readAheadMin) this.readAhead();
    while (this.waiting.length === 0 && this.reading !== undefined) {
      await this.reading;
      this.readAhead();
    }
    return this.waiting.shift();
  }

  /** Ends the iteration. `last` and the documents that it did not return count as not seen. */
  async abandon(last: DueDocument): Promise<void> {
    this.isAllRead = true;
    await this.reading?.catch(() => undefined);
    for (const { _id } of [last, ...this.waiting.splice(0)]) this.seen.delete(_id);
  }

  private readAhead(): void {
    if (this.isAllRead || this.reading !== undefined) return;
    this.reading = this.readBatch().finally(() => {
      this.reading = undefined;
    });
    // There may be no caller waiting for it.
    this.reading.catch(() => undefined);
  }

  private async readBatch(): Promise<void> {
    const { field } = this.query;
    const dueAtLastInstant = await this.dueAtLastInstant();
    const { documents: batch, isComplete } = await readDueBatch(this.query, {
      from: this.from,
      except: dueAtLastInstant,
    });
    // A document that advanced while it was handled, but not past `until`, is returned again.
    this.waiting.push(...batch.filter(({ _id }) => !this.seen.has(_id)));
    for (const { _id } of batch) this.seen.add(_id);
    const last = batch.at(-1)?.[field];
    if (isComplete || !last) this.isAllRead = true;
    else this.endAt(last, batch, dueAtLastInstant);
  }

  private endAt(
    last: Date,
    batch: readonly DueDocument[],
    dueAtLastInstant: readonly string[],
  ): void {
    const atLast = batch.filter((one) => one[this.query.field]?.getTime() === last.getTime());
    const earlier = last.getTime() === this.from.getTime() ? dueAtLastInstant : [];
    this.readAtFrom = [...earlier, ...atLast.map(({ _id }) => _id)];
    this.from = last;
  }

  // Documents of the instant at which the last batch ended are returned again by the next query,
  // unless they have advanced.
  private async dueAtLastInstant(): Promise<string[]> {
    if (this.readAtFrom.length === 0) return [];
    const { collection, field } = this.query;
    const query = { _id: { $in: this.readAtFrom }, [field]: this.from };
    const documents = await retryTransient(() =>
      collection.documents
        .find(query as Filter<AggregateDocument>)
        .project<Pick<AggregateDocument, '_id'>>({ _id: 1 })
        .toArray(),
    );
    return documents.map(({ _id }) => _id);
  }
}
