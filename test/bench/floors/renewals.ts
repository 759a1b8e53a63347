import type { Document, MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { serveJobs } from './serve-jobs';
import { writingClient } from './writing-client';

// The minimal program that renews subscriptions durably: a compare-and-set that also records the
// pending work, the invoice, and a second write that marks it done; one subscription at a time per
// worker.

const inFlight = 16;

/** The subscriptions to renew: documents of a real system, in collections with its indexes. */
interface FloorJob {
  readonly database: string;
  readonly count: number;
}

const client = writingClient();

type Documents = ReturnType<ReturnType<MongoClient['db']>['collection']>;

async function renewAll({ database, count }: FloorJob): Promise<number> {
  const db = client.db(database);
  const subscriptions = db.collection('subscriptions');
  const invoices = db.collection('invoices');
  const [invoice] = await invoices.find().limit(1).toArray();
  if (invoice === undefined) throw new Error('There is no invoice to copy');
  const startedMs = performance.now();
  const due = await subscriptions
    .find({ timeline: 'real', dueAt: { $lte: new Date(performance.timeOrigin + startedMs) } })
    .sort({ dueAt: 1 })
    .limit(count)
    .toArray();
  const queue = due.values();
  const worker = async () => {
    for (const subscription of queue) await renew(subscription, subscriptions, invoices, invoice);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  if (due.length < count) throw new Error(`Only ${String(due.length)} were due`);
  return (performance.now() - startedMs) / 1_000;
}

async function renew(
  { _id, version, periodIndex }: Document,
  subscriptions: Documents,
  invoices: Documents,
  invoice: Document,
): Promise<void> {
  const next = Number(version) + 1;
  const entry = { kind: 'command', sequence: next, type: 'billPeriod', payload: { periodIndex } };
  const renewed = {
    version: next,
    periodIndex: Number(periodIndex) + 1,
    dueAt: new Date('2100-01-01T00:00:00Z'),
    pendingSince: new Date(performance.timeOrigin + performance.now()),
    lastWrite: randomUUID(),
  };
  const update = { $set: renewed, $push: { outbox: entry as never } };
  const { matchedCount } = await subscriptions.updateOne({ _id, version }, update);
  if (matchedCount !== 1) throw new Error('A subscription changed under the floor');
  await invoices.insertOne({ ...invoice, _id: randomUUID() as never, subscriptionId: String(_id) });
  await subscriptions.updateOne(
    { _id, version: next },
    {
      $set: { pendingSince: null, version: next + 1 },
      $pull: { outbox: { sequence: next } as never },
    },
  );
}

serveJobs(async (job: FloorJob) => ({ seconds: await renewAll(job) }), client.connect());
