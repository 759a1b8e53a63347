import type { Collection, Db } from 'mongodb';
import { sleep } from '@billing/chassis/clock';
import { jitter } from '@billing/chassis/ids';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { formatInvoiceNumber, nextInvoiceNumber } from './invoice-number';

interface InvoiceNumberDocument {
  /** `<environment id>:<number>`: a number exists once because its document does. */
  readonly _id: string;
  readonly environmentId: string;
  readonly number: number | bigint;
  /** The only holder, for ever. */
  readonly invoiceId: string;
}

/** Who asks for a number. */
export interface NumberHolder {
  readonly environmentId: string;
  readonly invoiceId: string;
}

// Only replicas meet here, because a process takes the numbers of an environment one by one.
const attemptsMax = 64;

/**
 * The invoice numbers that are taken. Documents are only inserted, each at the end of its environment's row, so the row has no gaps; an
 * invoice that asks again is given the number that it holds.
 */
export class InvoiceNumberStore {
  private readonly documents: Collection<InvoiceNumberDocument>;
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(db: Db) {
    this.documents = db.collection<InvoiceNumberDocument>('invoiceNumbers');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.documents, [
      { name: 'holder', key: { environmentId: 1, invoiceId: 1 }, unique: true },
      { name: 'highest', key: { environmentId: 1, number: -1 } },
    ]);
  }

  /** The holder's number, taken now if it has none yet. An environment's holders wait for each other instead of racing. */
  take(holder: NumberHolder): Promise<string> {
    const { environmentId } = holder;
    const before = this.turns.get(environmentId) ?? Promise.resolve();
    const turn = before.then(() => this.takeNext(holder));
    const settled = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.turns.get(environmentId) === settled) this.turns.delete(environmentId);
      });
    this.turns.set(environmentId, settled);
    return turn;
  }

  private async takeNext(holder: NumberHolder): Promise<string> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const number = nextInvoiceNumber(await this.highest(holder.environmentId));
      if (await this.insert(holder, number)) return formatInvoiceNumber(number);
      const held = await this.heldBy(holder);
      if (held !== undefined) return formatInvoiceNumber(held);
      await sleep(attempt * jitter(1));
    }
    throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
  }

  private async heldBy({ environmentId, invoiceId }: NumberHolder): Promise<number | undefined> {
    const held = await retryTransient(() => this.documents.findOne({ environmentId, invoiceId }));
    return held === null ? undefined : Number(held.number);
  }

  private async highest(environmentId: string): Promise<number | undefined> {
    const [highest] = await retryTransient(() =>
      this.documents.find({ environmentId }).sort({ number: -1 }).limit(1).toArray(),
    );
    return highest === undefined ? undefined : Number(highest.number);
  }

  // False where the number is taken, or the holder has one already.
  private async insert(
    { environmentId, invoiceId }: NumberHolder,
    number: number,
  ): Promise<boolean> {
    const _id = `${environmentId}:${String(number)}`;
    try {
      await retryTransient(() =>
        this.documents.insertOne({ _id, environmentId, number, invoiceId }),
      );
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}
