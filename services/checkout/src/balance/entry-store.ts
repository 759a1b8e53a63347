import type { Collection, Db, Document, Filter, Sort, WithId } from 'mongodb';
import { Batcher } from '@billing/chassis/batcher';
import type { CallContext } from '@billing/chassis/call-context';
import { batchBounds, InsertBatches } from '@billing/chassis/inserts';
import { scanPage, type ScanRange } from '@billing/chassis/scan-page';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { BalanceEntry } from './balance';
import { type Count, nullable, type Nullable } from '../invoice/document/stored-fields';

type Context = Pick<CallContext, 'tenant'>;

/**
 * An entry in its balance, or in its own document. Entries of earlier releases lack the ids of
 * credit notes and refunds.
 */
export type EntryDocument = Omit<
  Nullable<BalanceEntry>,
  'sequence' | 'metadata' | 'creditNoteId' | 'refundId'
> & {
  readonly creditNoteId?: string | null;
  readonly refundId?: string | null;
  readonly sequence: Count;
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};

type StoredEntry = Omit<EntryDocument, 'id'> & {
  readonly _id: string;
  readonly environmentId: string;
  /** False for tombstones. */
  readonly isShown: boolean;
};

/** Filter of a list; absent: any. */
export interface EntryFilter {
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly kind?: string | undefined;
}

/** A page of a list; its order is by time. */
export interface WantedPage {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** Newest first by default. */
  readonly oldestFirst?: boolean;
}

/** Entries of all balances, only inserted. The id of an entry is its natural key. */
export class BalanceEntryStore {
  private readonly documents: Collection<StoredEntry>;
  private readonly inserts: InsertBatches<StoredEntry>;
  private readonly finds = new Batcher<string, StoredEntry | undefined>({
    ...batchBounds,
    flush: async (ids) => {
      const filter = { _id: { $in: [...new Set(ids)] } };
      const found = await retryTransient(() => this.documents.find(filter).toArray());
      const byId = new Map(found.map((entry) => [entry._id, entry]));
      return ids.map((id) => ({ value: byId.get(id) }));
    },
  });

  constructor(db: Db) {
    this.documents = db.collection<StoredEntry>('balanceEntries');
    this.inserts = new InsertBatches(this.documents);
  }

  ensureIndexes(): Promise<void> {
    const shown = { environmentId: 1, isShown: 1 } as const;
    const newestFirst = { createdAt: -1, sequence: -1, _id: -1 } as const;
    return ensureIndexes(this.documents, [
      { name: 'list', key: { ...shown, ...newestFirst } },
      { name: 'scan', key: { ...shown, createdAt: 1, _id: 1 } },
      { name: 'customer', key: { ...shown, customerId: 1, ...newestFirst } },
      { name: 'invoice', key: { ...shown, invoiceId: 1, ...newestFirst } },
    ]);
  }

  /** Inserts entries; those that are already stored stay as they are. */
  async insert(
    entries: readonly BalanceEntry[],
    { tenant: { environmentId } }: Context,
  ): Promise<void> {
    await Promise.all(
      entries.map(async (entry) => {
        const { id: _id, ...fields } = toEntryDocument(entry);
        const isShown = entry.sequence > 0;
        try {
          await this.inserts.insert({ _id, environmentId, isShown, ...fields });
        } catch (error) {
          if (duplicateKeyIndex(error) === undefined) throw error;
        }
      }),
    );
  }

  /** Finds an entry, tombstones included. Concurrent calls share a query. */
  async find(
    id: string,
    { tenant: { environmentId } }: Context,
  ): Promise<BalanceEntry | undefined> {
    const found = await this.finds.run(id);
    return found?.environmentId === environmentId ? fromStored(found) : undefined;
  }

  /** One page of shown entries, by time, and their exact count over all pages. */
  async list(
    { page, perPage, oldestFirst, ...filter }: EntryFilter & WantedPage,
    { tenant: { environmentId } }: Context,
  ): Promise<{ data: BalanceEntry[]; total: number }> {
    const query = { ...definedFields(filter), environmentId, isShown: true };
    const by = ['createdAt', 'sequence', '_id'];
    const wanted = { query, by, page, perPage, oldestFirst };
    const { found, total } = await readPage(this.documents, wanted);
    return { data: found.map(fromStored), total };
  }

  /** The next shown entries, oldest first. */
  async scan(
    range: ScanRange,
    { tenant: { environmentId } }: Context,
    limit: number,
  ): Promise<BalanceEntry[]> {
    const wanted = { filter: { environmentId, isShown: true }, by: 'createdAt', limit };
    return (await scanPage(this.documents, wanted, range)).map(fromStored);
  }
}

/** Reads a page of documents in the order of the fields `by`, and counts them all. */
export async function readPage<D extends Document>(
  documents: Collection<D>,
  {
    query,
    by,
    page,
    perPage,
    oldestFirst = false,
  }: WantedPage & { readonly query: Filter<D>; readonly by: readonly string[] },
): Promise<{ found: WithId<D>[]; total: number }> {
  const direction = oldestFirst ? 1 : -1;
  const sort: Sort = Object.fromEntries(by.map((field) => [field, direction]));
  const cursor = () => documents.find(query).sort(sort);
  const [found, total] = await Promise.all([
    retryTransient(() =>
      cursor()
        .skip((page - 1) * perPage)
        .limit(perPage)
        .toArray(),
    ),
    retryTransient(() => documents.countDocuments(query)),
  ]);
  return { found, total };
}

/** The given fields of a filter. */
export function definedFields(filter: object): Record<string, unknown> {
  const fields = Object.entries(filter) as [string, unknown][];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

export function toEntryDocument({ metadata, ...entry }: BalanceEntry): EntryDocument {
  const fields = nullable(entry) as Omit<EntryDocument, 'metadata'>;
  return { ...fields, metadata: JSON.stringify(metadata) };
}

export function readEntry(document: EntryDocument): BalanceEntry {
  const { id, customerId, currency, amount, balanceAfter, kind, createdAt } = document;
  return {
    ...{ id, customerId, currency, amount, balanceAfter, kind, createdAt },
    sequence: Number(document.sequence),
    invoiceId: document.invoiceId ?? undefined,
    creditNoteId: document.creditNoteId ?? undefined,
    refundId: document.refundId ?? undefined,
    description: document.description ?? undefined,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
  };
}

function fromStored({ _id: id, ...document }: StoredEntry): BalanceEntry {
  return readEntry({ id, ...document });
}
