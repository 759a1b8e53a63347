import type { Document, MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { serveJobs } from './serve-jobs';
import { writingClient } from './writing-client';

// The minimal program that creates a checkout session durably: two reads, the session, its invoice,
// and a write that marks it complete.

interface FloorJob {
  readonly database: string;
  readonly seconds: number;
  readonly inFlight: number;
}

const client = writingClient();

type Templates = Readonly<
  Record<'customers' | 'products' | 'checkoutSessions' | 'invoices', Document>
>;

async function beginAll({ database, seconds, inFlight }: FloorJob) {
  const db = client.db(database);
  const any = async (name: keyof Templates) => {
    const found = await db.collection(name).findOne({});
    if (found === null) throw new Error(`There is nothing in ${name} to copy`);
    return found as Document;
  };
  const templates: Templates = {
    customers: await any('customers'),
    products: await any('products'),
    checkoutSessions: await any('checkoutSessions'),
    invoices: await any('invoices'),
  };
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  let operations = 0;
  const worker = async () => {
    while (performance.now() < endMs) {
      await begin(db, templates);
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { operations, seconds: (performance.now() - startedMs) / 1_000 };
}

async function begin(db: ReturnType<MongoClient['db']>, templates: Templates): Promise<void> {
  const { customers, products, checkoutSessions, invoices } = templates;
  await Promise.all([
    db.collection('customers').findOne({ _id: customers._id as never }),
    db.collection('products').findOne({ _id: products._id as never }),
  ]);
  const _id = randomUUID() as never;
  const entry = { kind: 'command', sequence: 1, type: 'createInvoice', payload: {} };
  const pendingSince = new Date(performance.timeOrigin + performance.now());
  const sessions = db.collection('checkoutSessions');
  await sessions.insertOne({ ...checkoutSessions, _id, outbox: [entry], pendingSince });
  await db.collection('invoices').insertOne({ ...invoices, _id: randomUUID() as never });
  await sessions.updateOne({ _id }, { $set: { pendingSince: null, outbox: [] } });
}

serveJobs(beginAll, client.connect());
