import { type Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import { createResource, withoutInvoiceMails } from '../stage/api';
import { anyDocumentOf, documentsOf, resetWithIndexesOf, settled } from '../stage/floor-data';
import { CustomerSeed } from './customer-seed';
import type { StagedSystem } from '../stage/stage';

const dayMs = 24 * 60 * 60 * 1_000;
// Monthly periods that began this long ago are in their second period now, for some weeks to come.
const startedAgoMs = 32 * dayMs;
const farAway = new Date('2100-01-01T00:00:00Z');
const insertBatchSize = 500;
// Interval of progress reports, in documents.
const storeBatchSize = 10_000;
// More concurrent inserts give no higher rate.
const insertsInFlight = 4;

/** Customers of the subscriptions; absent: one has them all. */
interface EachWithCustomer {
  /** Money owed to each customer, in cents; 0: none has a balance. */
  readonly balance: number;
}

/** Creates subscriptions by copying one created by the system, directly in its database. */
export class RenewalSeed {
  private constructor(
    private readonly client: MongoClient,
    private readonly databaseOf: (service: string) => string,
    /** A subscription as the system stores it. */
    readonly template: Document,
    /** Absent: the subscriptions keep the template's customer. */
    readonly customers?: CustomerSeed,
  ) {}

  static async open(
    system: Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>,
    each?: EachWithCustomer,
  ): Promise<RenewalSeed> {
    const { site } = system;
    await withoutInvoiceMails(system);
    const post = (path: string, body: object) => createResource(system, path, body);
    const customer = await post('/customers', {
      email: 'bench@example.com',
      ...(each !== undefined && { name: 'Grace Hopper', address: { country: 'DE' } }),
    });
    const product = await post('/products', {
      name: 'Monthly',
      type: 'FLAT',
      currency: 'USD',
      amount: 2900,
      billingInterval: 'MONTHLY',
    });
    const { id } = await post('/subscriptions', { customerId: customer.id, productId: product.id });
    const client = new MongoClient(site.mongodbUri, {
      promoteLongs: false,
      writeConcern: { w: 'majority', journal: true },
    });
    await client.connect();
    const databaseOf = (service: string) => `${site.databasePrefix}_${service}`;
    const subscriptions = documentsOf(client, databaseOf('subscription'), 'subscriptions');
    const template = await settled(subscriptions, { _id: id });
    if (each === undefined) return new RenewalSeed(client, databaseOf, template);
    if (each.balance > 0) await post('/balance-entries', entryOf(customer.id, each.balance));
    const customers = await CustomerSeed.open(client, databaseOf, customer.id);
    return new RenewalSeed(client, databaseOf, template, customers);
  }

  get subscriptions() {
    return documentsOf(this.client, this.databaseOf('subscription'), 'subscriptions');
  }

  get invoices() {
    return documentsOf(this.client, this.databaseOf('checkout'), 'invoices');
  }

  get revenueTotals() {
    return documentsOf(this.client, this.databaseOf('subscription'), 'revenueTotals');
  }

  /** Heartbeats of the processes of `subscription`. */
  get replicas() {
    return documentsOf(this.client, this.databaseOf('subscription'), 'replicas');
  }

  /** The same documents with the same indexes, in a floor's own database. */
  async floorIn(database: string): Promise<RenewalSeed> {
    const floor = new RenewalSeed(this.client, () => database, this.template);
    await resetWithIndexesOf(this.subscriptions, floor.subscriptions);
    await resetWithIndexesOf(this.invoices, floor.invoices);
    await floor.invoices.insertOne(await anyDocumentOf(this.invoices));
    return floor;
  }

  /**
   * Creates subscriptions whose second period has begun, due from `dueAt` on; returns their ids.
   */
  async overdue(count: number, dueAt: Date): Promise<string[]> {
    const start = pastStart();
    return this.insert(count, { createdAt: start, startAt: start, anchor: start, dueAt });
  }

  /** Creates subscriptions that are due far in the future; reports the number stored. */
  async idle(count: number, onStored: (stored: number) => void): Promise<void> {
    for (let stored = 0; stored < count;) {
      const next = Math.min(count - stored, storeBatchSize);
      await this.insert(next, { createdAt: pastStart() });
      stored += next;
      onStored(stored);
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async insert(count: number, fields: Document): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    const batches = Array.from({ length: Math.ceil(count / insertBatchSize) }, (_, index) =>
      ids.slice(index * insertBatchSize, (index + 1) * insertBatchSize),
    );
    const queue = batches.values();
    const worker = async () => {
      for (const batch of queue) await this.insertBatch(batch, fields);
    };
    await Promise.all(Array.from({ length: insertsInFlight }, worker));
    return ids;
  }

  private async insertBatch(ids: readonly string[], fields: Document): Promise<void> {
    // No service knows them yet: their first event will be their renewal.
    const customerIds = await this.customers?.take(ids.length);
    const customerOf = (index: number) => {
      const customer = this.template.customer as Document;
      return customerIds === undefined ? customer : { ...customer, id: customerIds[index] };
    };
    const documents = ids.map((_id, index) => ({
      ...this.template,
      customer: customerOf(index),
      dueAt: farAway,
      ...fields,
      itemId: newId(),
      eventSequence: 0,
      slice: sliceOf(_id),
      _id,
    }));
    await this.subscriptions.insertMany(documents, { ordered: false });
  }
}

function entryOf(customerId: string, amount: number) {
  return { customerId, amount, currency: 'USD', description: 'Goodwill' };
}

function pastStart(): Date {
  return new Date(nowMs() - startedAgoMs);
}

/** The machine's time, as the services have it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
