import { MongoClient } from 'mongodb';
import { serveJobs } from './serve-jobs';

// The minimal program that exports invoices: a cursor over all of an environment, as lines of JSON.

const { MONGODB_URI = '' } = process.env;

export interface FloorJob {
  readonly database: string;
  readonly environmentId: string;
}

const client = new MongoClient(MONGODB_URI, { retryReads: false });

async function exportAll({ database, environmentId }: FloorJob) {
  const startedMs = performance.now();
  const invoices = client.db(database).collection('invoices');
  let operations = 0;
  let bytes = 0;
  for await (const invoice of invoices.find({ environmentId })) {
    bytes += Buffer.byteLength(`${JSON.stringify(invoice)}\n`);
    operations += 1;
  }
  return { operations, bytes, seconds: (performance.now() - startedMs) / 1_000 };
}

serveJobs(exportAll, client.connect());
