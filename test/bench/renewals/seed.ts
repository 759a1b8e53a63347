import { type Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slice';
import { createResource } from '../stage/api';
import { anyDocumentOf, documentsOf, resetWithIndexesOf } from '../stage/floor-data';
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

/** Creates subscriptions by copying one created by the system, directly in its database. */
export class RenewalSeed {
  private constructor(
    private readonly client: MongoClient,
    private readonly databaseOf: (service: string) => string,
    /** A subscription as the system stores it. */
    readonly template: Document,
  ) {}

  static async open(
    system: Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>,
  ): Promise<RenewalSeed> {
    const { site } = system;
    const post = (path: string, body: object) => createResource(system, path, body);
    const customer = await post('/customers', { email: 'bench@example.com' });
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
    const collection = client.db(`${site.databasePrefix}_subscription`).collection('subscriptions');
    const databaseOf = (service: string) => `${site.databasePrefix}_${service}`;
    return new RenewalSeed(client, databaseOf, await settled(collection, id));
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
    const documents = ids.map((_id) => ({
      ...this.template,
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

function pastStart(): Date {
  return new Date(nowMs() - startedAgoMs);
}

/** The machine's time, as the services have it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

async function settled(
  collection: ReturnType<ReturnType<MongoClient['db']>['collection']>,
  id: string,
): Promise<Document> {
  for (;;) {
    const document = await collection.findOne({ _id: id as never });
    const outbox = document?.outbox as unknown[] | undefined;
    if (document && outbox?.length === 0 && document.pendingSince === null) return document;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
