import { type Document, MongoClient } from 'mongodb';
import { serveJobs } from './serve-jobs';

// The minimal program that reads pages of a feed: its entries in their order, and their messages.

const { MONGODB_URI = '' } = process.env;

export interface FloorJob {
  readonly database: string;
  readonly environmentId: string;
  /** `_id`s of entries after which the pages begin. */
  readonly starts: readonly string[];
  readonly pageSize: number;
  readonly seconds: number;
  readonly inFlight: number;
}

const client = new MongoClient(MONGODB_URI, { retryReads: false, maxPoolSize: 24 });

async function readAll({ database, environmentId, starts, ...job }: FloorJob) {
  const db = client.db(database);
  const feed = db.collection<Document & { _id: string }>('feed');
  const messages = db.collection<Document & { _id: string }>('messages');
  const last = `${environmentId}::g`;
  const startedMs = performance.now();
  const endMs = startedMs + job.seconds * 1_000;
  let operations = 0;
  const worker = async (first: number) => {
    for (let page = first; performance.now() < endMs; page += job.inFlight) {
      const $gt = starts[page % starts.length] ?? '';
      const entries = await feed
        .find({ environmentId, _id: { $gt, $lt: last } })
        .sort({ _id: 1 })
        .limit(job.pageSize)
        .toArray();
      const ids = entries.map(({ messageId }) => messageId as string);
      const found = await messages.find({ _id: { $in: ids }, environmentId }).toArray();
      if (found.length !== job.pageSize) throw new Error(`Only ${String(found.length)} messages`);
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: job.inFlight }, (_, index) => worker(index)));
  return { operations, seconds: (performance.now() - startedMs) / 1_000 };
}

serveJobs(readAll, client.connect());
