import { createHmac, randomUUID } from 'node:crypto';
import { type Document, MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { serveJobs } from './serve-jobs';

// The minimal program that delivers webhooks and records it: a document before each POST, a second
// write after it, one delivery at a time per worker.

const { MONGODB_URI = '' } = process.env;
const inFlight = 64;

/** The deliveries: copies of a real system's delivery, in a collection with its indexes. */
export interface FloorJob {
  readonly database: string;
  readonly origin: string;
  readonly path: string;
  readonly body: string;
  readonly count: number;
}

const client = new MongoClient(MONGODB_URI, {
  useBigInt64: true,
  retryReads: false,
  retryWrites: false,
  maxPoolSize: inFlight,
  writeConcern: { w: 'majority', journal: true },
});

async function deliverAll({ database, origin, path, body, count }: FloorJob): Promise<number> {
  const deliveries = client.db(database).collection('deliveries');
  const template = await deliveries.findOne({});
  if (template === null) throw new Error('There is no delivery to copy');
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
  const startedMs = performance.now();
  const queue = Array.from({ length: count }, () => randomUUID()).values();
  const deliver = async (id: string) => {
    await deliveries.insertOne({ ...template, _id: id as never, status: 'PENDING' });
    const timestamp = Math.floor((performance.timeOrigin + performance.now()) / 1_000);
    const signature = createHmac('sha256', 'a secret of the receiver')
      .update(`${id}.${String(timestamp)}.${body}`)
      .digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    await answer.body.dump();
    const result: Document = {
      status: 'DELIVERED',
      dueAt: null,
      responseStatus: answer.statusCode,
    };
    await deliveries.updateOne({ _id: id as never }, { $set: result });
  };
  const worker = async () => {
    for (const id of queue) await deliver(id);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedMs) / 1_000;
  await pool.close();
  return seconds;
}

serveJobs(async (job: FloorJob) => ({ seconds: await deliverAll(job) }), client.connect());
