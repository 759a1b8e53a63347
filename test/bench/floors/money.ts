import type { Document } from 'mongodb';
import { randomUUID } from 'node:crypto';
import {
  collectionsOf,
  type MoneyCollection,
  type MoneyOperationName,
  type MoneyWrite,
  moneyWrites,
} from './money-writes';
import { serveJobs } from './serve-jobs';
import { writingClient } from './writing-client';

// The minimal program that opens, pays or credits invoices durably: the documents that the system
// writes for each, by single commands in the order of their steps, without a read.

/** The database has a copy of a document of each collection, with the system's indexes. */
interface FloorJob {
  readonly database: string;
  readonly operation: MoneyOperationName;
  readonly count: number;
  readonly inFlight: number;
}

const insertBatchSize = 500;

const client = writingClient();

/** The documents of one operation. */
interface Written {
  readonly invoiceId: string;
  readonly balanceId: string;
  readonly index: number;
}

async function writeAll({ database, operation, count, inFlight }: FloorJob): Promise<number> {
  const floor = await Floor.open(database, operation);
  const invoiceIds = Array.from({ length: count }, () => randomUUID());
  await floor.store('invoices', floor.isNewInvoice ? [] : invoiceIds);
  const balanceIds = Array.from({ length: inFlight }, () => randomUUID());
  await floor.store('balances', balanceIds);
  const queue = invoiceIds.entries();
  const startedMs = performance.now();
  const worker = async (balanceId: string) => {
    for (const [index, invoiceId] of queue) await floor.run({ invoiceId, balanceId, index });
  };
  await Promise.all(balanceIds.map(worker));
  return (performance.now() - startedMs) / 1_000;
}

class Floor {
  private constructor(
    private readonly database: string,
    private readonly operation: MoneyOperationName,
    private readonly templates: ReadonlyMap<MoneyCollection, Document>,
    private readonly lastNumber: number,
  ) {}

  static async open(database: string, operation: MoneyOperationName): Promise<Floor> {
    const templates = new Map<MoneyCollection, Document>();
    const db = client.db(database);
    for (const name of collectionsOf(operation)) {
      const found = await db.collection(name).findOne({});
      if (found === null) throw new Error(`There is nothing in ${name} to copy`);
      templates.set(name, found);
    }
    // Numbers of earlier runs are taken.
    const lastNumber = 10_000_000 + (await db.collection('invoices').countDocuments({}));
    return new Floor(database, operation, templates, lastNumber);
  }

  get isNewInvoice(): boolean {
    return moneyWrites[this.operation][0]?.[0]?.kind === 'insert';
  }

  /** Stores copies of the template, if the operation has one. */
  async store(name: MoneyCollection, ids: readonly string[]): Promise<void> {
    const template = this.templates.get(name);
    if (template === undefined) return;
    for (let from = 0; from < ids.length; from += insertBatchSize) {
      const some = ids.slice(from, from + insertBatchSize);
      const copies = some.map((id) => ({ ...template, _id: id as never }));
      await this.documents(name).insertMany(copies, { ordered: false });
    }
  }

  async run(written: Written): Promise<void> {
    for (const step of moneyWrites[this.operation]) {
      await Promise.all(step.map((write) => this.write(write, written)));
    }
  }

  private async write(
    { kind, collection }: MoneyWrite,
    { invoiceId, balanceId, index }: Written,
  ): Promise<void> {
    const isInvoice = collection === 'invoices';
    if (kind !== 'update') {
      const holder = isInvoice ? {} : { invoiceId, number: this.lastNumber + index };
      const copy = { ...this.templates.get(collection), ...holder };
      const filter = { _id: (isInvoice ? invoiceId : randomUUID()) as never };
      const documents = this.documents(collection);
      if (kind === 'insert') await documents.insertOne({ ...copy, ...filter });
      else await documents.updateOne(filter, { $set: { ...copy, ...filter } }, { upsert: true });
      return;
    }
    const _id = collection === 'balances' ? balanceId : invoiceId;
    const { matchedCount } = await this.documents(collection).updateOne(
      { _id: _id as never },
      { $set: changeOf(collection) },
    );
    if (matchedCount !== 1) throw new Error(`${collection} ${_id} is missing`);
  }

  private documents(name: MoneyCollection) {
    return client.db(this.database).collection(name);
  }
}

function changeOf(collection: MoneyCollection): Document {
  const now = new Date(performance.timeOrigin + performance.now());
  const entry = { kind: 'event', sequence: 1, type: 'invoice.paid', payload: {} };
  if (collection === 'balances') return { postedAt: now, movedAt: now, lastWrite: randomUUID() };
  return { status: 'PAID', updatedAt: now, outbox: [entry], lastWrite: randomUUID() };
}

serveJobs(async (job: FloorJob) => ({ seconds: await writeAll(job) }), client.connect());
