import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { Batcher, type Outcome } from '@billing/chassis/batcher';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { insertedBefore } from '@billing/chassis/inserts';
import { DomainError } from '@billing/kernel/domain-error';
import { formatInvoiceNumber, nextInvoiceNumber } from './invoice-number';

interface InvoiceNumberDocument {
  /**
   * `<environment id>:<number>`, in the series of a restore `<environment id>:<code>:<number of 12
   * digits>`: the unique id makes a number unique.
   */
  readonly _id: string;
  readonly environmentId: string;
  readonly number: number | bigint;
  /** Code of the restore whose series has the number; absent: the series before any restore. */
  readonly series?: string;
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
  readonly series: string | undefined;
}

// Only replicas compete here, because a process takes the numbers of an environment in batches.
const attemptsMax = 64;
const batchMax = 100;
// Size of the cache of last numbers.
const environmentsMax = 10_000;
// A number that begins with given digits has up to six more.
const magnitudes = Array.from({ length: 7 }, (_, zeros) => 10 ** zeros);
// Ids of a series sort like its numbers.
const seriesDigits = 12;

/**
 * Numbers of invoices or of credit notes that are taken. Documents are only inserted, each after
 * the last one of its environment, so the sequence has no gaps; a holder that asks again gets the
 * number it holds. A restore begins a new series, because the restored documents lack the last
 * numbers of the one before.
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

  /** `series` returns the code of the last restore, or null. */
  constructor(
    db: Db,
    private readonly series: () => string | null,
    collection: 'invoiceNumbers' | 'creditNoteNumbers' = 'invoiceNumbers',
  ) {
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

  /**
   * Ids of the holders of numbers that begin with these digits, the lowest number first; the zeros
   * in front of a number do not count.
   */
  async findHolders(environmentId: string, digits: number, limit: number): Promise<string[]> {
    const pages = await Promise.all(
      magnitudes.map((size) => {
        const number = { $gte: digits * size, $lt: (digits + 1) * size };
        return retryTransient(() =>
          this.documents.find({ environmentId, number }).sort({ number: 1 }).limit(limit).toArray(),
        );
      }),
    );
    return pages
      .flat()
      .map(({ invoiceId }) => invoiceId)
      .slice(0, limit);
  }

  private async takeAll(holders: readonly NumberHolder[]): Promise<Outcome<string>[]> {
    const byEnvironment = Map.groupBy(holders, ({ environmentId }) => environmentId);
    const numbers = new Map<string, Promise<ReadonlyMap<string, InvoiceNumber>>>();
    for (const [environmentId, group] of byEnvironment) {
      const invoiceIds = [...new Set(group.map(({ invoiceId }) => invoiceId))];
      numbers.set(environmentId, this.takeNext(environmentId, invoiceIds));
    }
    await Promise.allSettled(numbers.values());
    return Promise.all(
      holders.map(async ({ environmentId, invoiceId, prefix }) => {
        try {
          const taken = (await numbers.get(environmentId))?.get(invoiceId);
          if (taken === undefined) throw new Error(`Invoice ${invoiceId} got no number`);
          return { value: formatInvoiceNumber(taken.number, { prefix, series: taken.series }) };
        } catch (error) {
          return { error };
        }
      }),
    );
  }

  private async takeNext(
    environmentId: string,
    invoiceIds: readonly string[],
  ): Promise<ReadonlyMap<string, InvoiceNumber>> {
    const taken = new Map<string, InvoiceNumber>();
    const series = this.series() ?? undefined;
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const waiting = invoiceIds.filter((id) => !taken.has(id));
      const next = nextInvoiceNumber(
        this.lastTaken.get(environmentId) ?? (await this.highest(environmentId, series)),
      );
      const row = waiting.map((invoiceId, index) => ({ invoiceId, number: next + index, series }));
      // Unknown until all numbers are stored, also if their insert fails half-way.
      this.lastTaken.delete(environmentId);
      const inserted = await this.insert(environmentId, row);
      for (const number of row.slice(0, inserted)) taken.set(number.invoiceId, number);
      if (inserted === row.length) {
        this.remember(environmentId, next + row.length - 1);
        return taken;
      }
      const held = await this.heldBy(environmentId, waiting.slice(inserted));
      for (const number of held) taken.set(number.invoiceId, number);
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
  ): Promise<InvoiceNumber[]> {
    const filter = { environmentId, invoiceId: { $in: [...invoiceIds] } };
    const held = await retryTransient(() => this.documents.find(filter).toArray());
    return held.map(({ invoiceId, number, series }) => {
      return { invoiceId, number: Number(number), series };
    });
  }

  private async highest(
    environmentId: string,
    series: string | undefined,
  ): Promise<number | undefined> {
    // By the ids of the series, which the index of the numbers does not separate.
    const query =
      series === undefined
        ? this.documents.find({ environmentId }).sort({ number: -1 })
        : this.documents
            .find({ environmentId, _id: idsOfSeries(environmentId, series) })
            .sort({ _id: -1 });
    const [highest] = await retryTransient(() => query.clone().limit(1).toArray());
    return highest === undefined ? undefined : Number(highest.number);
  }

  /**
   * Number of documents inserted, up to the first whose number is taken or whose holder already has
   * one.
   */
  private async insert(environmentId: string, row: readonly InvoiceNumber[]): Promise<number> {
    const documents = row.map(({ invoiceId, number, series }) => ({
      _id: idOf(environmentId, number, series),
      environmentId,
      number,
      ...(series !== undefined && { series }),
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

function idOf(environmentId: string, number: number, series: string | undefined): string {
  if (series === undefined) return `${environmentId}:${String(number)}`;
  return `${environmentId}:${series}:${String(number).padStart(seriesDigits, '0')}`;
}

function idsOfSeries(environmentId: string, series: string) {
  const prefix = `${environmentId}:${series}:`;
  return { $gte: prefix, $lte: `${prefix}${'9'.repeat(seriesDigits)}` };
}
