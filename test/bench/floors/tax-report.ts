import { type Document, MongoClient } from 'mongodb';
import { serveJobs } from './serve-jobs';

// The minimal program that reads what a tax report needs: one cursor over the same fields of the
// same invoices, and nothing done with them.

const { MONGODB_URI = '' } = process.env;

/** The invoices to read: those of a system, which the program does not change. */
interface FloorJob {
  readonly database: string;
  readonly environmentId: string;
  /** First month, such as `2026-01`. */
  readonly month: string;
  readonly to: string;
  readonly seconds: number;
}

const batchSize = 1_000;
const fields = [
  'currency',
  'status',
  'voidedAt',
  'finalization.at',
  'creditNotes',
  'finalization.taxes.prices',
  'lineItems.id',
  'lineItems.amount',
  'lineItems.discountAmount',
  'lineItems.tax',
];
const projection = Object.fromEntries(fields.map((field) => [field, 1]));

const client = new MongoClient(MONGODB_URI, { useBigInt64: true, retryReads: false });

async function readAll({ database, environmentId, month, to, seconds }: FloorJob) {
  const invoices = client.db(database).collection('invoices');
  const filter: Document = {
    ...{ environmentId, isTombstone: false },
    ...{ movedMonth: { $gte: month }, createdAt: { $lt: new Date(to) } },
  };
  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1_000;
  let operations = 0;
  while (elapsed() < seconds) {
    const found = invoices.find(filter).project(projection).batchSize(batchSize);
    for await (const invoice of found) if (invoice._id !== undefined) operations += 1;
  }
  return { operations, seconds: elapsed() };
}

serveJobs(readAll, client.connect());
