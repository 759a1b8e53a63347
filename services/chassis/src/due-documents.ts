import type { Filter } from 'mongodb';
import type { AggregateCollection } from './aggregate-collection';
import type { AggregateDocument, TenantFields } from './aggregate-document';
import { retryTransient } from './mongo';

/** What is known of a document whose time has come: whoever handles it reads the rest. */
export type DueDocument = TenantFields &
  Pick<AggregateDocument, '_id' | 'dueAt' | 'recoverAt' | 'updatedAt' | 'eventSequence'> & {
    /** The customer and the subscription to which an aggregate belongs, for traces. */
    readonly customerId?: unknown;
    readonly customer?: unknown;
    readonly subscriptionId?: unknown;
  };

/** Which documents of a collection are due. */
export interface DueQuery {
  readonly collection: AggregateCollection<never>;
  /** The field that holds the time. */
  readonly field: 'dueAt' | 'recoverAt';
  readonly until: Date;
  /** Which of them, beside the time. */
  readonly filter: Filter<AggregateDocument>;
}

const batchMax = 600;
// So many are at hand before more are read, that nobody waits for it.
const readAheadMin = 300;
const shown = {
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
const beginningOfTime = new Date(-8.64e15);

/** The documents that are due, the earliest first, each once, whatever becomes of them in the meantime; read in batches, ahead of those who take them. */
export class DueDocuments {
  private readonly waiting: DueDocument[] = [];
  private readonly seen = new Set<string>();
  // The instant where the last batch ended, and those of it that were read and may still be due then.
  private from = beginningOfTime;
  private readAtFrom: string[] = [];
  private isAllRead = false;
  private reading: Promise<void> | undefined;

  constructor(private readonly query: DueQuery) {}

  /** Throws what reading throws, to everybody who waits for it. */
  async next(): Promise<DueDocument | undefined> {
    if (this.waiting.length < readAheadMin) this.readAhead();
    while (this.waiting.length === 0 && this.reading !== undefined) {
      await this.reading;
      this.readAhead();
    }
    return this.waiting.shift();
  }

  private readAhead(): void {
    if (this.isAllRead || this.reading !== undefined) return;
    this.reading = this.readBatch().finally(() => {
      this.reading = undefined;
    });
    // Nobody may be waiting for it.
    this.reading.catch(() => undefined);
  }

  private async readBatch(): Promise<void> {
    const { collection, field, until, filter } = this.query;
    const stillThere = await this.stillThere();
    const query = {
      ...filter,
      [field]: { $gte: this.from, $lte: until },
      _id: { $nin: stillThere },
    };
    const batch = await retryTransient(() =>
      collection.documents
        .find(query as Filter<AggregateDocument>)
        .project<DueDocument>(shown)
        .sort({ [field]: 1 })
        .limit(batchMax)
        .toArray(),
    );
    // One that moved on while it was handled, but not beyond `until`, comes again.
    this.waiting.push(...batch.filter(({ _id }) => !this.seen.has(_id)));
    for (const { _id } of batch) this.seen.add(_id);
    const last = batch.at(-1)?.[field];
    if (batch.length < batchMax || !last) this.isAllRead = true;
    else this.endAt(last, batch, stillThere);
  }

  private endAt(last: Date, batch: readonly DueDocument[], stillThere: readonly string[]): void {
    const atLast = batch.filter((one) => one[this.query.field]?.getTime() === last.getTime());
    const earlier = last.getTime() === this.from.getTime() ? stillThere : [];
    this.readAtFrom = [...earlier, ...atLast.map(({ _id }) => _id)];
    this.from = last;
  }

  // Those of the very instant where the last batch ended come again with the next one, unless they have moved on.
  private async stillThere(): Promise<string[]> {
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
