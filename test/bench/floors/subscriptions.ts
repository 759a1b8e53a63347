import type { Document } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { serveJobs } from './serve-jobs';
import { writingClient } from './writing-client';

// The minimal program that creates paid subscriptions durably: the documents that the system writes
// for each, by single commands in the order of their steps, without a read. Steps that need not
// wait for each other are concurrent.

const inFlight = 16;

/** Copies of the system's documents, in collections with its indexes. */
interface FloorJob {
  readonly database: string;
  readonly count: number;
}

/** Every document that the system writes for a new subscription. */
const written = [
  'customers',
  'subscriptions',
  'eventLog',
  'invoices',
  'invoiceNumbers',
  'sandboxAuthorizations',
  'sandboxMethods',
  'sandboxCharges',
  'paymentMethods',
  'payers',
  'subscriptionMethods',
  'messages',
] as const;

type Name = (typeof written)[number];

const client = writingClient();

async function createAll({ database, count }: FloorJob): Promise<number> {
  const floor = await Floor.open(database);
  const customerIds = Array.from({ length: count }, () => randomUUID());
  await floor.insertCustomers(customerIds);
  const queue = customerIds.entries();
  const startedMs = performance.now();
  const worker = async () => {
    for (const [index, customerId] of queue) await floor.create(customerId, index);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (performance.now() - startedMs) / 1_000;
}

class Floor {
  private constructor(
    private readonly database: string,
    private readonly templates: Readonly<Record<Name, Document>>,
  ) {}

  static async open(database: string): Promise<Floor> {
    const templates: Partial<Record<Name, Document>> = {};
    for (const name of written) {
      const found = await client.db(database).collection(name).findOne({});
      if (found === null) throw new Error(`There is nothing in ${name} to copy`);
      templates[name] = found;
    }
    return new Floor(database, templates as Record<Name, Document>);
  }

  async insertCustomers(ids: readonly string[]): Promise<void> {
    const template = this.templates.customers;
    const customers = ids.map((id) => ({
      ...template,
      _id: id as never,
      externalIdKey: `i:${id}`,
    }));
    await this.documents('customers').insertMany(customers);
  }

  async create(customerId: string, index: number): Promise<void> {
    const [subscriptionId, invoiceId, methodId] = [randomUUID(), randomUUID(), randomUUID()];
    const entry = { kind: 'command', sequence: 1, type: 'billPeriod', payload: {} };
    const pending = { pendingSince: new Date(performance.timeOrigin + performance.now()) };
    const empty = { outbox: [], pendingSince: null };
    await this.update('customers', customerId, { isCurrencyFixed: true });
    await this.insert('subscriptions', subscriptionId, { ...pending, outbox: [entry] });
    await Promise.all([
      this.insert('eventLog', `${subscriptionId}:1`),
      this.insert('messages', randomUUID()),
      this.insert('invoices', invoiceId, { subscriptionId, ...pending, outbox: [entry] }),
    ]);
    const number = 10_000_000 + index;
    await Promise.all([
      this.insert('invoiceNumbers', `${invoiceId}:${String(number)}`, { invoiceId, number }),
      this.insert('sandboxAuthorizations', methodId),
      this.insert('sandboxMethods', methodId),
      this.insert('paymentMethods', methodId),
      this.insert('payers', customerId, { ...pending, outbox: [entry] }),
      this.insert('subscriptionMethods', subscriptionId),
    ]);
    await Promise.all([
      this.update('invoices', invoiceId, { status: 'OPEN' }),
      this.update('payers', customerId, empty),
    ]);
    await this.update('sandboxAuthorizations', methodId, { chargeKey: invoiceId });
    await this.insert('sandboxCharges', invoiceId, { methodId });
    await Promise.all([
      this.update('invoices', invoiceId, { status: 'PAID', outbox: [entry], ...pending }),
      this.update('subscriptions', subscriptionId, { ...empty, version: 2 }),
    ]);
    await this.update('subscriptions', subscriptionId, { ...pending, version: 3, outbox: [entry] });
    await Promise.all([
      this.update('invoices', invoiceId, empty),
      this.insert('eventLog', `${subscriptionId}:2`),
      this.insert('messages', randomUUID()),
    ]);
    await this.update('subscriptions', subscriptionId, empty);
  }

  private async insert(name: Name, id: string, fields: Document = {}): Promise<void> {
    await this.documents(name).insertOne({ ...this.templates[name], ...fields, _id: id as never });
  }

  private async update(name: Name, id: string, fields: Document): Promise<void> {
    const { matchedCount } = await this.documents(name).updateOne(
      { _id: id as never },
      { $set: fields },
    );
    if (matchedCount !== 1) throw new Error(`${name} ${id} is missing`);
  }

  private documents(name: Name) {
    return client.db(this.database).collection(name);
  }
}

serveJobs(async (job: FloorJob) => ({ seconds: await createAll(job) }), client.connect());
