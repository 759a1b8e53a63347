import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { Batcher, type Outcome } from '@billing/chassis/batcher';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { insertedBefore } from '@billing/chassis/inserts';
import { DomainError } from '@billing/kernel/domain-error';
import { formatInvoiceNumber, nextInvoiceNumber } from './invoice-number';

interface InvoiceNumberDocument {
  /** `<environment id>:<number>`: the unique id makes a number unique. */
  readonly _id: string;
  readonly environmentId: string;
  readonly number: number | bigint;
  /** Permanent and only holder: an invoice or a credit note. */
  readonly invoiceId: string;
}

/** Requester of a number. */
export interface NumberHolder {
  readonly environmentId: string;
  readonly invoiceId: string;
  /** Prefix of the number; absent: the usual one. */
  readonly prefix?: string | undefined;
}

interface InvoiceNumber {
  readonly invoiceId: string;
  readonly number: number;
}

// Only replicas compete here, because a process takes the numbers of an environment in batches.
const attemptsMax = 64;
const batchMax = 100;
// Size of the cache of last numbers.
const environmentsMax = 10_000;

/**
 * Numbers of invoices or of credit notes that are taken. Documents are only inserted, each after
 * the last one of its environment, so the sequence has no gaps; a holder that asks again gets the
 * number it holds.
 */
export class InvoiceNumberStore {
  private readonly documents: Collection<InvoiceNumberDocument>;
  // Last numbers known to be taken, so that the next one leaves no gap. Every taken number is a
  // valid start, even if the sequence has grown since.
  private readonly lastTaken = new Map<string, number>();
  // One batch at a time, because two batches of one environment would compete for the same numbers.
  private readonly taking = new Batcher<NumberHolder, string>({
    batchMax,
    flushesMax: 1,
    flush: (holders) => this.takeAll(holders),
  });

  constructor(db: Db, collection: 'invoiceNumbers' | 'creditNoteNumbers' = 'invoiceNumbers') {
    this.documents = db.collection<InvoiceNumberDocument>(collection);
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [
      { name: 'holder', key: { environmentId: 1, invoiceId: 1 }, unique: true },
      { name: 'highest', key: { environmentId: 1, number: -1 } },
    ]);
  }

  /**
   * Returns the holder's number, taking one if it has none yet. Concurrent holders are numbered
   * together.
   */
  take(holder: NumberHolder): Promise<string> {
    return this.taking.run(holder);
  }

  private async takeAll(holders: readonly NumberHolder[]): Promise<Outcome<string>[]> {
    const byEnvironment = Map.groupBy(holders, ({ environmentId }) => environmentId);
    const numbers = new Map<string, Promise<ReadonlyMap<string, number>>>();
    for (const [environmentId, group] of byEnvironment) {
      const invoiceIds = [...new Set(group.map(({ invoiceId }) => invoiceId))];
      numbers.set(environmentId, this.takeNext(environmentId, invoiceIds));
    }
    await Promise.allSettled(numbers.values());
    return Promise.all(
      holders.map(async ({ environmentId, invoiceId, prefix }) => {
        try {
          const number = (await numbers.get(environmentId))?.get(invoiceId);
          if (number === undefined) throw new Error(`Invoice ${invoiceId} got no number`);
          return { value: formatInvoiceNumber(number, prefix) };
        } catch (error) {
          return { error };
        }
      }),
    );
  }

  private async takeNext(
    environmentId: string,
    invoiceIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const taken = new Map<string, number>();
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const waiting = invoiceIds.filter((id) => !taken.has(id));
      const next = nextInvoiceNumber(
        this.lastTaken.get(environmentId) ?? (await this.highest(environmentId)),
      );
      const row = waiting.map((invoiceId, index) => ({ invoiceId, number: next + index }));
      // Unknown until all numbers are stored, also if their insert fails half-way.
      this.lastTaken.delete(environmentId);
      const inserted = await this.insert(environmentId, row);
      for (const { invoiceId, number } of row.slice(0, inserted)) taken.set(invoiceId, number);
      if (inserted === row.length) {
        this.remember(environmentId, next + row.length - 1);
        return taken;
      }
      const held = await this.heldBy(environmentId, waiting.slice(inserted));
      for (const { invoiceId, number } of held) taken.set(invoiceId, number);
      if (taken.size === invoiceIds.length) return taken;
      await sleep(attempt * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private remember(environmentId: string, number: number): void {
    const [longestAgo] = this.lastTaken.keys();
    if (this.lastTaken.size >= environmentsMax && longestAgo !== undefined) {
      this.lastTaken.delete(longestAgo);
    }
    this.lastTaken.set(environmentId, number);
  }

  private async heldBy(
    environmentId: string,
    invoiceIds: readonly string[],
  ): Promise<Pick<InvoiceNumber, 'invoiceId' | 'number'>[]> {
    const filter = { environmentId, invoiceId: { $in: [...invoiceIds] } };
    const held = await retryTransient(() => this.documents.find(filter).toArray());
    return held.map(({ invoiceId, number }) => ({ invoiceId, number: Number(number) }));
  }

  private async highest(environmentId: string): Promise<number | undefined> {
    const [highest] = await retryTransient(() =>
      this.documents.find({ environmentId }).sort({ number: -1 }).limit(1).toArray(),
    );
    return highest === undefined ? undefined : Number(highest.number);
  }

  /**
   * Number of documents inserted, up to the first whose number is taken or whose holder already has
   * one.
   */
  private async insert(environmentId: string, row: readonly InvoiceNumber[]): Promise<number> {
    const documents = row.map(({ invoiceId, number }) => ({
      _id: `${environmentId}:${String(number)}`,
      environmentId,
      number,
      invoiceId,
    }));
    const [first] = documents;
    try {
      // Ordered: documents after a failure must not be inserted, or the sequence would have a gap.
      if (first !== undefined && documents.length === 1) {
        await retryTransient(() => this.documents.insertOne(first));
      } else {
        await retryTransient(() => this.documents.insertMany(documents, { ordered: true }));
      }
      return documents.length;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return insertedBefore(error);
    }
  }
}
